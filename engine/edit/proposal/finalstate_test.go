package proposal

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestFinalState checks what the policy of the final state asks for, and that it
// was tried out.
func TestFinalState(t *testing.T) {
	const before = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, annotations: {old: "1", keep: "2"}}
spec:
  containers: [{name: app, image: nginx, env: [{name: A, value: "1"}]}]
  tolerations: [{key: a, operator: Exists}]
`
	for name, test := range map[string]struct{ old, new, expression, message string }{
		"a label": {"annotations:", "labels: {team: blue}, annotations:",
			`has(object.metadata.labels) && has(object.metadata.labels.team) && object.metadata.labels.team == "blue"`, `metadata.labels.team must be "blue"`},
		"a key that is no name": {"annotations: {", "annotations: {example.com/a: b, ",
			`has(object.metadata.annotations) && "example.com/a" in object.metadata.annotations && object.metadata.annotations["example.com/a"] == "b"`, `must be "b"`},
		"an annotation that is gone": {`{old: "1", `, "{", "!(has(object.metadata.annotations) && has(object.metadata.annotations.old))", "metadata.annotations.old must be absent"},
		"a sidecar": {"containers: [", "containers: [{name: proxy, image: mesh}, ",
			`object.spec.containers.exists(x, x.name == "proxy" && has(x.image) && x.image == "mesh")`, `spec.containers must have an item whose name is "proxy"`},
		"a field of a container": {"image: nginx", "image: nginx:1",
			`object.spec.containers.exists(x, x.name == "app") && has(object.spec.containers.filter(x, x.name == "app")[0].image) && object.spec.containers.filter(x, x.name == "app")[0].image == "nginx:1"`, "image must be"},
		"a variable of a container": {"env: [", `env: [{name: B, value: "2"}, `, `x.name == "B" && has(x.value) && x.value == "2"`, `must have an item whose name is "B"`},
		"a toleration that is gone": {"[{key: a, operator: Exists}]", "[]", "tolerations", "must be absent"},
		"a number":                  {"  tolerations:", "  terminationGracePeriodSeconds: 5\n  tolerations:", "object.spec.terminationGracePeriodSeconds == 5", "must be 5"},
		"true":                      {"  tolerations:", "  hostNetwork: true\n  tolerations:", "object.spec.hostNetwork == true", "must be true"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FromObjects(context.Background(), scenario.Scenario{Request: before, Options: scenario.Options{Plugins: scenario.Exactly()}}, object(t, strings.Replace(before, test.old, test.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			f := got.FinalState
			if f == nil || !f.Verified {
				t.Fatalf("%+v", f)
			}
			if flat := strings.Join(strings.Fields(f.Policy), " "); !strings.Contains(flat, test.expression) || !strings.Contains(flat, test.message) {
				t.Errorf("want %s and %s in\n%s", test.expression, test.message, f.Policy)
			}
		})
	}
}

// TestFinalStateOfWebhook leaves out a condition that the change makes false.
func TestFinalStateOfWebhook(t *testing.T) {
	got, err := FromWebhook(context.Background(), hooked(emptyMap), "platform", "owner.example.com")
	if err != nil {
		t.Fatal(err)
	}
	f := got.FinalState
	if f == nil || !f.Verified || strings.Contains(f.Policy, "matchConditions") || !strings.Contains(strings.Join(f.Notes, " "), "match conditions are left out") {
		t.Fatalf("%+v", f)
	}
	for _, want := range []string{"failurePolicy: Fail\n", "team: shop\n", "name: owner-2\n", "validationActions: [Deny]\n"} {
		if !strings.Contains(f.Policy, want) {
			t.Errorf("no %q in\n%s", want, f.Policy)
		}
	}
	if strings.Contains(f.Policy, "reinvocationPolicy") {
		t.Errorf("validating policies have no reinvocationPolicy:\n%s", f.Policy)
	}
}
