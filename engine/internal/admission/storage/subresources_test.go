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
		{"labels of a Deployment", "", "status", "apps/v1/Deployment", "{" + other + both, "{" + meta + was,
			"{metadata: {name: a, generation: 3, labels: {a: b}, annotations: {c: d}, finalizers: [g], managedFields: [{manager: m}]}" + is},
		{"owners of a Pod, and its quality", "", "status", "v1/Pod", "{" + other + ", spec: {x: new}, status: {phase: Running}}", "{" + meta + ", spec: {x: old}, status: {qosClass: Burstable, observedGeneration: 2}}",
			"{metadata: {name: a, generation: 3, labels: {c: d}, annotations: {c: d}, ownerReferences: [{name: o}], finalizers: [g], managedFields: [{manager: m}]}, spec: {x: old}, status: {phase: Running, qosClass: Burstable, observedGeneration: 2}}"},
		{"all metadata", "", "status", "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy", "{" + other + both, "{" + meta + was, "{" + kept + is},
		{"all metadata of a flow schema", "", "status", "flowcontrol.apiserver.k8s.io/v1/FlowSchema", "{" + other + both, "{" + meta + was, "{" + kept + is},
		{"labels of a definition", "", "status", "apiextensions.k8s.io/v1/CustomResourceDefinition", "{" + other + both, "{" + meta + was, "{" + taken + is},
		{"finalizers of a Namespace", "", "finalize", "v1/Namespace", "{" + other + both, "{" + meta + was, "{" + taken + ", spec: {x: new}, status: {s: old}}"},
		{"conditions of a certificate", "", "approval", "certificates.k8s.io/v1/CertificateSigningRequest", "{" + other + ", spec: {x: new}, status: {s: new, conditions: [{type: Approved}]}}", "{" + meta + was, "{" + taken + ", spec: {x: old}, status: {s: old, conditions: [{type: Approved, lastUpdateTime: now, lastTransitionTime: now}]}}"},
		{"times of conditions", "", "status", "certificates.k8s.io/v1/CertificateSigningRequest", "{metadata: {name: a}, status: {conditions: [{type: Failed, status: 'True', lastUpdateTime: u}, {type: B, status: 'True'}]}}",
			"{metadata: {name: a}, status: {conditions: [{type: Failed, status: 'True', lastTransitionTime: t}, {type: B, status: 'False', lastTransitionTime: t}]}}",
			"{metadata: {name: a}, status: {conditions: [{type: Failed, status: 'True', lastUpdateTime: u, lastTransitionTime: t}, {type: B, status: 'True', lastUpdateTime: now, lastTransitionTime: now}]}}"},
		{"no conditions", "", "approval", "certificates.k8s.io/v1/CertificateSigningRequest", "{" + other + both, "{" + meta + ", spec: {x: old}, status: {conditions: [{type: Denied}]}}", "{" + taken + ", spec: {x: old}, status: {}}"},
		{"ephemeral containers", "", "ephemeralcontainers", "v1/Pod", "{" + other + ", spec: {x: new, ephemeralContainers: [{name: e}]}, status: {s: new}}", "{" + meta + was,
			"{metadata: {name: a, generation: 4, labels: {a: b}, annotations: {a: b}, ownerReferences: [{name: o}], finalizers: [f], managedFields: [{manager: m}]}, spec: {x: old, ephemeralContainers: [{name: e}]}, status: {s: old}}"},
		{"no ephemeral containers", "", "ephemeralcontainers", "v1/Pod", "{" + other + both, "{" + meta + ", status: {s: old}}", "{" + kept + ", status: {s: old}}"},
		{"resources", "", "resize", "v1/Pod", "{metadata: {name: a}, spec: {x: new, resources: {p: new}, containers: [{name: a, image: new, resources: {r: new}}], initContainers: [{name: i, resources: {r: new}, resizePolicy: [p]}]}, status: {s: new}}",
			"{metadata: {name: a}, spec: {x: old, containers: [{name: a, image: old, resizePolicy: [q]}], initContainers: [{name: i}]}, status: {s: old}}",
			"{metadata: {name: a}, spec: {x: old, resources: {p: new}, containers: [{name: a, image: old, resources: {r: new}}], initContainers: [{name: i, resources: {r: new}, resizePolicy: [p]}]}, status: {s: old}}"},
		{"resources of a whole Pod before 1.36", "1.35", "resize", "v1/Pod", "{metadata: {name: a}, spec: {resources: {p: new}, containers: [{name: a}]}}", "{metadata: {name: a}, spec: {resources: {p: old}, containers: [{name: a}]}}",
			"{metadata: {name: a}, spec: {resources: {p: old}, containers: [{name: a}]}}"},
		{"containers in another order", "", "resize", "v1/Pod", "{metadata: {name: a}, spec: {x: new, containers: [{name: b}, {name: a}]}}", "{metadata: {name: a}, spec: {x: old, containers: [{name: a}, {name: b}]}}",
			"{metadata: {name: a}, spec: {x: old, containers: [{name: b}, {name: a}]}}"},
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
