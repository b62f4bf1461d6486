package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// costOf is an expression's or budget's highest cost, with its place in a file.
type costOf struct {
	growth.Bound
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // from 1
}

// placedCost is a cost bound with its place in a file.
func (set *manifestSet) placedCost(b growth.Bound) costOf {
	cost := costOf{Bound: b}
	if at, ok := set.sources.Place(b.Text, b.Span); ok {
		cost.File, cost.Line = at.File, at.Line
	}
	return cost
}

// costTables writes the expressions' highest costs: one table per range of versions with the same
// costs.
func costTables(list []checkOf) string {
	var b strings.Builder
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && slices.EqualFunc(list[from].Costs, list[to].Costs, sameCost) {
			to++
		}
		costs := slices.DeleteFunc(slices.Clone(list[from].Costs), uselessEstimate)
		if left := len(list[from].Costs) - len(costs); len(costs) > 0 || left > 0 {
			on := ""
			switch {
			case len(list) > 1 && to == from+1:
				on = " on Kubernetes " + list[from].Kubernetes
			case len(list) > 1:
				on = fmt.Sprintf(" on Kubernetes %s to %s", list[from].Kubernetes, list[to-1].Kubernetes)
			}
			if len(costs) > 0 {
				fmt.Fprintf(&b, "Estimated worst case%s: every list, map and string is as long as its schema and a request of 3 MiB allow\n", on)
				costTable(&b, costs)
			}
			if left > 0 {
				fmt.Fprintf(&b, "Not estimated%s: %s whose cost depends on the lengths of lists and texts. preadmit eval --limits measures it.\n", on, report.Plural(left, "expression"))
			}
		}
		from = to
	}
	return b.String()
}

func sameCost(a, b costOf) bool {
	a.Bound.Span, b.Bound.Span = diag.Span{}, diag.Span{}
	return a == b
}

// uselessEstimate reports whether an estimate says nothing: it multiplies lengths that rarely fit into one
// request, and is above the limit. For definitions the server uses it and rejects them.
func uselessEstimate(c costOf) bool {
	return !strings.HasPrefix(c.Document, "CustomResourceDefinition/") && (c.Max < 0 || c.Max > c.Limit)
}

func costTable(b *strings.Builder, costs []costOf) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EXPRESSION\tAT MOST\tLIMIT\tSHARE\tFOR")
	files := map[string][]string{} // by document name
	for _, c := range costs {
		if !slices.Contains(files[c.Document], c.File) {
			files[c.Document] = append(files[c.Document], c.File)
		}
	}
	heading := ""
	for _, c := range costs {
		head := c.Document
		if len(files[head]) > 1 {
			head += " in " + c.File
		}
		if head != heading {
			heading = head
			fmt.Fprintf(w, "%s\t\t\t\t\n", heading)
		}
		name := strings.TrimPrefix(strings.TrimSuffix(c.Path, ".expression"), "spec.")
		name = strings.TrimSuffix(strings.NewReplacer("schema.openAPIV3Schema", "schema", ".x-kubernetes-validations", ".rules").Replace(name), ".rule")
		if c.Name != "" {
			name = "variables." + c.Name
		}
		if c.Scope != report.CallScope {
			name += ", together"
		}
		most, share := "no bound", "may exceed it"
		if c.Max >= 0 {
			most, share = report.Number(c.Max), shareOf(c.Max, c.Limit)
		}
		kind := c.Kind
		if kind == "" {
			kind = "any object"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", name, most, report.Number(c.Limit), share, kind)
	}
	_ = w.Flush() // into memory
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// shareOf formats a share of a limit for people.
func shareOf(most, limit int64) string {
	share := 100 * float64(most) / float64(limit)
	switch {
	case share > 100_000:
		return "over 1,000 times"
	case share > 100:
		return fmt.Sprintf("%.1f times", share/100)
	case share < 0.1:
		return "under 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", share)
}
