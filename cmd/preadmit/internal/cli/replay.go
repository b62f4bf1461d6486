package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// replay runs captured requests through policies.
func (a *app) replay(args []string) (int, error) {
	f := newFlags("replay")
	parts := &parts{policies: f.list("p"), cluster: f.list("c"), request: new(string)}
	settings := f.settings(true)
	format := f.oneOf("o", "text", "json", "ndjson", "prometheus")
	workers := f.Int("workers", 0, "")
	failOn := f.failOn(failOnUnmatched, failOnChanges)
	inOrder := f.Bool("in-order", false, "")
	by, partial, times := f.ways(), f.Bool("partial", false, ""), f.Bool("times", false, "")
	samples, base := f.Int("samples", 0, ""), f.String("base", "", "")
	from := f.sources()
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if *partial && *format != "json" {
		return 0, badInput("replay: a partial summary is for preadmit replay merge; write -partial -o json")
	}
	if len(args) > 0 && args[0] == "merge" {
		return a.mergeReplays(args[1:], *format, *partial)
	}
	if len(args) == 0 && from.list == "" || len(*parts.policies) == 0 {
		return 0, badInput("replay needs policies (-p FILE) and a file of captured requests, - for the standard input, or -files-from with a list of files")
	}
	in, err := a.input(nil, parts)
	if err != nil {
		return 0, err
	}
	settings.apply(&in.Scenario)
	if args, err = a.captures(args, from); err != nil {
		return 0, err
	}
	if settings.kubernetes == "all" {
		if *inOrder || *partial || *times || len(*by) > 0 || *samples > 0 || *format != "text" && *format != "json" {
			return 0, badInput("replay: -kubernetes all compares answers; it has -o text and -o json, and not -in-order, -partial, -times, -by or -samples")
		}
		return a.replayReleases(in, a.records(args, from), *format, *failOn)
	}
	if *failOn == failOnChanges {
		return 0, badInput("replay: -fail-on changes needs -kubernetes all")
	}
	from.named = *partial
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt)
	defer stop()
	options := replay.Options{Workers: *workers, InOrder: *inOrder, By: *by, Partial: *partial, Times: *times, Samples: *samples, Progress: a.progress()}
	rows := bufio.NewWriter(a.stdout)
	if *format == "ndjson" {
		options.Each = writeRows(rows)
	}
	summary, failure := replay.Run(ctx, in.Scenario, a.records(args, from), options)
	if err := rows.Flush(); err != nil {
		return 0, err
	}
	if summary == nil {
		return 0, failure
	}
	in.place(summary.Diagnostics)
	linkSamples(summary, in.Scenario, *base)
	if err := a.printSummary(in, summary, *format); err != nil {
		return 0, err
	}
	code := summary.ExitCode()
	if code == exitOK && *failOn == failOnUnmatched && len(summary.Unmatched()) > 0 {
		code = exitDenied
	}
	return code, failure
}

// ways is the flag that names what requests are counted by.
func (f flags) ways() *[]string {
	var by []string
	f.choices["by"] = replay.Ways()
	f.Func("by", "", func(value string) error {
		for name := range strings.SplitSeq(value, ",") {
			if !slices.Contains(replay.Ways(), name) {
				return fmt.Errorf("it must be some of %s, with commas between them", strings.Join(replay.Ways(), ", "))
			}
			by = append(by, name)
		}
		return nil
	})
	return &by
}

// mergeReplays adds up partial summaries.
func (a *app) mergeReplays(files []string, format string, partial bool) (int, error) {
	if format == "prometheus" {
		return 0, badInput("replay merge: partial summaries have no metrics; -o is text or json")
	}
	if len(files) == 0 {
		return 0, badInput("replay merge needs the files that preadmit replay -partial -o json has written")
	}
	var parts []*replay.Summary
	for _, name := range files {
		raw, err := a.read(name)
		if err != nil {
			return 0, err
		}
		var part replay.Summary
		if err := json.Unmarshal(raw, &part); err != nil {
			return 0, badInput("%s is no summary of preadmit replay: %v", displayName(name), err)
		}
		parts = append(parts, &part)
	}
	merge := replay.Merge
	if partial {
		merge = replay.MergePartial
	}
	merged, err := merge(parts...)
	if err != nil {
		return 0, badInput("replay merge: %v", err)
	}
	return merged.ExitCode(), a.printSummary(&input{}, merged, format)
}

// linkSamples gives each sample the link that opens it. What no link can carry has none;
// the place of the record is there in any case.
func linkSamples(s *replay.Summary, in scenario.Scenario, base string) {
	for _, kind := range s.Samples {
		for i := range kind.Requests {
			sample := &kind.Requests[i]
			with := sample.Scenario(in)
			with.Title = strings.TrimSpace(kind.Policy + kind.Webhook + " " + kind.What)
			if link, err := scenario.EncodeLink(with); err == nil {
				sample.Link = strings.TrimSuffix(base, "#") + link
			}
		}
	}
}

// progress writes how far it is to the standard error, if that is a terminal.
func (a *app) progress() func(int) {
	s, ok := a.stderr.(*screen)
	if !ok || s.terminal == nil {
		return nil
	}
	return func(done int) { fmt.Fprintf(s.terminal, "\r%d requests", done) }
}

// writeRows writes a row for each record, one JSON document a line.
func writeRows(w io.Writer) func(replay.Record, *report.Report) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(record replay.Record, r *report.Report) error { return out.Encode(table.Of(record, r)) }
}
