package graph_test

import (
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/graph"
)

var small = &report.Graph{
	Nodes: []report.GraphNode{{ID: "webhook/a", Kind: "webhook", Label: `a "quoted" <name>`, Cycle: true}, {ID: "pods/a", Kind: "pods", Label: "Pods of a", Cycle: true}, {ID: "url/b", Kind: "url", Label: `https://b\c#d`}},
	Edges: []report.GraphEdge{{From: "webhook/a", To: "pods/a", Kind: "selects", Cycle: true}, {From: "pods/a", To: "webhook/a", Kind: "intercepts", Label: "Pods\nSecrets", Cycle: true}, {From: "webhook/a", To: "url/b", Kind: "calls", Open: true}},
}

// TestDOT: names are quoted, cycles are red, failing open is dashed.
func TestDOT(t *testing.T) {
	const want = `digraph "webhooks" {
  rankdir=LR
  node [shape=box]
  "webhook/a" [label="a \"quoted\" <name>", color=red]
  "pods/a" [label="Pods of a", style=rounded, color=red]
  "url/b" [label="https://b\\c#d"]
  "webhook/a" -> "pods/a" [label="selects", color=red]
  "pods/a" -> "webhook/a" [label="intercepts: Pods\nSecrets", color=red]
  "webhook/a" -> "url/b" [label="calls (fails open)", style=dashed]
}
`
	if got := graph.DOT("webhooks", small); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMermaid: a label can neither end its quotes nor add elements.
func TestMermaid(t *testing.T) {
	const want = `flowchart LR
  n0["a #quot;quoted#quot; #lt;name#gt;"]
  n1("Pods of a")
  n2["https://b\c#35;d"]
  n0 -->|"selects"| n1
  n1 -->|"intercepts: Pods<br>Secrets"| n0
  n0 -.->|"calls (fails open)"| n2
  classDef cycle stroke:#c00,stroke-width:2px
  class n0,n1 cycle
  linkStyle 0,1 stroke:#c00
`
	if got := graph.Mermaid(small); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
