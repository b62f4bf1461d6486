package storage

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestPrepare: namespaces, names, statuses and the changes that a scenario lists, by
// operation and subresource.
func TestPrepare(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	const (
		left  = "the namespace of the provided object does not match the namespace sent on the request"
		where = "{metadata: {name: a, namespace: shop}}"
	)
	for _, c := range []struct {
		name, request, kind string // operation, subresource, kind
		object, old         string
		changes             scenario.BeforeValidation
		want                string // of the object; "" is none
		refused             string
		problems            int
	}{
		{name: "a deletion", request: "DELETE", kind: "v1/ConfigMap"},
		{name: "a connection", request: "CONNECT", kind: "v1/ConfigMap", object: "{metadata: {name: a, namespace: other}}", want: "{metadata: {name: a, namespace: other}}"},
		{name: "its namespace", request: "UPDATE", kind: "v1/ConfigMap", object: where, old: where, want: where},
		{name: "no namespace", request: "UPDATE", kind: "v1/ConfigMap", object: "{metadata: {name: a}}", old: where, want: where},
		{name: "another namespace", request: "UPDATE", kind: "v1/ConfigMap", object: "{metadata: {name: a, namespace: other}}", old: where, refused: left},
		{name: "of a status", request: "UPDATE status", kind: "v1/Pod", object: "{metadata: {name: a, namespace: other}}", old: where, refused: left},
		{name: "another subresource is not asked", request: "UPDATE resize", kind: "v1/Pod", object: "{metadata: {name: a, namespace: other}}", old: where, want: "{metadata: {name: a, namespace: other}}"},
		{name: "a namespace of the cluster's", request: "UPDATE", kind: "v1/Node", object: "{metadata: {name: a, namespace: shop}}", old: "{metadata: {name: a}}", want: "{metadata: {name: a}}"},
		{name: "the status of an update", request: "UPDATE", kind: "v1/Pod", object: "{metadata: {name: a, namespace: shop}, status: {phase: Running}}", old: "{metadata: {name: a, namespace: shop}, status: {phase: Pending}}",
			want: "{metadata: {name: a, namespace: shop}, status: {phase: Pending}}"},
		{name: "an update of the status", request: "UPDATE status", kind: "v1/Pod", object: "{metadata: {name: a, namespace: shop}, status: {phase: Running}}", old: "{metadata: {name: a, namespace: shop}, status: {phase: Pending}}",
			want: "{metadata: {name: a, namespace: shop}, status: {phase: Running}}"},
		{name: "the status of a Node is not for an update", request: "UPDATE", kind: "v1/Node", object: "{metadata: {name: a}, status: {a: b}}", old: "{metadata: {name: a}, status: {a: c}}", want: "{metadata: {name: a}, status: {a: c}}"},
		{name: "what the scenario's server did", request: "UPDATE", kind: "v1/ConfigMap", object: "{metadata: {name: a, namespace: shop}, data: {a: b, c: d}}", old: where,
			changes: scenario.BeforeValidation{Set: map[string]any{"/data/e": 7}, Remove: []string{"/data/a"}}, want: "{metadata: {name: a, namespace: shop}, data: {c: d, e: 7}}"},
		{name: "where there is no place", request: "UPDATE", kind: "v1/ConfigMap", object: "{metadata: {name: a, namespace: shop}, data: x}", old: where,
			changes: scenario.BeforeValidation{Set: map[string]any{"/data/e": "f"}}, want: "{metadata: {name: a, namespace: shop}, data: x}", problems: 1},
		{name: "what is no JSON", request: "UPDATE", kind: "v1/ConfigMap", object: where, old: where,
			changes: scenario.BeforeValidation{Set: map[string]any{"/data": func() {}}}, want: where, problems: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Storage{Chain: &run.Chain{Catalog: kinds, Version: version.Default()}, Now: "2026-01-01T00:00:00Z", Changes: c.changes}
			a := &s.Attributes
			a.Kind = schema.FromAPIVersionAndKind(c.kind[:2], c.kind[3:])
			a.Name, a.Namespace = "a", "shop"
			a.Operation, a.SubResource = c.request, ""
			for i := range c.request {
				if c.request[i] == ' ' {
					a.Operation, a.SubResource = c.request[:i], c.request[i+1:]
				}
			}
			var before map[string]any
			if c.object != "" {
				a.Object, before = decoded(t, c.object), decoded(t, c.object)
			}
			given := a.Object
			if c.old != "" {
				a.OldObject = decoded(t, c.old)
			}
			problems, status := s.Prepare()
			if got := message(status); got != c.refused || len(problems) != c.problems {
				t.Errorf("refused: %q, problems: %v", got, problems)
			}
			if !reflect.DeepEqual(given, before) {
				t.Errorf("what was given became %s", asYAML(t, given))
			}
			if c.refused != "" {
				return
			}
			var want map[string]any
			if c.want != "" {
				want = decoded(t, c.want)
			}
			if !reflect.DeepEqual(a.Object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, a.Object), asYAML(t, want))
			}
		})
	}
}

// TestNames: a generated name stands for itself, in the request too.
func TestNames(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, object, want, made string }{
		{"a name", "{metadata: {name: b, generateName: a-, namespace: shop}}", "b", ""},
		{"a generated one", "{metadata: {generateName: a-, namespace: shop}}", "a-xxxxx", "/metadata/name"},
		{"a long one", "{metadata: {generateName: " + strings.Repeat("a", 60) + ", namespace: shop}}", strings.Repeat("a", 58) + "xxxxx", "/metadata/name"},
		{"none", "{metadata: {namespace: shop}}", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Storage{Chain: &run.Chain{Catalog: kinds, Version: version.Default()}, Now: "2026-01-01T00:00:00Z"}
			a := &s.Attributes
			a.Kind, a.Operation, a.Namespace, a.Object = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "CREATE", "shop", decoded(t, c.object)
			if _, status := s.Prepare(); status != nil {
				t.Fatal(status)
			}
			made := ""
			for _, p := range s.Placeholders {
				made += p
			}
			if a.Name != c.want || metadataString(a.Object, "name") != c.want || made != c.made {
				t.Errorf("name %q, in the object %q, made %q", a.Name, metadataString(a.Object, "name"), made)
			}
		})
	}
}

// TestOwnNamespace: rest.EnsureObjectNamespaceMatchesRequestNamespace of k8s.io/apiserver.
func TestOwnNamespace(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	const left = "the namespace of the provided object does not match the namespace sent on the request"
	for _, c := range []struct {
		name, kind, of, sub, given string
		want, refusal              string
	}{
		{"its own", "v1/Service", "shop", "", "shop", "shop", ""},
		{"none", "v1/Service", "shop", "", "", "shop", ""},
		{"another", "v1/Service", "shop", "", "other", "other", left},
		{"another, of a status", "v1/Service", "shop", "status", "other", "other", left},
		{"another, of a scale", "v1/Service", "shop", "scale", "other", "other", ""},
		{"none, of a scale", "v1/Service", "shop", "scale", "", "", ""},
		{"of what has none", "v1/Node", "", "", "shop", "", ""},
		{"of a Namespace, which is in its own", "v1/Namespace", "shop", "", "shop", "", ""},
		{"none of what has none", "v1/Node", "", "", "", "", ""},
		{"of a kind that is not known", "example.com/v1/Thing", "shop", "", "other", "other", ""},
	} {
		s := Storage{Chain: &run.Chain{Catalog: kinds, Version: version.Default()}}
		at := strings.LastIndex(c.kind, "/")
		a := &s.Attributes
		a.Kind, a.Namespace, a.SubResource = schema.FromAPIVersionAndKind(c.kind[:at], c.kind[at+1:]), c.of, c.sub
		metadata := map[string]any{"name": "a"}
		if c.given != "" {
			metadata["namespace"] = c.given
		}
		if got := message(s.ownNamespace(map[string]any{"metadata": metadata})); got != c.refusal {
			t.Errorf("%s: %q", c.name, got)
		}
		got, given := metadata["namespace"].(string)
		if got != c.want || given != (c.want != "") {
			t.Errorf("%s: it is in %q", c.name, got)
		}
	}
	s := Storage{Chain: &run.Chain{Catalog: kinds, Version: version.Default()}}
	s.Attributes.Kind, s.Attributes.Namespace = schema.GroupVersionKind{Version: "v1", Kind: "Service"}, "shop"
	if object := map[string]any{}; s.ownNamespace(object) != nil || len(object) > 0 {
		t.Errorf("an object without metadata becomes %v", object)
	}
}

// TestNothingFromBefore: an update of which the review does not say what was there.
func TestNothingFromBefore(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"", "status"} {
		s := Storage{Chain: &run.Chain{Catalog: kinds, Version: version.Default()}}
		s.Attributes.Kind, s.Attributes.SubResource = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}, sub
		object := decoded(t, `{metadata: {}, spec: {template: {a: b}}, status: {a: b}}`)
		if got := s.beforeUpdate(object); !reflect.DeepEqual(got, decoded(t, `{metadata: {}, spec: {template: {a: b}}, status: {a: b}}`)) {
			t.Errorf("%s: it becomes %v", sub, got)
		}
	}
}

// TestReceivedByStorageOfPods: a Binding keeps the uid of the Pod that it is meant for.
func TestReceivedByStorageOfPods(t *testing.T) {
	for subResource, want := range map[string]string{"": "{metadata: {name: a}}", "eviction": "{metadata: {name: a}}", "binding": "{metadata: {name: a, uid: u}}", "token": "{metadata: {name: a, uid: u}}"} {
		r := match.Request{Operation: "CREATE", SubResource: subResource, Kind: kindOf("v1/Binding")}
		object := decoded(t, "{metadata: {name: a, uid: u}}")
		if got, _ := Received(kindsOf(t, version.Default()), r, object, ""); !reflect.DeepEqual(got, decoded(t, want)) {
			t.Errorf("%q: it becomes %v", subResource, got)
		}
		if !reflect.DeepEqual(object, decoded(t, "{metadata: {name: a, uid: u}}")) {
			t.Errorf("%q: the object of the request became %v", subResource, object)
		}
	}
}

// TestReceivedDeviceTaints: a device taint without a time gets that of the request.
func TestReceivedDeviceTaints(t *testing.T) {
	for object, want := range map[string]string{
		"{kind: DeviceTaintRule, metadata: {}, spec: {taint: {key: a}}}":                                  "{kind: DeviceTaintRule, metadata: {}, spec: {taint: {key: a, timeAdded: now}}}",
		"{kind: DeviceTaintRule, metadata: {}, spec: {taint: {key: a, timeAdded: then}}}":                 "{kind: DeviceTaintRule, metadata: {}, spec: {taint: {key: a, timeAdded: then}}}",
		"{kind: ResourceSlice, metadata: {}, spec: {devices: [{taints: [{}]}, {}]}}":                      "{kind: ResourceSlice, metadata: {}, spec: {devices: [{taints: [{timeAdded: now}]}, {}]}}",
		"{kind: ResourceSlice, metadata: {}, spec: {devices: [{basic: {taints: [{key: a}, {key: b}]}}]}}": "{kind: ResourceSlice, metadata: {}, spec: {devices: [{basic: {taints: [{key: a, timeAdded: now}, {key: b, timeAdded: now}]}}]}}",
		"{kind: DeviceTaintRule, metadata: {}}":                                                           "{kind: DeviceTaintRule, metadata: {}}",
	} {
		sent := decoded(t, object)
		r := match.Request{Operation: "CREATE", Kind: kindOf("resource.k8s.io/v1/" + sent["kind"].(string))}
		if got, _ := Received(kindsOf(t, version.Default()), r, sent, "now"); !reflect.DeepEqual(got, decoded(t, want)) {
			t.Errorf("%s becomes %v", object, got)
		}
		if !reflect.DeepEqual(sent, decoded(t, object)) {
			t.Errorf("the sent object became %v", sent)
		}
	}
}

// TestReceivedNamespace: the object of a client is in the namespace of the request before
// anything is asked about it.
func TestReceivedNamespace(t *testing.T) {
	pods, nodes := schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	for name, c := range map[string]struct {
		request      match.Request
		object, want string
	}{
		"none":                  {match.Request{Operation: "CREATE", Resource: pods, Kind: kindOf("v1/Pod"), Namespace: "shop"}, "{metadata: {name: a}}", "{metadata: {name: a, namespace: shop}}"},
		"none of a subresource": {match.Request{Operation: "CREATE", Resource: pods, SubResource: "eviction", Kind: kindOf("policy/v1/Eviction"), Namespace: "shop"}, "{metadata: {name: a}}", "{metadata: {name: a, namespace: shop}}"},
		"its own":               {match.Request{Operation: "UPDATE", Resource: pods, Kind: kindOf("v1/Pod"), Namespace: "shop"}, "{metadata: {name: a, namespace: shop}}", "{metadata: {name: a, namespace: shop}}"},
		"another":               {match.Request{Operation: "UPDATE", Resource: pods, Kind: kindOf("v1/Pod"), Namespace: "shop"}, "{metadata: {name: a, namespace: other}}", "{metadata: {name: a, namespace: other}}"},
		"one in none":           {match.Request{Operation: "CREATE", Resource: nodes, Kind: kindOf("v1/Node")}, "{metadata: {name: a, namespace: shop}}", "{metadata: {name: a}}"},
		"a kind that is not known": {match.Request{Operation: "CREATE", Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "keys"}, Kind: kindOf("example.com/v1/Key"), Namespace: "shop"},
			"{metadata: {name: a}}", "{metadata: {name: a}}"},
	} {
		if got, _ := Received(kindsOf(t, version.Default()), c.request, decoded(t, c.object), ""); !reflect.DeepEqual(got, decoded(t, c.want)) {
			t.Errorf("%s: it becomes %v", name, got)
		}
	}
}

// TestAnswered: the defaults that an object gets when it is read from storage again.
func TestAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		kind, object string
		path         []string
		want         any
	}{
		"a claim":              {"v1/PersistentVolumeClaim", "{status: {}}", []string{"status", "phase"}, "Pending"},
		"one with a phase":     {"v1/PersistentVolumeClaim", "{status: {phase: Bound}}", []string{"status", "phase"}, "Bound"},
		"of another kind":      {"v1/Service", "{status: {}}", []string{"status", "phase"}, nil},
		"a Job without labels": {"batch/v1/Job", "{metadata: {name: j}, spec: {template: {metadata: {labels: {a: b}}}}}", []string{"metadata", "labels", "a"}, "b"},
		"a Job with labels":    {"batch/v1/Job", "{metadata: {labels: {c: d}}, spec: {template: {metadata: {labels: {a: b}}}}}", []string{"metadata", "labels", "a"}, nil},
		"an empty map":         {"v1/Node", "{status: {allocatable: {}, capacity: {cpu: '4'}}}", []string{"status", "allocatable", "cpu"}, "4"},
		"a name elsewhere":     {"v1/Service", "{spec: {type: ExternalName, internalTrafficPolicy: Cluster}}", []string{"spec", "internalTrafficPolicy"}, nil},
	} {
		given := decoded(t, c.object)
		s := Storage{Chain: &run.Chain{Catalog: kindsOf(t, version.Default()), Version: version.Default()}}
		s.Attributes.Kind, s.Attributes.Object = kindOf(c.kind), given
		got, _, _ := unstructured.NestedFieldNoCopy(s.Answered(), c.path...)
		if got != c.want || !reflect.DeepEqual(given, decoded(t, c.object)) {
			t.Errorf("%s: got %v, and the object is %v", name, got, given)
		}
	}
}

// TestMisaddressed: what a client sends to another place than the object's is refused.
func TestMisaddressed(t *testing.T) {
	pods, nodes := schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	for name, c := range map[string]struct {
		request      match.Request
		object, want string
	}{
		"its own":                {match.Request{Operation: "UPDATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {name: a, namespace: shop}}", ""},
		"without a namespace":    {match.Request{Operation: "UPDATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {name: a}}", ""},
		"another namespace":      {match.Request{Operation: "CREATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {name: a, namespace: other}}", "the namespace of the provided object does not match the namespace sent on the request"},
		"one in none":            {match.Request{Operation: "CREATE", Resource: nodes, Name: "a"}, "{metadata: {name: a, namespace: other}}", ""},
		"another name":           {match.Request{Operation: "UPDATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {name: b}}", "the name of the object (b) does not match the name on the URL (a)"},
		"of a new one":           {match.Request{Operation: "CREATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {generateName: b}}", ""},
		"no name":                {match.Request{Operation: "UPDATE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {}}", "the name of the object (a based on URL) was undeterminable: name must be provided"},
		"a deletion has no body": {match.Request{Operation: "DELETE", Resource: pods, Name: "a", Namespace: "shop"}, "{metadata: {name: b, namespace: other}}", ""},
	} {
		got := ""
		if status := Misaddressed(kindsOf(t, version.Default()), c.request, decoded(t, c.object)); status != nil {
			got = status.ErrStatus.Message
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
