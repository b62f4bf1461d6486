package report

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
)

// Graph is a directed graph of dependencies.
type Graph struct {
	Nodes []GraphNode `json:"nodes"` // in a stable order
	Edges []GraphEdge `json:"edges"` // in a stable order
	// Order has the names of mutating policies, in an order in which the fewest read a
	// field that a later one writes. The server's own order is random.
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
	// Kind is configuration, webhook, service, url or pods in the graph of
	// webhooks, policy or field in that of fields, and policy or component in
	// that of what policies stop.
	Kind  string `json:"kind"`
	Label string `json:"label"` // what it is called
	// Cycle says that the node takes part in a cycle.
	Cycle bool `json:"cycle,omitempty"`
	// Text and Span are its place, when a text has it.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
}

// GraphEdge is an edge of the graph: From needs or affects To.
type GraphEdge struct {
	From string `json:"from"` // an ID
	To   string `json:"to"`   // an ID
	// Kind is has, calls, selects or intercepts in the graph of webhooks. In that of
	// fields it is reads, writes, before (To reads what From writes) or conflicts
	// (both write the same), and in that of what policies stop it is stops.
	Kind  string `json:"kind"`
	Label string `json:"label,omitempty"` // what passes along it
	// Open says that a failure of the webhook admits the request.
	Open bool `json:"open,omitempty"`
	// Unsure says that it depends on unknown labels.
	Unsure bool `json:"unsure,omitempty"`
	// Cycle says that the edge takes part in a cycle.
	Cycle bool `json:"cycle,omitempty"`
}
