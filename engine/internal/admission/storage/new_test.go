package storage

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// now is the time of all requests here.
const now = "2026-01-01T00:00:00Z"

// kindsOf are the kinds of a release, with Widgets, which have the subresource status, and
// Gadgets, which have none.
func kindsOf(t *testing.T, v version.Version) *catalog.Catalog {
	t.Helper()
	builtin, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	definition := func(kind, plural, more string) catalog.CRD {
		return catalog.CRD{Value: decoded(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: `+plural+`.example.com}, spec: {group: example.com, scope: Namespaced,
  names: {kind: `+kind+`, listKind: `+kind+`List, plural: `+plural+`, singular: `+strings.ToLower(kind)+`},
  versions: [{name: v1, served: true, storage: true`+more+`, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`)}
	}
	kinds, problems := builtin.WithCRDs([]catalog.CRD{definition("Widget", "widgets", ", subresources: {status: {}}"), definition("Gadget", "gadgets", "")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return kinds
}

// kindOf is the kind that is written as v1/Pod or apps/v1/Deployment.
func kindOf(text string) schema.GroupVersionKind {
	at := strings.LastIndex(text, "/")
	return schema.FromAPIVersionAndKind(text[:at], text[at+1:])
}

// TestNew: all that a new object gets, its generation and its status with it
// (rest.BeforeCreate, and PrepareForCreate of the strategies).
func TestNew(t *testing.T) {
	for _, c := range []struct{ name, kind, version, object, want string }{
		{"no status, no generation", "v1/ConfigMap", "", "{metadata: {name: a}, data: {a: b}}", "{metadata: {name: a, NEW}, data: {a: b}}"},
		{"a Namespace that has the finalizer", "v1/Namespace", "", "{metadata: {name: a}, spec: {finalizers: [kubernetes]}, status: {}}", "{metadata: {name: a, NEW}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}"},
		{"a claim", "v1/PersistentVolumeClaim", "", "{metadata: {name: a}, spec: {}, status: {phase: Bound}}", "{metadata: {name: a, NEW}, spec: {}, status: {}}"},
		{"an empty status", "apps/v1/Deployment", "", "{metadata: {name: a}, spec: {}, status: {replicas: 3}}", "{metadata: {name: a, NEW, generation: 1}, spec: {}, status: {}}"},
		{"an empty field of a status", "v1/Service", "", "{metadata: {name: a}, spec: {type: ExternalName}, status: {conditions: []}}", "{metadata: {name: a, NEW}, spec: {type: ExternalName}, status: {loadBalancer: {}}}"},
		{"fields of a status that are always shown", "apps/v1/DaemonSet", "", "{metadata: {name: a, annotations: {deprecated.daemonset.template.generation: '2'}}, spec: {}, status: {}}",
			"{metadata: {name: a, annotations: {deprecated.daemonset.template.generation: '2'}, NEW, generation: 1}, spec: {}, status: {currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0}}"},
		{"the status of a Node is its own", "v1/Node", "", "{metadata: {name: a}, status: {phase: Running}}", "{metadata: {name: a, NEW}, status: {phase: Running}}"},
		{"a custom resource", "example.com/v1/Widget", "", "{metadata: {name: a}, spec: {a: b}}", "{metadata: {name: a, NEW, generation: 1}, spec: {a: b}}"},
		{"a custom resource loses its status", "example.com/v1/Widget", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW, generation: 1}}"},
		{"where the status is a field like others", "example.com/v1/Gadget", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW, generation: 1}, status: {a: b}}"},
		{"a kind that is not known", "example.com/v1/Thing", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW}, status: {a: b}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := version.Default()
			if c.version != "" {
				v = version.MustParse(c.version)
			}
			s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, v), Version: v}, Now: now}
			a := &s.Attributes
			a.Kind, a.Operation, a.Object = kindOf(c.kind), "CREATE", decoded(t, c.object)
			if _, status := s.Prepare(); status != nil {
				t.Fatal(status)
			}
			if want := decoded(t, strings.ReplaceAll(c.want, "NEW", "uid: "+untyped.ZeroUID+", creationTimestamp: '"+now+"'")); !reflect.DeepEqual(a.Object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, a.Object), asYAML(t, want))
			}
		})
	}
}

// TestCustom: what an update of a custom resource keeps, and what its generation counts:
// everything but metadata, also the status where that is a field like others.
func TestCustom(t *testing.T) {
	for _, c := range []struct{ name, kind, sub, object, old, want string }{
		{"the status of an update", "Widget", "", "{metadata: {name: a}, spec: {a: b}, status: {c: d}}", "{metadata: {name: a, generation: 2}, spec: {a: b}, status: {e: f}}", "{metadata: {name: a, generation: 2}, spec: {a: b}, status: {e: f}}"},
		{"no status before", "Widget", "", "{metadata: {name: a}, spec: {a: b}, status: {c: d}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}"},
		{"another spec", "Widget", "", "{metadata: {name: a}, spec: {a: c}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}", "{metadata: {name: a, generation: 3}, spec: {a: c}}"},
		{"any other field", "Widget", "", "{metadata: {name: a}, more: 1}", "{metadata: {name: a, generation: 2}}", "{metadata: {name: a, generation: 3}, more: 1}"},
		{"metadata", "Widget", "", "{metadata: {name: a, labels: {a: b}}}", "{metadata: {name: a, generation: 2}}", "{metadata: {name: a, labels: {a: b}, generation: 2}}"},
		{"a status like others", "Gadget", "", "{metadata: {name: a}, status: {c: d}}", "{metadata: {name: a, generation: 2}, status: {e: f}}", "{metadata: {name: a, generation: 3}, status: {c: d}}"},
		{"of the status itself", "Widget", "status", "{metadata: {name: b}, spec: {a: c}, status: {c: d}}", "{metadata: {name: a, generation: 2}, spec: {a: b}, status: {e: f}}", "{metadata: {name: a, generation: 2}, spec: {a: b}, status: {c: d}}"},
		{"which goes", "Widget", "status", "{metadata: {name: b}, spec: {a: c}}", "{metadata: {name: a, generation: 2}, spec: {a: b}, status: {e: f}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}"},
		{"which was none", "Widget", "status", "{metadata: {name: b}, status: {a: c}}", "{metadata: {name: a, generation: 2}}", "{metadata: {name: a, generation: 2}, status: {a: c}}"},
		{"another subresource", "Widget", "scale", "{metadata: {name: a}, spec: {a: c}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}", "{metadata: {name: a}, spec: {a: c}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now}
			a := &s.Attributes
			a.Kind, a.Operation, a.SubResource = kindOf("example.com/v1/"+c.kind), "UPDATE", c.sub
			a.Object, a.OldObject = decoded(t, c.object), decoded(t, c.old)
			if _, status := s.Prepare(); status != nil {
				t.Fatal(status)
			}
			if want := decoded(t, c.want); !reflect.DeepEqual(a.Object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, a.Object), asYAML(t, want))
			}
			if !reflect.DeepEqual(a.OldObject, decoded(t, c.old)) {
				t.Errorf("the old one became %s", asYAML(t, a.OldObject))
			}
		})
	}
}

// TestSharedOnly: without the strategies of single kinds there are neither their fields
// nor their generations; the namespace of the request is for all kinds.
func TestSharedOnly(t *testing.T) {
	for _, c := range []struct{ name, kind, object, old, want string }{
		{"a new Namespace", "v1/Namespace", "{metadata: {name: a}, spec: {}}", "", "{metadata: {name: a, uid: " + untyped.ZeroUID + ", creationTimestamp: '" + now + "'}, spec: {}}"},
		{"an update of one", "v1/Namespace", "{metadata: {name: a}, spec: {}}", "{metadata: {name: a}, spec: {finalizers: [a]}}", "{metadata: {name: a}, spec: {}}"},
		{"annotations of a Deployment", "apps/v1/Deployment", "{metadata: {name: a, annotations: {a: b}}}", "{metadata: {name: a, generation: 1}}", "{metadata: {name: a, annotations: {a: b}, generation: 1}}"},
		{"another spec", "apps/v1/Deployment", "{metadata: {name: a}, spec: {a: b}}", "{metadata: {name: a, generation: 1}, spec: {}}", "{metadata: {name: a, generation: 2}, spec: {a: b}}"},
		{"no namespace", "v1/ConfigMap", "{metadata: {name: a}}", "{metadata: {name: a, namespace: shop}}", "{metadata: {name: a, namespace: shop}}"},
		{"another namespace", "v1/ConfigMap", "{metadata: {name: a, namespace: other}}", "{metadata: {name: a, namespace: shop}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now, SharedOnly: true}
			a := &s.Attributes
			a.Kind, a.Operation, a.Object = kindOf(c.kind), "CREATE", decoded(t, c.object)
			if c.old != "" {
				a.Operation, a.OldObject = "UPDATE", decoded(t, c.old)
				a.Namespace = metadataString(a.OldObject, "namespace")
			}
			_, status := s.Prepare()
			if c.want == "" {
				if status == nil || status.ErrStatus.Code != 400 {
					t.Errorf("it is not refused: %v", status)
				}
				return
			}
			if status != nil {
				t.Fatal(status)
			}
			if want := decoded(t, c.want); !reflect.DeepEqual(a.Object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, a.Object), asYAML(t, want))
			}
		})
	}
}

// TestGivenStays: nothing that a request brings is changed, and the changes that a
// scenario lists are made in a copy too.
func TestGivenStays(t *testing.T) {
	for _, c := range rare {
		for _, changes := range []scenario.BeforeValidation{{}, {Set: map[string]any{"/spec/more": 1}}, {Remove: []string{"/spec/containers", "/spec/ports", "/metadata/labels"}}} {
			v := version.Default()
			if c.version != "" {
				v = version.MustParse(c.version)
			}
			s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, v), Version: v, Report: &report.Report{}}, Now: now, Changes: changes}
			a := &s.Attributes
			a.Kind, a.Operation, a.Object = kindOf(c.kind), "CREATE", decoded(t, c.object)
			object := a.Object
			if c.old != "" {
				a.Operation, a.OldObject = "UPDATE", decoded(t, c.old)
			}
			old := a.OldObject
			s.Prepare()
			if want := decoded(t, c.object); !reflect.DeepEqual(object, want) {
				t.Errorf("%s %+v: what was given becomes %s", c.name, changes, asYAML(t, object))
			}
			if c.old != "" && !reflect.DeepEqual(old, decoded(t, c.old)) {
				t.Errorf("%s %+v: what was there becomes %s", c.name, changes, asYAML(t, old))
			}
		}
	}
}

// TestTokenRequest: a request for a token gets the name and namespace of its account.
func TestTokenRequest(t *testing.T) {
	for given, want := range map[string]string{
		"{metadata: {}}": "{metadata: {name: robot, namespace: shop, creationTimestamp: '" + now + "'}}",
		"{spec: {}}":     "{spec: {}, metadata: {name: robot, namespace: shop, creationTimestamp: '" + now + "'}}",
		"{metadata: {name: robot, namespace: shop, creationTimestamp: null}}": "{metadata: {name: robot, namespace: shop, creationTimestamp: '" + now + "'}}",
	} {
		s := Storage{Chain: &run.Chain{Cluster: cluster.New(nil, now, false), Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now}
		a := &s.Attributes
		a.Kind, a.Operation, a.SubResource = kindOf("authentication.k8s.io/v1/TokenRequest"), "CREATE", "token"
		a.Name, a.Namespace, a.Object = "robot", "shop", decoded(t, given)
		if _, status := s.Prepare(); status != nil {
			t.Fatal(status)
		}
		if want := decoded(t, want); !reflect.DeepEqual(a.Object, want) {
			t.Errorf("%s becomes %s", given, asYAML(t, a.Object))
		}
	}
}

// TestCustomConflict: an update of a custom resource has to state the version that it
// replaces, and where custom resources are kept.
func TestCustomConflict(t *testing.T) {
	object := func(resourceVersion string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": "a", "resourceVersion": resourceVersion}}
	}
	for _, c := range []struct{ name, kind, resource, given, there, want string }{
		{"none is stated", "Widget", "widgets", "", "1", `widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"there is none", "Widget", "widgets", "", "", ""},
		{"the same", "Widget", "widgets", "1", "1", ""},
		{"stated, and there is none", "Widget", "widgets", "1", "", ""},
		{"another", "Widget", "widgets", "1", "2", `Operation cannot be fulfilled on widgets.example.com "a": ` + modified},
	} {
		s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}}
		a := &s.Attributes
		a.Operation, a.Kind = "UPDATE", kindOf("example.com/v1/"+c.kind)
		a.Resource, a.Namespace, a.Name = a.Kind.GroupVersion().WithResource(c.resource), "shop", "a"
		a.Object, a.OldObject = object(c.given), object(c.there)
		if got := message(s.Conflict()); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s", c.name, got)
		}
		if got := s.key(); got != "/example.com/widgets/shop/a" {
			t.Errorf("it is kept at %s", got)
		}
	}
}

// TestStoredReplaced: the object as kubectl get wrote it and a manifest that replaces it, which kubectl
// sends as a patch of the stored one. An object with a version of its own is a whole one (PUT).
func TestStoredReplaced(t *testing.T) {
	const stored = "{metadata: {name: a, namespace: shop, uid: u1, resourceVersion: '9', generation: 2}, spec: {a: b}, status: {ready: true}}"
	for _, c := range []struct{ name, object, want string }{
		{"a manifest", "{metadata: {name: a}, spec: {a: c}}", "{metadata: {name: a, uid: u1, resourceVersion: '9', generation: 2}, spec: {a: c}, status: {ready: true}}"},
		{"a manifest with a status", "{metadata: {name: a}, status: {ready: false}}", "{metadata: {name: a, uid: u1, resourceVersion: '9', generation: 2}, status: {ready: false}}"},
		{"a whole object", "{metadata: {name: a, resourceVersion: '8'}, spec: {a: c}}", "{metadata: {name: a, resourceVersion: '8'}, spec: {a: c}}"},
	} {
		s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now}
		a := &s.Attributes
		a.Operation, a.Kind = "UPDATE", kindOf("example.com/v1/Widget")
		a.Resource, a.Namespace, a.Name = a.Kind.GroupVersion().WithResource("widgets"), "shop", "a"
		old, object := s.Stored(decoded(t, stored), decoded(t, c.object))
		if !reflect.DeepEqual(old, decoded(t, stored)) || !reflect.DeepEqual(object, decoded(t, c.want)) {
			t.Errorf("%s: %s and %s", c.name, asYAML(t, old), asYAML(t, object))
		}
	}
}
