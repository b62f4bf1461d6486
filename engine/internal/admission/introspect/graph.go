package introspect

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
)

// maxPolicies bounds the work: each policy is compared with each other one.
const maxPolicies = 150

// Graph is who reads and who writes what among mutating policies; nil when there is
// none. An edge of kind before leads from a policy to one that reads what it
// writes, one of kind conflicts joins two that write one field.
func Graph(policies []*mutate.Policy) *report.Graph {
	if len(policies) == 0 || len(policies) > maxPolicies {
		return nil
	}
	g := &report.Graph{Nodes: []report.GraphNode{}, Edges: []report.GraphEdge{}}
	uses := make([]use, len(policies))
	for i, p := range policies {
		uses[i] = of(p)
		n := report.GraphNode{ID: "policy/" + p.Name, Kind: "policy", Label: p.Name}
		if p.Document != nil {
			n.Text, n.Span = p.Document.Text, p.Document.Locate("metadata.name")
		}
		g.Nodes = append(g.Nodes, n)
	}
	for i, u := range uses {
		id := g.Nodes[i].ID
		for _, p := range u.reads {
			g.Edges = append(g.Edges, report.GraphEdge{From: field(g, p), To: id, Kind: "reads"})
		}
		for _, p := range u.writes {
			g.Edges = append(g.Edges, report.GraphEdge{From: id, To: field(g, p), Kind: "writes"})
		}
	}
	before := make([][]bool, len(policies))
	for i := range uses {
		before[i] = make([]bool, len(policies))
		for j := range uses {
			if i == j {
				continue
			}
			if shared := shared(uses[i].writes, uses[j].reads); len(shared) > 0 {
				before[i][j] = true
				g.Edges = append(g.Edges, report.GraphEdge{From: g.Nodes[i].ID, To: g.Nodes[j].ID, Kind: "before", Label: strings.Join(shared, "\n")})
			}
			if shared := shared(uses[i].writes, uses[j].writes); j > i && len(shared) > 0 {
				g.Edges = append(g.Edges, report.GraphEdge{From: g.Nodes[i].ID, To: g.Nodes[j].ID, Kind: "conflicts", Label: strings.Join(shared, "\n")})
			}
		}
	}
	for _, i := range order(before) {
		g.Order = append(g.Order, policies[i].Name)
	}
	markCycles(g, before)
	return g
}

// field is the node of a field.
func field(g *report.Graph, p path) string {
	n := report.GraphNode{ID: "field/" + p.String(), Kind: "field", Label: p.String()}
	if !slices.ContainsFunc(g.Nodes, func(o report.GraphNode) bool { return o.ID == n.ID }) {
		g.Nodes = append(g.Nodes, n)
	}
	return n.ID
}

// of is what a policy reads and writes, its conditions and variables included.
func of(p *mutate.Policy) use {
	w := &walker{variables: map[string]*eval.Compiled{}, seen: map[string]bool{}}
	for _, v := range p.Compiler.Variables {
		w.variables[v.Name] = v.Compiled
	}
	for _, c := range p.Conditions {
		w.expression(c.Compiled)
	}
	for _, c := range p.Mutations() {
		w.expression(c)
	}
	return w.use
}

// shared are the fields that two lists have in common, by the longer path.
func shared(a, b []path) []string {
	var out []string
	for _, x := range a {
		for _, y := range b {
			if !x.meets(y) || len(x) == 0 || len(y) == 0 {
				continue
			}
			name := x.String()
			if len(y) > len(x) {
				name = y.String()
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// order puts policies behind those whose fields they read, as far as that goes: in
// a circle, the one that waits for the fewest comes first.
func order(before [][]bool) []int {
	var out []int
	done := make([]bool, len(before))
	for range before {
		best, fewest := -1, 0
		for j := range before {
			if done[j] {
				continue
			}
			waits := 0
			for i := range before {
				if !done[i] && before[i][j] {
					waits++
				}
			}
			if best < 0 || waits < fewest {
				best, fewest = j, waits
			}
		}
		done[best] = true
		out = append(out, best)
	}
	return out
}

// markCycles marks policies that wait for themselves over others.
func markCycles(g *report.Graph, before [][]bool) {
	n := len(before)
	reaches := make([][]bool, n)
	for i := range before {
		reaches[i] = slices.Clone(before[i])
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
			}
		}
	}
	index := map[string]int{}
	for i := range n {
		g.Nodes[i].Cycle = reaches[i][i]
		index[g.Nodes[i].ID] = i
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		if e.Kind == "before" {
			e.Cycle = reaches[index[e.To]][index[e.From]]
		}
	}
}
