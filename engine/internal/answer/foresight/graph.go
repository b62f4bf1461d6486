package foresight

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// addStops adds to the graph what a policy stops: an edge from the policy to each component whose
// requests it denies.
func (f *foresight) addStops(s *subject, list []stoppedRequest) {
	if f.stops == nil {
		f.stops = &report.Graph{Nodes: []report.GraphNode{}, Edges: []report.GraphEdge{}}
	}
	policy := f.node(report.GraphNode{ID: s.document.Kind + "/" + s.document.Name, Kind: "policy", Label: s.document.Name,
		Text: s.document.Text, Span: s.document.Locate("metadata.name")})
	for _, one := range list {
		component := f.node(report.GraphNode{ID: "component/" + one.Component, Kind: "component", Label: one.Component})
		i := slices.IndexFunc(f.stops.Edges, func(e report.GraphEdge) bool { return e.From == policy && e.To == component })
		switch {
		case i < 0:
			f.stops.Edges = append(f.stops.Edges, report.GraphEdge{From: policy, To: component, Kind: "stops", Label: one.What})
		case !slices.Contains(strings.Split(f.stops.Edges[i].Label, "\n"), one.What):
			f.stops.Edges[i].Label += "\n" + one.What
		}
	}
}

// node adds a node to the graph, once, and returns its ID.
func (f *foresight) node(n report.GraphNode) string {
	if !slices.ContainsFunc(f.stops.Nodes, func(o report.GraphNode) bool { return o.ID == n.ID }) {
		f.stops.Nodes = append(f.stops.Nodes, n)
	}
	return n.ID
}
