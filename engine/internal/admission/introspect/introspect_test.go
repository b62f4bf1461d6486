package introspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a mutating policy for Pods; the fields are those behind its rules.
func policy(name, fields string) string {
	return fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %s}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  reinvocationPolicy: IfNeeded
%s---
`, name, fields)
}

func apply(expression string) string {
	return "  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: >-\n        " + expression + "\n"
}

func patch(expression string) string {
	return "  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: >-\n        " + expression + "\n"
}

func graph(t *testing.T, policies string) *report.Graph {
	t.Helper()
	c, problems := engine.Compile(scenario.Scenario{Policies: policies})
	for _, p := range problems {
		if p.Severity == diag.Error {
			t.Fatal(p)
		}
	}
	return c.Report().PolicyGraph
}

// edges are those of a kind, as FROM > TO.
func edges(g *report.Graph, kind string) []string {
	var out []string
	for _, e := range g.Edges {
		if e.Kind == kind {
			line := strings.NewReplacer("field/", "", "policy/", "").Replace(e.From + " > " + e.To)
			if e.Label != "" {
				line += ": " + strings.ReplaceAll(e.Label, "\n", ", ")
			}
			out = append(out, line)
		}
	}
	return out
}

// TestFields: what one expression reads and writes.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		name, fields  string
		reads, writes string
	}{
		{"a literal", apply(`Object{metadata: Object.metadata{labels: {"a": object.metadata.name}}}`), "metadata.name", "metadata.labels.a"},
		{"a key with a slash", apply(`Object{metadata: Object.metadata{annotations: {"example.com/a": object.metadata.?labels["b/c"].orValue(object.spec.nodeName)}}}`),
			`metadata.labels["b/c"] spec.nodeName`, `metadata.annotations["example.com/a"]`},
		{"items of a list", apply(`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers.item{name: c.name, image: "x/" + c.image})}}`),
			"spec.containers spec.containers.name spec.containers.image", "spec.containers.name spec.containers.image"},
		{"a choice", apply(`has(object.spec.priorityClassName) ? Object{} : Object{spec: Object.spec{priorityClassName: "low"}}`), "spec.priorityClassName", "spec.priorityClassName"},
		{"a condition and a variable", "  variables: [{name: pod, expression: object.spec}]\n  matchConditions: [{name: a, expression: 'object.metadata.name != \"x\"'}]\n" +
			apply(`Object{spec: Object.spec{nodeName: variables.pod.schedulerName}}`), "metadata.name spec.schedulerName", "spec.nodeName"},
		{"a patch", patch(`[JSONPatch{op: "test", path: "/spec/nodeName", value: "a"}, JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "c"}, JSONPatch{op: "add", path: "/spec/containers/0/image", value: object.metadata.name}]`),
			"spec.nodeName metadata.name", `metadata.labels["a/b"] spec.containers.image`},
		{"a patch with a key that is computed", patch(`[JSONPatch{op: "remove", path: "/metadata/labels/" + object.metadata.name}, JSONPatch{op: "move", from: "/spec/a", path: "/spec/b"}]`),
			"metadata.name spec.a", "metadata.labels spec.a spec.b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph(t, policy("p", c.fields))
			var reads, writes []string
			for _, e := range edges(g, "reads") {
				reads = append(reads, strings.TrimSuffix(e, " > p"))
			}
			for _, e := range edges(g, "writes") {
				writes = append(writes, strings.TrimPrefix(e, "p > "))
			}
			if got := strings.Join(reads, " "); got != c.reads {
				t.Errorf("reads %s\n want %s", got, c.reads)
			}
			if got := strings.Join(writes, " "); got != c.writes {
				t.Errorf("writes %s\n  want %s", got, c.writes)
			}
		})
	}
}

// TestOrder: who writes what another reads comes first; two writers of one field
// conflict; policies that read each other's fields are a circle.
func TestOrder(t *testing.T) {
	label := func(key, from string) string {
		return apply(fmt.Sprintf(`Object{metadata: Object.metadata{labels: {"%s": object.metadata.labels["%s"]}}}`, key, from))
	}
	g := graph(t, policy("a", label("three", "two"))+policy("b", label("two", "one"))+policy("c", label("one", "zero")))
	if got := strings.Join(g.Order, " "); got != "c b a" {
		t.Errorf("the order is %s", got)
	}
	if got := edges(g, "before"); !slices.Equal(got, []string{"b > a: metadata.labels.two", "c > b: metadata.labels.one"}) {
		t.Errorf("before: %q", got)
	}
	g = graph(t, policy("a", label("one", "two"))+policy("b", label("two", "one"))+policy("c", label("one", "zero")))
	if got := edges(g, "conflicts"); !slices.Equal(got, []string{"a > c: metadata.labels.one"}) {
		t.Errorf("conflicts: %q", got)
	}
	if !g.Nodes[0].Cycle || !g.Nodes[1].Cycle || g.Nodes[2].Cycle {
		t.Errorf("a and b are a circle: %+v", g.Nodes[:3])
	}
}
