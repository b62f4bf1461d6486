package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine/report"
)

// graphClass returns an edge's style.
func graphClass(e report.GraphEdge) string {
	class := "graph-line"
	switch {
	case e.Cycle:
		class += " is-cycle"
	case e.Kind == "conflicts":
		class += " is-conflict"
	}
	if e.Open || e.Unsure {
		class += " is-dashed"
	}
	return class
}

// graphSentence describes an edge.
func graphSentence(e drawnEdge) string {
	from, to := e.FromLabel, e.ToLabel
	var out string
	switch e.Kind {
	case "intercepts":
		out = fmt.Sprintf("%s need %s", from, to)
	case "reads":
		return fmt.Sprintf("%s is read by %s", from, to)
	case "before":
		out = fmt.Sprintf("%s reads what %s writes", to, from)
	case "conflicts":
		out = fmt.Sprintf("%s and %s write the same", from, to)
	default:
		out = fmt.Sprintf("%s %s %s", from, e.Kind, to)
	}
	if e.Label != "" {
		out += ": " + e.Label
	}
	if e.Open {
		out += "; a failure admits the request"
	}
	if e.Unsure {
		out += ", perhaps"
	}
	if e.Cycle {
		out += " (part of a cycle)"
	}
	return out
}

// breakable returns a label as HTML that can break after dots and slashes.
func breakable(label string) string {
	return strings.NewReplacer(".", ".<wbr>", "/", "/<wbr>").Replace(templ.EscapeString(label))
}

func hasCycle(g *report.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n report.GraphNode) bool { return n.Cycle })
}

// dependsSummary is the line above the webhook graph.
func dependsSummary(g *report.Graph) string {
	if hasCycle(g) {
		return "Webhook dependencies, with a cycle"
	}
	return "Webhook dependencies"
}

// fieldRow is one mutating policy's use of fields.
type fieldRow struct {
	Policy         report.GraphNode
	Reads, Writes  []string
	Changed        []string // by this request
	Before, Beside []string // policies that read what it writes; that write the same fields
}

// fieldRows returns a graph's policies, in order.
func fieldRows(r *report.Report) []fieldRow {
	g := r.PolicyGraph
	labels := map[string]report.GraphNode{}
	for _, n := range g.Nodes {
		labels[n.ID] = n
	}
	var out []fieldRow
	for _, n := range g.Nodes {
		if n.Kind != "policy" {
			continue
		}
		row := fieldRow{Policy: n, Changed: changedBy(r, n.Label)}
		for _, e := range g.Edges {
			switch {
			case e.Kind == "reads" && e.To == n.ID:
				row.Reads = append(row.Reads, labels[e.From].Label)
			case e.Kind == "writes" && e.From == n.ID:
				row.Writes = append(row.Writes, labels[e.To].Label)
			case e.Kind == "before" && e.From == n.ID:
				row.Before = append(row.Before, labels[e.To].Label)
			case e.Kind == "conflicts" && e.From == n.ID:
				row.Beside = append(row.Beside, labels[e.To].Label)
			case e.Kind == "conflicts" && e.To == n.ID:
				row.Beside = append(row.Beside, labels[e.From].Label)
			}
		}
		out = append(out, row)
	}
	return out
}

// changedBy returns the fields of this request's object that a policy changed.
func changedBy(r *report.Report, policy string) []string {
	var out []string
	for _, s := range r.Steps {
		if s.Policy != policy || s.Kind != "MutatingAdmissionPolicy" {
			continue
		}
		for _, m := range s.Mutations {
			for _, op := range m.Diff {
				if path := fieldPath(op.Path); !slices.Contains(out, path) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// orderWords says which order of mutating policies needs the fewest second passes.
func orderWords(g *report.Graph) string {
	if len(g.Order) < 2 {
		return ""
	}
	return "In the order " + strings.Join(g.Order, ", ") + ", the fewest policies read a field that a later one writes. The server's own order is random."
}
