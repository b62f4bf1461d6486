// Package graph writes a report's graphs as text for other programs: DOT for Graphviz, and Mermaid
// for Markdown.
package graph

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// DOT writes a graph in Graphviz's language. Cycles are red, failing open is dashed, and uncertain
// edges are dotted.
func DOT(name string, g *report.Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR\n  node [shape=box]\n", dotText(name))
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  %s [label=%s%s]\n", dotText(n.ID), dotText(n.Label), dotNode(n))
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s]\n", dotText(e.From), dotText(e.To), dotText(words(e, "\n")), dotEdge(e))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func dotNode(n report.GraphNode) string {
	var out string
	if n.Kind == "pods" || n.Kind == "field" || n.Kind == "component" {
		out += ", style=rounded"
	}
	if n.Cycle {
		out += ", color=red"
	}
	return out
}

func dotEdge(e report.GraphEdge) string {
	var out string
	switch {
	case e.Unsure:
		out += ", style=dotted"
	case e.Open:
		out += ", style=dashed"
	}
	if e.Cycle {
		out += ", color=red"
	}
	return out
}

// words returns an edge's label, with lines joined.
func words(e report.GraphEdge, join string) string {
	text := e.Kind
	if e.Label != "" {
		text += ": " + strings.ReplaceAll(e.Label, "\n", join)
	}
	if e.Open {
		text += " (fails open)"
	}
	if e.Unsure {
		text += " (perhaps)"
	}
	return text
}

// Mermaid writes a graph as a Mermaid flowchart. Cycles are red; failing open and uncertain edges
// are dotted.
func Mermaid(g *report.Graph) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	ids := map[string]string{}
	var cycle []string
	for i, n := range g.Nodes {
		id := fmt.Sprintf("n%d", i)
		ids[n.ID] = id
		left, right := `["`, `"]`
		if n.Kind == "pods" || n.Kind == "field" || n.Kind == "component" {
			left, right = `("`, `")`
		}
		fmt.Fprintf(&b, "  %s%s%s%s\n", id, left, mermaidText(n.Label), right)
		if n.Cycle {
			cycle = append(cycle, id)
		}
	}
	var red []string
	for i, e := range g.Edges {
		arrow := "-->"
		if e.Open || e.Unsure {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  %s %s|\"%s\"| %s\n", ids[e.From], arrow, mermaidText(words(e, "<br>")), ids[e.To])
		if e.Cycle {
			red = append(red, fmt.Sprint(i))
		}
	}
	if len(cycle) > 0 {
		fmt.Fprintf(&b, "  classDef cycle stroke:#c00,stroke-width:2px\n  class %s cycle\n", strings.Join(cycle, ","))
	}
	if len(red) > 0 {
		fmt.Fprintf(&b, "  linkStyle %s stroke:#c00\n", strings.Join(red, ","))
	}
	return b.String()
}

// mermaidText quotes a text for Mermaid, which reads entities in quotes.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<br>", "<br>", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(s)
}
