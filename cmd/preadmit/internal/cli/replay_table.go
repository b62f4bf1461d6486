package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/render/text"
)

func (a *app) printSummary(in *input, s *replay.Summary, format string) error {
	switch format {
	case "json":
		return writeJSON(a.stdout, s)
	case "prometheus":
		return s.Prometheus(a.stdout)
	case "ndjson":
		// The rows are on standard output; the summary goes to standard error.
		p := a.printer(a.stderr)
		p.Sources = in.sources
		return p.Replay(a.stderr, []text.Section{headline(s)}, s.Install, s.Diagnostics)
	}
	p := a.printer(a.stdout)
	p.Sources = in.sources
	return p.Replay(a.stdout, replayTable(s), s.Install, s.Diagnostics)
}

// replayTable arranges a summary in sections and rows.
func replayTable(s *replay.Summary) []text.Section {
	head := headline(s)
	sections := []text.Section{head}
	policies := text.Section{Title: "Policies and webhooks", Header: []string{"NAME", "MATCHED", "EXCLUDED", "NOT MATCHED", "DENIED", "WARNED", "AUDITED", "MUTATED", "ERRORS", "COST MIN", "MEDIAN", "P99", "MAX", "OF BUDGET"}}
	expressions := text.Section{Title: "Expressions", Header: []string{"NAME", "EXPRESSION", "RUNS", "TRUE", "FALSE", "ERRORS", "COST MIN", "MEDIAN", "P99", "MAX"}}
	if s.Times {
		policies.Title += ", with times measured on this machine, not on an API server"
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
	errors := text.Section{Title: "Errors", Header: []string{"NAME", "EXPRESSION", "AN ERROR"}}
	for _, p := range s.Policies {
		for _, x := range p.Expressions {
			if x.Error != "" {
				errors.Rows = append(errors.Rows, []string{policyName(p), x.Kind + " " + x.Name, x.Error})
			}
		}
	}
	for _, section := range []text.Section{policies, unmatchedTable(s), groupTable(s), expressions, denials, errors, sampleTable(s)} {
		if len(section.Rows) > 0 {
			sections = append(sections, section)
		}
	}
	return sections
}

func costs(d replay.Distribution) []string {
	return numbers(int(d.Min), int(d.Median), int(d.P99), int(d.Max))
}

// times is empty if times were not measured, with dashes for what never ran.
func times(s *replay.Summary, d *replay.Distribution) []string {
	switch {
	case !s.Times:
		return nil
	case d == nil:
		return []string{"-", "-"}
	}
	return []string{time.Duration(d.Median).String(), time.Duration(d.P99).String()}
}

// headline says how many records there were and how many could not be read.
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

// replayed says how many records were replayed, and that all were accounted for.
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

// unmatchedTable lists the policies that never ran, with their reasons.
func unmatchedTable(s *replay.Summary) text.Section {
	table := text.Section{Title: "Never ran", Header: []string{"NAME", "COUNT", "REASON"}}
	for _, p := range s.Unmatched() {
		for _, r := range p.Reasons {
			table.Rows = append(table.Rows, []string{policyName(p), fmt.Sprint(r.Count), r.Reason})
		}
	}
	return table
}

// shownGroups limits the printed groups.
const shownGroups = 50

// groupTable counts the requests by --by's group.
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

// sampleTable lists the samples, with links if there is a page to open them.
func sampleTable(s *replay.Summary) text.Section {
	table := text.Section{Title: "Samples", Header: []string{"NAME", "WHAT", "AT", "REQUEST", "USER", "LINK"}}
	links := false
	for _, kind := range s.Samples {
		name := policyName(&replay.Policy{Policy: kind.Policy, Binding: kind.Binding, Webhook: kind.Webhook})
		for _, sample := range kind.Requests {
			object := strings.TrimPrefix(sample.Namespace+"/"+cmp.Or(sample.Name, "-"), "/")
			row := []string{cmp.Or(name, "-"), kind.What, sample.Place(), sample.Operation + " " + sample.Resource + " " + object, cmp.Or(sample.User, "-")}
			if !strings.HasPrefix(sample.Link, "#") && sample.Link != "" {
				links, row = true, append(row, sample.Link)
			}
			table.Rows = append(table.Rows, row)
		}
	}
	if !links {
		table.Header = table.Header[:5]
	}
	return table
}

// budgetShare returns the largest share of a cost limit that a request used.
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
