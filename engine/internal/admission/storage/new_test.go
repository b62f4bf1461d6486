package storage

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
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
		{"a phase", "v1/Namespace", "", "{metadata: {name: a}, spec: {}, status: {}}", "{metadata: {name: a, NEW}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}"},
		{"not the one that was sent", "v1/Namespace", "", "{metadata: {name: a}, spec: {}, status: {phase: Terminating}}", "{metadata: {name: a, NEW}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}"},
		{"a Namespace that has the finalizer", "v1/Namespace", "", "{metadata: {name: a}, spec: {finalizers: [kubernetes]}, status: {}}", "{metadata: {name: a, NEW}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}"},
		{"a claim", "v1/PersistentVolumeClaim", "", "{metadata: {name: a}, spec: {}, status: {phase: Bound}}", "{metadata: {name: a, NEW}, spec: {}, status: {}}"},
		{"a volume", "v1/PersistentVolume", "", "{metadata: {name: a}, spec: {}, status: {phase: Bound}}", "{metadata: {name: a, NEW}, spec: {}, status: {phase: Pending, lastPhaseTransitionTime: '" + now + "'}}"},
		{"an empty status", "apps/v1/Deployment", "", "{metadata: {name: a}, spec: {}, status: {replicas: 3}}", "{metadata: {name: a, NEW, generation: 1}, spec: {}, status: {}}"},
		{"an empty field of a status", "v1/Service", "", "{metadata: {name: a}, spec: {type: ExternalName}, status: {conditions: []}}", "{metadata: {name: a, NEW}, spec: {type: ExternalName}, status: {loadBalancer: {}}}"},
		{"fields of a status that are always shown", "apps/v1/DaemonSet", "", "{metadata: {name: a, annotations: {deprecated.daemonset.template.generation: '2'}}, spec: {}, status: {}}",
			"{metadata: {name: a, annotations: {deprecated.daemonset.template.generation: '2'}, NEW, generation: 1}, spec: {}, status: {currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0}}"},
		{"the status of a Node is its own", "v1/Node", "", "{metadata: {name: a}, status: {phase: Running}}", "{metadata: {name: a, NEW}, status: {phase: Running}}"},
		{"a Pod", "v1/Pod", "", "{metadata: {name: a}, spec: {containers: [{name: a}]}, status: {phase: Running}}", "{metadata: {name: a, NEW, generation: 1}, spec: {containers: [{name: a}]}, status: {phase: Pending, qosClass: BestEffort}}"},
		{"a Pod before it had a generation", "v1/Pod", "1.32", "{metadata: {name: a}, spec: {containers: [{name: a}]}, status: {}}", "{metadata: {name: a, NEW}, spec: {containers: [{name: a}]}, status: {phase: Pending, qosClass: BestEffort}}"},
		{"a Pod with requests", "v1/Pod", "", "{metadata: {name: a}, spec: {containers: [{name: a, resources: {requests: {cpu: '1'}}}]}, status: {}}", "{metadata: {name: a, NEW, generation: 1}, spec: {containers: [{name: a, resources: {requests: {cpu: '1'}}}]}, status: {phase: Pending, qosClass: Burstable}}"},
		{"a Pod that says its class", "v1/Pod", "1.36", "{metadata: {name: a}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Guaranteed}}", "{metadata: {name: a, NEW, generation: 1}, spec: {containers: [{name: a}]}, status: {phase: Pending, qosClass: Guaranteed}}"},
		{"a Pod whose class is computed", "v1/Pod", "", "{metadata: {name: a}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Guaranteed}}", "{metadata: {name: a, NEW, generation: 1}, spec: {containers: [{name: a}]}, status: {phase: Pending, qosClass: BestEffort}}"},
		{"a topology that v1 only shows", "discovery.k8s.io/v1/EndpointSlice", "", "{metadata: {name: a}, endpoints: [{addresses: [10.0.0.1], deprecatedTopology: {kubernetes.io/hostname: n}}, {addresses: [10.0.0.2]}]}",
			"{metadata: {name: a, NEW, generation: 1}, endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}]}"},
		{"a Pod at a gate", "v1/Pod", "", "{metadata: {name: a}, spec: {schedulingGates: [{name: g}]}, status: {}}",
			"{metadata: {name: a, NEW, generation: 1}, spec: {schedulingGates: [{name: g}]}, status: {phase: Pending, qosClass: BestEffort, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated, message: Scheduling is blocked due to non-empty scheduling gates, lastProbeTime: null, lastTransitionTime: '" + now + "'}]}}"},
		{"a custom resource", "example.com/v1/Widget", "", "{metadata: {name: a}, spec: {a: b}}", "{metadata: {name: a, NEW, generation: 1}, spec: {a: b}}"},
		{"a custom resource loses its status", "example.com/v1/Widget", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW, generation: 1}}"},
		{"where the status is a field like others", "example.com/v1/Gadget", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW, generation: 1}, status: {a: b}}"},
		{"a kind that is not known", "example.com/v1/Thing", "", "{metadata: {name: a}, status: {a: b}}", "{metadata: {name: a, NEW}, status: {a: b}}"},
		{"no metadata", "v1/Namespace", "", "{spec: {}, status: {}}", "{spec: {finalizers: [kubernetes]}, status: {phase: Active}}"},
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
		{"another template", "v1/PodTemplate", "{metadata: {name: a}, template: {a: b}}", "{metadata: {name: a, generation: 1}, template: {}}", "{metadata: {name: a, generation: 1}, template: {a: b}}"},
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

// TestStored: the objects of manifests get what their creation gave them, but neither
// metadata nor a status; one that replaces another gets what most strategies would keep.
func TestStored(t *testing.T) {
	const space = "{metadata: {name: a}, spec: {}}"
	for _, c := range []struct {
		name, resource, kind, object string
		isNew, shared                bool
		want                         string
	}{
		{"one that is there", "namespaces", "v1/Namespace", space, false, false, "{metadata: {name: a}, spec: {finalizers: [kubernetes]}}"},
		{"its status stays", "namespaces", "v1/Namespace", "{metadata: {name: a}, spec: {}, status: {phase: Terminating}}", false, false, "{metadata: {name: a}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}"},
		{"a volume gets no status", "persistentvolumes", "v1/PersistentVolume", "{metadata: {name: a}, spec: {}}", false, false, "{metadata: {name: a}, spec: {}}"},
		{"and keeps its own", "persistentvolumes", "v1/PersistentVolume", "{metadata: {name: a}, spec: {}, status: {phase: Bound}}", false, false, "{metadata: {name: a}, spec: {}, status: {phase: Bound}}"},
		{"one that replaces it", "namespaces", "v1/Namespace", space, true, false, space},
		{"one of a kind whose update adds nothing", "jobs.v1.batch", "batch/v1/Job", "{metadata: {name: a, uid: u}, spec: {template: {}}}", true, false,
			"{metadata: {name: a, uid: u}, spec: {template: {metadata: {labels: {job-name: a, batch.kubernetes.io/job-name: a, controller-uid: u, batch.kubernetes.io/controller-uid: u}}}, selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}}}"},
		{"nothing", "namespaces", "v1/Namespace", "", false, false, ""},
		{"without strategies", "namespaces", "v1/Namespace", space, false, true, space},
		{"of another kind", "namespaces", "v1/Service", space, false, false, space},
		{"of a resource that is not known", "things", "v1/Namespace", space, false, false, space},
		{"of a kind without a strategy", "configmaps", "v1/ConfigMap", "{metadata: {name: a}}", false, false, "{metadata: {name: a}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now, SharedOnly: c.shared}
			s.Attributes.Kind = kindOf(c.kind)
			s.Attributes.Resource = schema.GroupVersionResource{Version: "v1", Resource: c.resource}
			if parsed, _ := schema.ParseResourceArg(c.resource); parsed != nil {
				s.Attributes.Resource = *parsed
			}
			var object, want map[string]any
			if c.object != "" {
				object, want = decoded(t, c.object), decoded(t, c.want)
			}
			if got := s.Stored(object, c.isNew); !reflect.DeepEqual(got, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, got), asYAML(t, want))
			}
			if object != nil && !reflect.DeepEqual(object, decoded(t, c.object)) {
				t.Errorf("what was given becomes %s", asYAML(t, object))
			}
		})
	}
}

// TestTokenRequest: a request for a token gets the name and namespace of its account.
func TestTokenRequest(t *testing.T) {
	for given, want := range map[string]string{
		"{metadata: {}}": "{metadata: {name: robot, namespace: shop, creationTimestamp: '" + now + "'}}",
		"{spec: {}}":     "{spec: {}, metadata: {name: robot, namespace: shop, creationTimestamp: '" + now + "'}}",
		"{metadata: {name: b, namespace: c, creationTimestamp: null}}": "{metadata: {name: b, namespace: c, creationTimestamp: '" + now + "'}}",
	} {
		s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}, Now: now}
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

// TestProfiles: annotations and fields of AppArmor, with what the client is warned about.
// Up to 1.33 a new Pod shows a field as an annotation too.
func TestProfiles(t *testing.T) {
	const annotated = "container.apparmor.security.beta.kubernetes.io/a"
	const warned = "metadata.annotations[" + annotated + `]: deprecated since v1.30; use the "appArmorProfile" field instead`
	pod := func(annotation, whole, own string) string {
		text := "{metadata: {name: p"
		if annotation != "" {
			text += ", annotations: {" + annotated + ": " + annotation + "}"
		}
		text += "}, spec: {"
		if whole != "" {
			text += "securityContext: {appArmorProfile: " + whole + "}, "
		}
		text += "containers: [{name: a"
		if own != "" {
			text += ", securityContext: {appArmorProfile: " + own + "}"
		}
		return text + "}]}}"
	}
	const free, normal = "{type: Unconfined}", "{type: RuntimeDefault}"
	for _, c := range []struct{ name, version, given, want, warning string }{
		{"nothing", "1.33", pod("", "", ""), pod("", "", ""), ""},
		{"an annotation", "1.36", pod("unconfined", "", ""), pod("unconfined", "", free), warned},
		{"one that nobody knows", "1.36", pod("mine", "", ""), pod("mine", "", ""), warned},
		{"both", "1.36", pod("unconfined", "", normal), pod("unconfined", "", normal), ""},
		{"both, up to 1.33", "1.33", pod("unconfined", "", normal), pod("unconfined", "", normal), ""},
		{"an annotation beside the Pod's own profile", "1.36", pod("unconfined", normal, ""), pod("unconfined", normal, free), warned},
		{"the same as the Pod's own", "1.36", pod("unconfined", free, ""), pod("unconfined", free, ""), ""},
		{"a field", "1.36", pod("", "", normal), pod("", "", normal), ""},
		{"a field, up to 1.33", "1.33", pod("", "", normal), pod("runtime/default", "", normal), ""},
		{"the Pod's field, up to 1.33", "1.33", pod("", free, ""), pod("unconfined", free, ""), ""},
		{"a profile without a name, up to 1.33", "1.33", pod("", "", "{type: Localhost}"), pod("", "", "{type: Localhost}"), ""},
		{"without metadata, up to 1.33", "1.33", "{spec: {containers: [{name: a, securityContext: {appArmorProfile: {type: Unconfined}}}]}}", "{spec: {containers: [{name: a, securityContext: {appArmorProfile: {type: Unconfined}}}]}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := version.MustParse(c.version)
			s := Storage{Chain: &run.Chain{Version: v, Report: &report.Report{}}}
			object := decoded(t, c.given)
			s.profiles(object)
			if want := decoded(t, c.want); !reflect.DeepEqual(object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, object), asYAML(t, want))
			}
			if got := strings.Join(s.Warnings(), "; "); got != c.warning {
				t.Errorf("the warning is %q", got)
			}
		})
	}
	for annotation, want := range map[string]map[string]any{
		"": nil, "p": nil, "localhost/": nil, "localhost/ p": nil, "unconfined": {"type": "Unconfined"}, "runtime/default": {"type": "RuntimeDefault"},
		"localhost/p": {"type": "Localhost", "localhostProfile": "p"},
	} {
		if got := annotatedProfile(annotation); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v", annotation, got)
		}
	}
}

// TestClaimOrSnapshot: what the older field for the origin of a claim may name.
func TestClaimOrSnapshot(t *testing.T) {
	const snapshots = "snapshot.storage.k8s.io"
	var got []string
	for _, group := range []string{"", snapshots, "example.com"} {
		for _, kind := range []string{"PersistentVolumeClaim", "VolumeSnapshot", "Thing"} {
			if claimOrSnapshot(map[string]any{"apiGroup": group, "kind": kind}) {
				got = append(got, group+"/"+kind)
			}
		}
	}
	if !slices.Equal(got, []string{"/PersistentVolumeClaim", snapshots + "/VolumeSnapshot"}) {
		t.Errorf("got %q", got)
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
