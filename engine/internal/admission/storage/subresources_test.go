package storage

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestSubresources: an update through a subresource changes only what that is about. The
// cases are those of conformance/server/testdata/requests/corner-status.yaml, which a whole
// server of 1.36 answered, and others of the same strategies.
func TestSubresources(t *testing.T) {
	const (
		meta  = "metadata: {name: a, generation: 3, labels: {a: b}, annotations: {a: b}, ownerReferences: [{name: o}], finalizers: [f]}"
		other = "metadata: {name: a, generation: 9, labels: {c: d}, annotations: {c: d}, finalizers: [g], managedFields: [{manager: m}]}"
		kept  = "metadata: {name: a, generation: 3, labels: {a: b}, annotations: {a: b}, ownerReferences: [{name: o}], finalizers: [f], managedFields: [{manager: m}]}"
		taken = "metadata: {name: a, generation: 3, labels: {c: d}, annotations: {c: d}, finalizers: [g], managedFields: [{manager: m}]}"
		both  = ", spec: {x: new}, status: {s: new}}"
		was   = ", spec: {x: old}, status: {s: old}}"
		is    = ", spec: {x: old}, status: {s: new}}"
	)
	for _, c := range []struct {
		name, version, subresource, kind string
		object, old, want                string
	}{
		{"spec and generation stay", "", "status", "v1/Service", "{" + other + both, "{" + meta + was, "{" + taken + is},
		{"a spec that was not there", "", "status", "v1/Service", "{" + other + both, "{" + meta + ", status: {}}", "{" + taken + ", status: {s: new}}"},
		{"all metadata", "", "status", "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy", "{" + other + both, "{" + meta + was, "{" + kept + is},
		{"labels of a definition", "", "status", "apiextensions.k8s.io/v1/CustomResourceDefinition", "{" + other + both, "{" + meta + was, "{" + taken + is},
		{"more containers", "", "resize", "v1/Pod", "{metadata: {name: a}, spec: {x: new, containers: [{name: b}, {name: a}]}}", "{metadata: {name: a}, spec: {x: old, containers: [{name: a}]}}",
			"{metadata: {name: a}, spec: {x: new, containers: [{name: b}, {name: a}]}}"},
		{"a scale", "", "scale", "autoscaling/v1/Scale", "{metadata: {name: b, labels: {a: b}, managedFields: [{manager: m}]}, spec: {replicas: 5}, status: {replicas: 9}}",
			"{metadata: {name: a, uid: u, creationTimestamp: t, labels: {c: d}, managedFields: [{manager: m}]}, spec: {replicas: 1}, status: {replicas: 1, selector: x}}",
			"{metadata: {name: a, uid: u, creationTimestamp: t}, spec: {replicas: 5}, status: {replicas: 1, selector: x}}"},
		{"a scale of nothing", "", "scale", "autoscaling/v1/Scale", "{metadata: {name: a}}", "{metadata: {name: a}, spec: {replicas: 1}}", "{metadata: {name: a}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := version.Default()
			if c.version != "" {
				v = version.MustParse(c.version)
			}
			kinds, err := catalog.For(v)
			if err != nil {
				t.Fatal(err)
			}
			s := Storage{Chain: &run.Chain{Catalog: kinds, Version: v}, Now: "now"}
			a := &s.Attributes
			a.Operation, a.SubResource, a.Kind = "UPDATE", c.subresource, parsedKind(c.kind)
			a.Object, a.OldObject = decoded(t, c.object), decoded(t, c.old)
			given := a.Object
			if _, status := s.Prepare(); status != nil {
				t.Fatal(status)
			}
			if want := decoded(t, c.want); !reflect.DeepEqual(a.Object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, a.Object), asYAML(t, want))
			}
			if !reflect.DeepEqual(given, decoded(t, c.object)) {
				t.Errorf("what was given became %s", asYAML(t, given))
			}
			if _, there := a.OldObject["metadata"].(map[string]any)["managedFields"]; there {
				t.Error("the validating phase sees managedFields of the old Scale")
			}
			// Where only admission is asked, no strategy is.
			only := Storage{Chain: &run.Chain{Catalog: kinds, Version: v}, SharedOnly: true}
			only.Attributes.Operation, only.Attributes.SubResource, only.Attributes.Kind = a.Operation, a.SubResource, a.Kind
			only.Attributes.Object, only.Attributes.OldObject = decoded(t, c.object), decoded(t, c.old)
			if _, status := only.Prepare(); status != nil || !reflect.DeepEqual(only.Attributes.Object["status"], decoded(t, c.object)["status"]) {
				t.Errorf("without strategies: %v, %s", status, asYAML(t, only.Attributes.Object))
			}
		})
	}
}

// parsedKind reads "group/version/kind", or "version/kind".
func parsedKind(text string) schema.GroupVersionKind {
	for i := len(text) - 1; i > 0; i-- {
		if text[i] == '/' {
			return schema.FromAPIVersionAndKind(text[:i], text[i+1:])
		}
	}
	return schema.GroupVersionKind{}
}
