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

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

type replayFlags struct {
	parts                *parts
	settings             *settings
	from                 *sources
	options              replay.Options
	format, failOn, base string
}

func (a *app) replayCommand() *cobra.Command {
	r := &replayFlags{parts: &parts{}}
	c, f := a.newCommand("replay -p FILE REQUESTS...", "Run captured requests or audit events through policies", func(args []string) (int, error) { return a.replay(args, r) })
	f.policies(&r.parts.policies)
	f.cluster(&r.parts.cluster)
	f.output(&r.format, "`FORMAT`:\ntext: tables.\njson: everything.\nndjson: a line for each request as soon as it is evaluated, and the counts on the standard error.\nprometheus: counters with the API server's own metric names", "text", "json", "ndjson", "prometheus")
	f.BoolVar(&r.options.Times, "times", false, "measure conditions and expressions on this machine, one request at a time unless you set --workers; with -o prometheus, the API server's own histograms")
	f.ways(&r.options.By)
	f.count(&r.options.Samples, "samples", "", "`N`: keep this many requests of each kind: admitted, mutated, denied, warned, and of each policy's results. The choice is the same each time. -o json has their texts, and links")
	f.text(&r.base, "base", "", "the page's `URL` in the links of samples")
	r.from = f.sources()
	f.BoolVar(&r.options.Partial, "partial", false, "with -o json, print a summary for replay merge")
	f.count(&r.options.Workers, "workers", "", "evaluate `N` requests at a time, by default one for each processor")
	f.BoolVar(&r.options.InOrder, "in-order", false, "evaluate requests in order, each with the objects that earlier ones stored or deleted")
	f.failOn(&r.failOn, "`WHAT`: also exit with 1: unmatched, when a policy or webhook matched none of the requests; changes, when an answer changes with --kubernetes all", failOnUnmatched, failOnChanges)
	r.settings = f.settings(true)
	c.AddCommand(a.mergeCommand())
	return c
}

func (a *app) mergeCommand() *cobra.Command {
	format, partial := "", false
	c, f := a.newCommand("merge PART...", "Add up partial summaries", func(args []string) (int, error) { return a.mergeReplays(args, format, partial) })
	f.output(&format, "`FORMAT`: text, json", "text", "json")
	f.BoolVar(&partial, "partial", false, "with -o json, print a summary that can be merged again")
	return c
}

const partialNeedsJSON = "replay: a partial summary needs --partial -o json; preadmit replay merge reads it"

// replay evaluates captured requests with policies.
func (a *app) replay(args []string, r *replayFlags) (int, error) {
	from, options := r.from, r.options
	if options.Partial && r.format != "json" {
		return 0, badInput(partialNeedsJSON)
	}
	if len(args) == 0 && from.list == "" || len(r.parts.policies) == 0 {
		return 0, badInput("replay needs policies (-p FILE) and a file of captured requests, - for the standard input, or --files-from with a list of files")
	}
	in, err := a.input(nil, r.parts)
	if err != nil {
		return 0, err
	}
	r.settings.apply(&in.Scenario)
	if args, err = a.captures(args, from); err != nil {
		return 0, err
	}
	if r.settings.kubernetes == "all" {
		if options.InOrder || options.Partial || options.Times || len(options.By) > 0 || options.Samples > 0 || r.format != "text" && r.format != "json" {
			return 0, badInput("replay: --kubernetes all works only with -o text and -o json, and without --in-order, --partial, --times, --by and --samples")
		}
		return a.replayReleases(in, a.records(args, from), r.format, r.failOn)
	}
	if r.failOn == failOnChanges {
		return 0, badInput("replay: --fail-on changes needs --kubernetes all")
	}
	from.named = options.Partial
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt)
	defer stop()
	rows := bufio.NewWriter(a.stdout)
	options.Progress = a.progress()
	if r.format == "ndjson" {
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
	linkSamples(summary, in.Scenario, r.base)
	if err := a.printSummary(in, summary, r.format); err != nil {
		return 0, err
	}
	code := summary.ExitCode()
	if code == exitOK && r.failOn == failOnUnmatched && len(summary.Unmatched()) > 0 {
		code = exitDenied
	}
	return code, failure
}

// ways adds the flag that groups requests.
func (f flags) ways(by *[]string) {
	f.repeated("by", "", "also count the requests by `NAMES`: namespace, user, operation, resource, or several of them (namespace,user)", func(value string) error {
		for name := range strings.SplitSeq(value, ",") {
			if !slices.Contains(replay.Ways(), name) {
				return fmt.Errorf("it must be one or more of %s, separated by commas", strings.Join(replay.Ways(), ", "))
			}
			*by = append(*by, name)
		}
		return nil
	})
	f.complete("by", replay.Ways())
}

func (a *app) mergeReplays(files []string, format string, partial bool) (int, error) {
	if partial && format != "json" {
		return 0, badInput(partialNeedsJSON)
	}
	if len(files) == 0 {
		return 0, badInput("replay merge needs files from preadmit replay --partial -o json")
	}
	var parts []*replay.Summary
	for _, name := range files {
		raw, err := a.read(name)
		if err != nil {
			return 0, err
		}
		var part replay.Summary
		if err := json.Unmarshal(raw, &part); err != nil {
			return 0, badInput("%s is not a preadmit replay summary: %v", displayName(name), err)
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

func linkSamples(s *replay.Summary, in scenario.Scenario, base string) {
	for _, kind := range s.Samples {
		for i := range kind.Requests {
			sample := &kind.Requests[i]
			with := sample.Scenario(in)
			with.Title = strings.TrimSpace(kind.Policy + kind.Webhook + " " + kind.What)
			sample.Link = linkTo(with, base)
		}
	}
}

// linkTo is a link to a scenario of a sample. It is empty for one that is too large, which always has the record's
// place.
func linkTo(s scenario.Scenario, base string) string {
	link, err := scenario.EncodeLink(s)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(base, "#") + link
}

// progress writes the progress to standard error, if that is a terminal.
func (a *app) progress() func(int) {
	s, ok := a.stderr.(*screen)
	if !ok || s.terminal == nil {
		return nil
	}
	return func(done int) { fmt.Fprintf(s.terminal, "\r%d requests", done) }
}

// writeRows writes one line of JSON per record.
func writeRows(w io.Writer) func(replay.Record, *report.Report) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(record replay.Record, r *report.Report) error { return out.Encode(table.Of(record, r)) }
}
