package customresource_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// scalable is a definition with both subresources; its rules are about numbers, and about
// a field that a Scale does not have.
const scalable = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {replicas: {type: integer, maximum: 50}, owner: {type: string}}
            x-kubernetes-validations: [{rule: "self.replicas <= 10", message: too many}, {rule: "self.owner != 'nobody'", message: needs an owner}]
          status:
            type: object
            properties: {replicas: {type: integer}, selector: {type: string}, phase: {type: string, enum: [Up, Down]}}
            x-kubernetes-validations: [{rule: "!has(self.phase) || self.phase == oldSelf.phase || self.phase == 'Up'", message: it only goes up}]
---
`

// asked evaluates an update of a subresource, and returns the rejection; empty if there is none.
func asked(t *testing.T, sub, kubernetes, cluster, object, old string) string {
	t.Helper()
	kind := "{group: example.com, version: v1, kind: Widget}"
	if sub == "scale" {
		kind = "{group: autoscaling, version: v1, kind: Scale}"
	}
	request := fmt.Sprintf("operation: UPDATE\nkind: %s\nresource: {group: example.com, version: v1, resource: widgets}\nsubResource: %s\nname: w\nnamespace: default\nuserInfo: {username: jane}\nobject: %s\noldObject: %s\n", kind, sub, object, old)
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: kubernetes, Request: request, Cluster: scalable + cluster}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome.Allowed {
		return ""
	}
	if r.Outcome.Message == "" {
		t.Fatal(r.Diagnostics)
	}
	_, message, _ := strings.Cut(r.Outcome.Message, " is invalid: ")
	return message
}

// TestStatusUpdates: what the server keeps of the old object, what it asks of the status,
// and what it does not ask of the rest.
func TestStatusUpdates(t *testing.T) {
	of := func(metadata, spec, status string) string {
		return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default" + metadata + "}, spec: {" + spec + "}, status: {" + status + "}}"
	}
	const known, good = ", uid: u, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z'", "replicas: 3, owner: ann"
	old := of(known, good, "phase: Up")
	for _, c := range []struct{ name, kubernetes, object, old, want string }{
		{"the same", "1.37", old, old, ""},
		{"without what only the server sets", "1.37", of(", resourceVersion: '7'", good, "phase: Up"), old, ""},
		{"without versions, which a review may lack", "1.37", of("", good, "phase: Up"), of("", good, "phase: Up"), ""},
		{"a value that is not listed", "1.37", of(known, good, "phase: Left"), old, `status.phase: Unsupported value: "Left": supported values: "Up", "Down"`},
		{"before paths were whole", "1.30", of(known, good, "phase: Left"), old, `phase: Unsupported value: "Left": supported values: "Up", "Down"`},
		{"a rule about the change", "1.37", of(known, good, "phase: Down"), old, `status: Invalid value: it only goes up`},
		{"a number that does not fit", "1.37", of(known, good, "replicas: -1"), of(known, good, "replicas: 0"), `.status.replicas: Invalid value: -1: should be a non-negative integer`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := asked(t, "status", c.kubernetes, "", c.object, c.old); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestScales: of a custom resource of the cluster all is known, of another one only its
// numbers.
func TestScales(t *testing.T) {
	of := func(spec, status string) string {
		return "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: w, namespace: default, uid: u, resourceVersion: '7'}, spec: {replicas: " + spec + "}, status: {replicas: " + status + ", selector: 'a=b'}}"
	}
	stored := func(owner string) string {
		return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default, uid: u, resourceVersion: '7'}, spec: {replicas: 2, owner: " + owner + "}}"
	}
	for _, c := range []struct{ name, cluster, object, want string }{
		{"one that is not known", "", of("3", "2"), ""},
		{"too many of it", "", of("11", "2"), "spec: Invalid value: too many"},
		{"more than the schema has", "", of("51", "2"), "spec.replicas: Invalid value: 51: spec.replicas in body should be less than or equal to 50"},
		{"less than none", "", of("-1", "2"), ".spec.replicas: Invalid value: -1: should be a non-negative integer"},
		{"a rule about what a Scale does not have", "", of("4", "2"), ""},
		{"one of the cluster", stored("ann"), of("3", "2"), ""},
		{"too many of that", stored("ann"), of("11", "2"), "spec: Invalid value: too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := asked(t, "scale", "1.37", c.cluster, c.object, of("2", "2")); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
