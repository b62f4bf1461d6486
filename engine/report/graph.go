package report

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
)

// Graph is a directed graph of dependencies.
type Graph struct {
	Nodes []GraphNode `json:"nodes"` // in a stable order
	Edges []GraphEdge `json:"edges"` // in a stable order
	// Order lists mutating policies in an order in which the fewest read a field that a later one
	// writes. The server's own order is random.
	Order []string `json:"order,omitempty"`
}

// Clone copies a graph; nil stays nil.
func (g *Graph) Clone() *Graph {
	if g == nil {
		return nil
	}
	return &Graph{Nodes: slices.Clone(g.Nodes), Edges: slices.Clone(g.Edges), Order: slices.Clone(g.Order)}
}

// GraphNode is a thing that others depend on.
type GraphNode struct {
	ID string `json:"id"` // unique in the graph
	// Kind is configuration, webhook, service, url or pods in the webhook graph, policy or field in
	// the field graph, and policy or component in the graph of what policies stop.
	Kind  string `json:"kind"`
	Label string `json:"label"` // name for people
	// Cycle says that the node is part of a cycle.
	Cycle bool `json:"cycle,omitempty"`
	// Text and Span are its place, if a text has it.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
}

// GraphEdge is an edge of the graph: From needs or affects To.
type GraphEdge struct {
	From string `json:"from"` // an ID
	To   string `json:"to"`   // an ID
	// Kind is has, calls, selects or intercepts in the webhook graph. In the field graph it is
	// reads, writes, before (To reads what From writes) or conflicts (both write the same field).
	// In the graph of what policies stop it is stops.
	Kind  string `json:"kind"`
	Label string `json:"label,omitempty"` // what passes along it
	// Open says that a failing webhook admits the request.
	Open bool `json:"open,omitempty"`
	// Unsure says that the edge depends on unknown labels.
	Unsure bool `json:"unsure,omitempty"`
	// Cycle says that the edge is part of a cycle.
	Cycle bool `json:"cycle,omitempty"`
}
