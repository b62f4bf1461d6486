package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/analysis/uncompress"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/text"
)

// replay runs captured requests through policies.
func (a *app) replay(args []string) (int, error) {
	f := newFlags("replay")
	parts := &parts{policies: f.list("p"), cluster: f.list("c"), request: new(string)}
	settings := f.settings(false)
	format := f.oneOf("o", "text", "json", "ndjson", "prometheus")
	workers := f.Int("workers", 0, "")
	failOn := f.failOn(failOnUnmatched)
	inOrder := f.Bool("in-order", false, "")
	by, partial, times := f.ways(), f.Bool("partial", false, ""), f.Bool("times", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(args) > 0 && args[0] == "merge" {
		return a.mergeReplays(args[1:], *format)
	}
	if *partial && *format != "json" {
		return 0, badInput("replay: a partial summary is for preadmit replay merge; write -partial -o json")
	}
	if len(args) == 0 || len(*parts.policies) == 0 {
		return 0, badInput("replay needs policies (-p FILE) and a file of captured requests, or - for the standard input")
	}
	in, err := a.input(nil, parts)
	if err != nil {
		return 0, err
	}
	settings.apply(&in.Scenario)
	if args, err = captures(args); err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt)
	defer stop()
	options := replay.Options{Workers: *workers, InOrder: *inOrder, By: *by, Partial: *partial, Times: *times, Progress: a.progress()}
	rows := bufio.NewWriter(a.stdout)
	if *format == "ndjson" {
		options.Each = writeRows(rows)
	}
	summary, failure := replay.Run(ctx, in.Scenario, a.records(args), options)
	if err := rows.Flush(); err != nil {
		return 0, err
	}
	if summary == nil {
		return 0, failure
	}
	in.place(summary.Diagnostics)
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

// captures replaces folders by the files below them, in the order of their paths.
func captures(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if !isDir(name) {
			out = append(out, name)
			continue
		}
		before := len(out)
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, unreadable(err)
		}
		if len(out) == before {
			return nil, badInput("%s: there is no file in the folder", name)
		}
	}
	return out, nil
}

// mergeReplays adds up partial summaries.
func (a *app) mergeReplays(files []string, format string) (int, error) {
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
	merged, err := replay.Merge(parts...)
	if err != nil {
		return 0, badInput("replay merge: %v", err)
	}
	return merged.ExitCode(), a.printSummary(&input{}, merged, format)
}

// records reads the captures one after the other. What cannot be read of a file
// is an error among the records; reading goes on with the next file.
func (a *app) records(files []string) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		for _, name := range files {
			if !a.capture(name, len(files) > 1, yield) {
				return
			}
		}
	}
}

// capture reads one file; named says that its records bear its name. It is false
// when there are enough records.
func (a *app) capture(name string, named bool, yield func(replay.Record, error) bool) bool {
	r := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return yield(replay.Record{}, fmt.Errorf("nothing was read: %w", err))
		}
		defer f.Close()
		r = f
	}
	r, err := uncompress.Reader(r)
	if err != nil {
		return yield(replay.Record{}, fmt.Errorf("nothing was read: %s: %w", displayName(name), err))
	}
	for record, err := range replay.Read(r) {
		if named {
			record.File = displayName(name)
		}
		if err != nil {
			err = fmt.Errorf("%s was read up to line %d: %w", displayName(name), record.Line, err)
		}
		if !yield(record, err) {
			return false
		}
	}
	return true
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

func (a *app) printSummary(in *input, s *replay.Summary, format string) error {
	switch format {
	case "json":
		return writeJSON(a.stdout, s)
	case "prometheus":
		return s.Prometheus(a.stdout)
	case "ndjson":
		// The rows are out already; what there is to say of all goes beside them.
		p := a.printer(a.stderr)
		p.Sources = in.sources
		return p.Replay(a.stderr, []text.Section{headline(s)}, s.Install, s.Diagnostics)
	}
	p := a.printer(a.stdout)
	p.Sources = in.sources
	return p.Replay(a.stdout, replayTable(s), s.Install, s.Diagnostics)
}

// replayTable puts a summary into the sections and rows that are printed.
func replayTable(s *replay.Summary) []text.Section {
	head := headline(s)
	sections := []text.Section{head}
	policies := text.Section{Title: "Policies and webhooks", Header: []string{"NAME", "MATCHED", "EXCLUDED", "NOT MATCHED", "DENIED", "WARNED", "AUDITED", "MUTATED", "ERRORS", "COST MIN", "MEDIAN", "P99", "MAX", "OF BUDGET"}}
	expressions := text.Section{Title: "Expressions", Header: []string{"NAME", "EXPRESSION", "RUNS", "TRUE", "FALSE", "ERRORS", "COST MIN", "MEDIAN", "P99", "MAX"}}
	if s.Times {
		policies.Title += ", with times of this machine, not of an API server"
		policies.Header = append(policies.Header, "TIME MEDIAN", "P99")
		expressions.Header = append(expressions.Header, "TIME MEDIAN", "P99")
	}
	for _, p := range s.Policies {
		name := policyName(p)
		row := append([]string{name}, numbers(p.Matched, p.Excluded, p.NotMatched, p.Denied, p.Warned, p.Audited, p.Mutated, p.Errors)...)
		row = append(append(row, costs(p.Cost)...), budgetShare(p.Budget))
		policies.Rows = append(policies.Rows, append(row, times(s, p.Time)...))
		for _, x := range p.Expressions {
			row := append([]string{name, x.Kind + " " + x.Name}, numbers(x.Runs, x.True, x.False, x.Errors)...)
			expressions.Rows = append(expressions.Rows, append(append(row, costs(x.Cost)...), times(s, x.Time)...))
		}
	}
	denials := text.Section{Title: "Denials", Header: []string{"COUNT", "FIRST AT", "MESSAGE"}}
	for _, d := range s.Denials {
		denials.Rows = append(denials.Rows, []string{fmt.Sprint(d.Count), d.Place(), d.Message})
	}
	errors := text.Section{Title: "Errors", Header: []string{"NAME", "EXPRESSION", "LAST ERROR"}}
	for _, p := range s.Policies {
		for _, x := range p.Expressions {
			if x.LastError != "" {
				errors.Rows = append(errors.Rows, []string{policyName(p), x.Kind + " " + x.Name, x.LastError})
			}
		}
	}
	for _, section := range []text.Section{policies, unmatchedTable(s), groupTable(s), expressions, denials, errors} {
		if len(section.Rows) > 0 {
			sections = append(sections, section)
		}
	}
	return sections
}

func costs(d replay.Distribution) []string {
	return numbers(int(d.Min), int(d.Median), int(d.P99), int(d.Max))
}

// times has nothing where times were not measured, and dashes for what never ran.
func times(s *replay.Summary, d *replay.Distribution) []string {
	switch {
	case !s.Times:
		return nil
	case d == nil:
		return []string{"-", "-"}
	}
	return []string{time.Duration(d.Median).String(), time.Duration(d.P99).String()}
}

// headline says how many records there were, and what could not be read.
func headline(s *replay.Summary) text.Section {
	head := text.Section{Title: fmt.Sprintf("Kubernetes %s: %s: %d admitted (%d mutated), %d denied, %d warned", s.Kubernetes, replayed(s), s.Admitted, s.Mutated, s.Denied, s.Warned)}
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		head.Rows = append(head.Rows, []string{"skipped", fmt.Sprint(s.Skipped[reason]), reason})
	}
	for _, note := range slices.Sorted(maps.Keys(s.Notes)) {
		head.Rows = append(head.Rows, []string{"in part", fmt.Sprint(s.Notes[note]), note})
	}
	for _, b := range s.Bad {
		head.Rows = append(head.Rows, []string{"unreadable", b.Place(), b.Problem})
	}
	if more := s.Unreadable - len(s.Bad); more > 0 {
		head.Rows = append(head.Rows, []string{"unreadable", fmt.Sprint(more), "more records"})
	}
	for _, part := range s.MissingParts {
		head.Rows = append(head.Rows, []string{"missing", "", part})
	}
	if more := s.Missing - len(s.MissingParts); more > 0 {
		head.Rows = append(head.Rows, []string{"missing", fmt.Sprint(more), "more parts of the capture"})
	}
	return head
}

// replayed says how many of the records were replayed, and that all were accounted
// for.
func replayed(s *replay.Summary) string {
	text := fmt.Sprintf("%d of %d records replayed", s.Replayed, s.Records)
	if s.Unreadable > 0 {
		text += fmt.Sprintf(" (%d unreadable)", s.Unreadable)
	}
	if s.Missing > 0 {
		text += ", not all of the capture"
	}
	return text
}

// unmatchedTable has the policies that never had a say, and each reason for it.
func unmatchedTable(s *replay.Summary) text.Section {
	table := text.Section{Title: "Never ran", Header: []string{"NAME", "COUNT", "REASON"}}
	for _, p := range s.Unmatched() {
		for _, r := range p.Reasons {
			table.Rows = append(table.Rows, []string{policyName(p), fmt.Sprint(r.Count), r.Reason})
		}
	}
	return table
}

// shownGroups is how many groups are printed.
const shownGroups = 50

// groupTable has the requests by what -by names.
func groupTable(s *replay.Summary) text.Section {
	table := text.Section{Title: "By " + strings.Join(s.By, " and ")}
	for _, name := range s.By {
		table.Header = append(table.Header, strings.ToUpper(name))
	}
	table.Header = append(table.Header, "REQUESTS", "ADMITTED", "MUTATED", "DENIED", "WARNED")
	for _, g := range s.Groups[:min(len(s.Groups), shownGroups)] {
		row := slices.Clone(g.Keys)
		for i, key := range row {
			row[i] = cmp.Or(key, "-")
			if g.Others {
				row[i] = "(others)"
			}
		}
		table.Rows = append(table.Rows, append(row, numbers(g.Replayed, g.Admitted, g.Mutated, g.Denied, g.Warned)...))
	}
	if more := len(s.Groups) - shownGroups; more > 0 {
		table.Title += fmt.Sprintf(", the %d largest groups of %d; -o json has all", shownGroups, len(s.Groups))
	}
	return table
}

// budgetShare is the largest share of a cost limit that a request used.
func budgetShare(s *replay.Share) string {
	switch {
	case s == nil:
		return "-"
	case s.Percent() < 0.1:
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", s.Percent())
}

func policyName(p *replay.Policy) string {
	switch {
	case p.Webhook != "":
		return p.Webhook
	case p.Binding != "" && p.Binding != p.Policy:
		return p.Policy + "/" + p.Binding
	}
	return p.Policy
}

func numbers(list ...int) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = fmt.Sprint(n)
	}
	return out
}
