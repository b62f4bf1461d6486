package cli

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/text"
)

// replay runs captured requests through policies.
func (a *app) replay(args []string) (int, error) {
	f := newFlags("replay")
	parts := &parts{policies: f.list("p"), cluster: f.list("c"), request: new(string)}
	settings := f.settings(false)
	format := f.oneOf("o", "text", "json", "prometheus")
	workers := f.Int("workers", 0, "")
	inOrder := f.Bool("in-order", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 || len(*parts.policies) == 0 {
		return 0, badInput("replay needs policies (-p FILE) and a file of captured requests, or - for the standard input")
	}
	in, err := a.input(nil, parts)
	if err != nil {
		return 0, err
	}
	settings.apply(&in.Scenario)
	var problem error
	records := a.records(args, &problem)
	summary, err := replay.Run(a.ctx, in.Scenario, records, replay.Options{Workers: *workers, InOrder: *inOrder, Progress: a.progress()})
	if problem != nil {
		return 0, problem
	}
	if err != nil {
		return 0, err
	}
	in.place(summary.Diagnostics)
	return replayCode(summary), a.printSummary(in, summary, *format)
}

func replayCode(s *replay.Summary) int {
	refused := slices.ContainsFunc(s.Install, func(i report.Install) bool { return i.Code != 0 })
	switch {
	case refused || diag.HasErrors(s.Diagnostics) || len(s.Bad) > 0 || s.Replayed == 0:
		return exitInput
	case s.Denied > 0:
		return exitDenied
	}
	return exitOK
}

// records reads the captures one after the other. A file that cannot be read
// ends the replay; problem then says why.
func (a *app) records(files []string, problem *error) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		for _, name := range files {
			var r io.Reader = a.stdin
			if name != "-" {
				f, err := os.Open(name)
				if err != nil {
					*problem = unreadable(err)
					yield(replay.Record{}, *problem)
					return
				}
				defer f.Close()
				r = f
			}
			for record, err := range replay.Read(r) {
				if err != nil {
					*problem = badInput("%s: %v", displayName(name), err)
					err = *problem
				}
				if !yield(record, err) {
					return
				}
			}
		}
	}
}

// progress writes how far it is to the standard error, if that is a terminal.
func (a *app) progress() func(int) {
	f, ok := a.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func(done int) { fmt.Fprintf(f, "\r%d requests", done) }
}

func (a *app) printSummary(in *input, s *replay.Summary, format string) error {
	switch format {
	case "json":
		return writeJSON(a.stdout, s)
	case "prometheus":
		return s.Prometheus(a.stdout)
	}
	p := a.printer(a.stdout)
	p.Sources = in.sources
	return p.Replay(a.stdout, replayTable(s), s.Install, s.Diagnostics)
}

// replayTable puts a summary into the sections and rows that are printed.
func replayTable(s *replay.Summary) []text.Section {
	head := text.Section{Title: fmt.Sprintf("Kubernetes %s: %d of %d records replayed: %d admitted (%d mutated), %d denied, %d warned", s.Kubernetes, s.Replayed, s.Records, s.Admitted, s.Mutated, s.Denied, s.Warned)}
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		head.Rows = append(head.Rows, []string{"skipped", fmt.Sprint(s.Skipped[reason]), reason})
	}
	for _, note := range slices.Sorted(maps.Keys(s.Notes)) {
		head.Rows = append(head.Rows, []string{"in part", fmt.Sprint(s.Notes[note]), note})
	}
	for _, b := range s.Bad {
		head.Rows = append(head.Rows, []string{"unreadable", fmt.Sprintf("line %d", b.Line), b.Problem})
	}
	sections := []text.Section{head}
	policies := text.Section{Title: "Policies and webhooks", Header: []string{"NAME", "MATCHED", "EXCLUDED", "NOT MATCHED", "DENIED", "WARNED", "AUDITED", "MUTATED", "ERRORS", "COST MIN", "MEDIAN", "MAX"}}
	expressions := text.Section{Title: "Expressions", Header: []string{"NAME", "EXPRESSION", "RUNS", "TRUE", "FALSE", "ERRORS", "COST MIN", "MEDIAN", "MAX"}}
	for _, p := range s.Policies {
		name := policyName(p)
		policies.Rows = append(policies.Rows, append([]string{name}, numbers(p.Matched, p.Excluded, p.NotMatched, p.Denied, p.Warned, p.Audited, p.Mutated, p.Errors, int(p.Cost.Min), int(p.Cost.Median), int(p.Cost.Max))...))
		for _, x := range p.Expressions {
			expressions.Rows = append(expressions.Rows, append([]string{name, x.Kind + " " + x.Name}, numbers(x.Runs, x.True, x.False, x.Errors, int(x.Cost.Min), int(x.Cost.Median), int(x.Cost.Max))...))
		}
	}
	denials := text.Section{Title: "Denials", Header: []string{"COUNT", "FIRST AT", "MESSAGE"}}
	for _, d := range s.Denials {
		denials.Rows = append(denials.Rows, []string{fmt.Sprint(d.Count), fmt.Sprintf("line %d", d.Line), d.Message})
	}
	errors := text.Section{Title: "Errors", Header: []string{"NAME", "EXPRESSION", "LAST ERROR"}}
	for _, p := range s.Policies {
		for _, x := range p.Expressions {
			if x.LastError != "" {
				errors.Rows = append(errors.Rows, []string{policyName(p), x.Kind + " " + x.Name, x.LastError})
			}
		}
	}
	for _, section := range []text.Section{policies, expressions, denials, errors} {
		if len(section.Rows) > 0 {
			sections = append(sections, section)
		}
	}
	return sections
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
