package html

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestDrawGraph: nodes do not overlap and lie inside the picture, every edge is drawn, and back
// edges pass below all nodes. Graphs are drawn top to bottom; wide ones left to right.
func TestDrawGraph(t *testing.T) {
	g := &report.Graph{
		Nodes: []report.GraphNode{
			{ID: "c", Kind: "configuration"}, {ID: "w1", Kind: "webhook"}, {ID: "w2", Kind: "webhook"},
			{ID: "s", Kind: "service"}, {ID: "u", Kind: "url"}, {ID: "p", Kind: "pods"},
		},
		Edges: []report.GraphEdge{
			{From: "c", To: "w2", Kind: "has"}, {From: "c", To: "w1", Kind: "has"}, {From: "w1", To: "s", Kind: "calls"}, {From: "w2", To: "u", Kind: "calls"},
			{From: "s", To: "p", Kind: "selects"}, {From: "p", To: "w1", Kind: "intercepts", Label: "its Pods", Cycle: true}, {From: "p", To: "w2", Kind: "intercepts"},
			{From: "p", To: "nobody", Kind: "intercepts"},
		},
	}
	for _, upright := range []bool{true, false} {
		if !upright {
			g.Nodes = append(g.Nodes, report.GraphNode{ID: "w3", Kind: "webhook"}, report.GraphNode{ID: "w4", Kind: "webhook"})
		}
		d := drawGraph(g)
		checkDrawn(t, d)
		if got := d.Box == uprightBox; got != upright {
			t.Errorf("drawn upright: %v, want %v", got, upright)
		}
		if len(d.Edges) != 7 {
			t.Fatalf("%d edges are drawn, want 7: the one to a node that is not there is left out", len(d.Edges))
		}
		if got := graphSentence(d.Edges[5]); !strings.Contains(got, "(part of a cycle)") || !strings.Contains(graphClass(d.Edges[5].GraphEdge), "is-cycle") {
			t.Errorf("%s", got)
		}
	}
}

func checkDrawn(t *testing.T, d drawnGraph) {
	t.Helper()
	bottom := 0
	for i, n := range d.Nodes {
		bottom = max(bottom, n.Y+graphHeight)
		if n.X < 0 || n.Y < 0 || n.X+d.Box > d.Width || n.Y+graphHeight > d.Height {
			t.Errorf("%s is outside of the picture: %+v", n.ID, n)
		}
		for _, o := range d.Nodes[:i] {
			if max(n.X, o.X)-min(n.X, o.X) < d.Box && max(n.Y, o.Y)-min(n.Y, o.Y) < graphHeight {
				t.Errorf("%s is on %s", n.ID, o.ID)
			}
		}
	}
	for _, e := range d.Edges {
		back := e.Kind == "intercepts"
		if (e.Words != "") != back || back && (e.WordsY <= bottom-graphRow || e.WordsY > d.Height || e.WordsX > d.Width) {
			t.Errorf("%s to %s: %q at %d, the nodes end at %d", e.From, e.To, e.Words, e.WordsY, bottom)
		}
	}
}

// TestGraphsOfPage: a webhook cycle is open among the steps. Fields that two policies write are
// next to the object, with their changes.
func TestGraphsOfPage(t *testing.T) {
	policies := func(name, expression string) string {
		return `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: ` + name + `}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: '` + expression + `'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: ` + name + `}
spec: {policyName: ` + name + `}
---
`
	}
	s := scenario.Scenario{
		Policies: policies("one", `Object{metadata: Object.metadata{labels: {"a": object.data.x}}}`) + policies("two", `Object{metadata: Object.metadata{labels: {"a": "b"}}}`),
		Request:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {x: y}\n",
	}
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (NewView(r, nil)).Object().Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Which fields mutations read and write", "<code>data.x</code>", "<code>metadata.labels.a</code>", "two writes the same", `class="graph-line is-conflict"`, "one and two write the same"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	r.WebhookGraph = &report.Graph{
		Nodes: []report.GraphNode{{ID: "w", Kind: "webhook", Label: "w.example.com", Cycle: true}, {ID: "p", Kind: "pods", Label: "Pods of w", Cycle: true}},
		Edges: []report.GraphEdge{{From: "w", To: "p", Kind: "selects", Cycle: true}, {From: "p", To: "w", Kind: "intercepts", Cycle: true}},
	}
	b.Reset()
	if err := (NewView(r, nil)).Steps().Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Webhook dependencies, with a cycle", `data-key="graph-webhooks" open`, "Pods of w need w.example.com (part of a cycle)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestGraphLabel: a label may break but keeps its text.
func TestGraphLabel(t *testing.T) {
	var b strings.Builder
	if err := graphLabel("inject.mesh.example.com, <a>/b").Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if want := `<span class="graph-label">inject.<wbr>mesh.<wbr>example.<wbr>com, &lt;a&gt;/<wbr>b</span>`; b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
