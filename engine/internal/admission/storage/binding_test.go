package storage

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func TestUnboundable(t *testing.T) {
	for target, want := range map[string]string{
		"{kind: Node, name: n1}":     "",
		"{name: n1}":                 "",
		"{kind: Node}":               "target.name: Required value",
		"{kind: Pod, name: n1}":      `target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"`,
		"{kind: Pod}":                `[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]`,
		"{kind: Node, name: 'N 1'}":  `target.name: Invalid value: "N 1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		"{kind: Thing, name: 'N 1'}": `target.kind: Unsupported value: "Thing": supported values: "Node", "<empty>"`,
	} {
		got := ""
		if status := unboundable(decoded(t, "{target: "+target+"}")); status != nil {
			got = status.ErrStatus.Message
			if status.ErrStatus.Code != 500 {
				t.Errorf("%s: code %d", target, status.ErrStatus.Code)
			}
		}
		if got != want {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// TestBind: what storage says of the Pod of a Binding.
func TestBind(t *testing.T) {
	const refused = `Operation cannot be fulfilled on pods/binding "p": `
	for name, c := range map[string]struct {
		pod, uid string
		complete bool
		want     string
	}{
		"a free Pod":       {pod: "metadata: {uid: a}"},
		"its uid":          {pod: "metadata: {uid: a}", uid: "a"},
		"another uid":      {pod: "metadata: {uid: a}", uid: "b", want: `Operation cannot be fulfilled on pods "p": ` + "StorageError: invalid object, Code: 4, Key: /pods/n/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: b, UID in object meta: a"},
		"a Pod with node":  {pod: "spec: {nodeName: n1}", want: refused + `pod p is already assigned to node "n1"`},
		"one that goes":    {pod: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}", want: refused + "pod p is being deleted, cannot be assigned to a host"},
		"one that waits":   {pod: "spec: {schedulingGates: [{name: a}]}", want: refused + "pod p has non-empty .spec.schedulingGates"},
		"none":             {complete: true, want: `pods "p" not found`},
		"one that may be ": {},
	} {
		s := storing(t, c.complete, cluster.Object{GVK: podKind.WithVersion("v1"), Namespace: "n", Name: "p"}, c.pod)
		s.Attributes.Operation, s.Attributes.Resource, s.Attributes.SubResource = "CREATE", podResource, "binding"
		s.Attributes.Kind = kindOf("v1/Binding")
		s.Attributes.Object = map[string]any{"metadata": map[string]any{"uid": c.uid}}
		if got := message(s.Bind()); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// storing is storage with an object, if it has a text, for a request about p in n.
func storing(t *testing.T, complete bool, o cluster.Object, text string) *Storage {
	var objects []cluster.Object
	if text != "" {
		o.Value = decoded(t, text)
		objects = append(objects, o)
	}
	s := &Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default(), Cluster: cluster.New(objects, now, complete)}, Now: now}
	s.Attributes.Namespace, s.Attributes.Name = "n", "p"
	return s
}
