package run

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func chain(t *testing.T, kubernetes string) *Chain {
	t.Helper()
	v := version.MustParse(kubernetes)
	kinds, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	return &Chain{Catalog: kinds, Version: v}
}

func fromYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRequestValue: the variable request, as the JSON of an AdmissionRequest
// (semantics §1.3): what is empty is left out.
func TestRequestValue(t *testing.T) {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	beta := schema.GroupVersionResource{Group: "extensions", Version: "v1beta1", Resource: "deployments"}
	kind, betaKind := deployments.GroupVersion().WithKind("Deployment"), beta.GroupVersion().WithKind("Deployment")
	own := `kind: {group: apps, version: v1, kind: Deployment}
resource: {group: apps, version: v1, resource: deployments}
requestKind: {group: apps, version: v1, kind: Deployment}
requestResource: {group: apps, version: v1, resource: deployments}
operation: CREATE
dryRun: false
options: null
`
	for _, test := range []struct {
		name     string
		change   func(*Attributes)
		kind     schema.GroupVersionKind
		resource schema.GroupVersionResource
		want     string // besides own
	}{
		{"next to nothing", func(*Attributes) {}, kind, deployments, "userInfo: {}"},
		{"everything", func(a *Attributes) {
			a.SubResource, a.Name, a.Namespace, a.Options = "scale", "web", "shop", map[string]any{"kind": "CreateOptions"}
			a.User = &user.DefaultInfo{Name: "jane", UID: "7", Groups: []string{"a", "b"}, Extra: map[string][]string{"k": {"v", "w"}}}
		}, kind, deployments, `subResource: scale
requestSubResource: scale
name: web
namespace: shop
options: {kind: CreateOptions}
userInfo: {username: jane, uid: "7", groups: [a, b], extra: {k: [v, w]}}
`},
		{"seen as another version", func(*Attributes) {}, betaKind, beta, `userInfo: {}
kind: {group: extensions, version: v1beta1, kind: Deployment}
resource: {group: extensions, version: v1beta1, resource: deployments}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := chain(t, "1.36")
			c.Attributes = Attributes{Request: match.Request{Kind: kind, Resource: deployments, Operation: "CREATE"}, User: &user.DefaultInfo{}}
			test.change(&c.Attributes)
			got, err := json.Marshal(c.requestValue(test.kind, test.resource))
			if err != nil {
				t.Fatal(err)
			}
			want := fromYAML(t, own)
			if err := yaml.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			var back map[string]any
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, want) {
				t.Errorf("got %s\nwant %v", got, want)
			}
		})
	}
}

// TestExposedNamespace: what expressions see of namespaceObject.
func TestExposedNamespace(t *testing.T) {
	given := fromYAML(t, `{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {b: c}, ownerReferences: [], managedFields: [], selfLink: x}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}`)
	want := fromYAML(t, `{metadata: {name: a, labels: {b: c}}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}`)
	if got := exposedNamespace(given); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFreshlyManaged: whose managedFields have the time of this request.
func TestFreshlyManaged(t *testing.T) {
	const with, without = `metadata: {managedFields: [{manager: a}]}`, `metadata: {}`
	for _, test := range []struct {
		name, kind, operation, object, old string
		want                               bool
	}{
		{"a new Pod", "Pod", "CREATE", with, "{}", true},
		{"a new Eviction", "Eviction", "CREATE", with, "{}", false},
		{"an update by another", "Pod", "UPDATE", with, without, true},
		{"an update that changes nothing", "Pod", "UPDATE", with, with, false},
		{"a deletion", "Pod", "DELETE", "{}", with, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := chain(t, "1.36")
			c.Attributes.Kind = schema.GroupVersionKind{Version: "v1", Kind: test.kind}
			c.Attributes.Operation, c.Attributes.Object, c.Attributes.OldObject = test.operation, fromYAML(t, test.object), fromYAML(t, test.old)
			if c.Start(); c.Precise != test.want {
				t.Errorf("got %t", c.Precise)
			}
		})
	}
}

// TestTypesOf: from 1.37 on expressions see Go values of built-in kinds.
func TestTypesOf(t *testing.T) {
	pod, secret := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	if types := chain(t, "1.36").TypesOf(pod, &secret); types.Object != nil || types.OldObject != nil || types.Params != nil || types.Request != nil || types.Namespace != nil {
		t.Errorf("in 1.36: %+v", types)
	}
	c := chain(t, "1.37")
	types := c.TypesOf(pod, &secret)
	if types.Object.Name() != "v1.Pod" || types.OldObject.Name() != "v1.Pod" || types.Params.Name() != "v1.Secret" || types.Namespace.Name() != "v1.Namespace" || types.Request.Name() != "v1.AdmissionRequest" {
		t.Errorf("got %+v", types)
	}
	if custom := c.TypesOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, nil); custom.Object != nil || custom.OldObject != nil || custom.Params != nil {
		t.Errorf("of a custom resource: %+v", custom)
	}
	for _, test := range []struct {
		name string
		of   eval.GoType
		form eval.Form
	}{
		{"a Pod", types.Object, eval.Struct},
		{"its labels", types.Object.Field("metadata").Field("labels"), eval.Map},
		{"its containers", types.Object.Field("spec").Field("containers"), eval.List},
		{"one of them", types.Object.Field("spec").Field("containers").Elem(), eval.Struct},
		{"its name", types.Object.Field("metadata").Field("name"), eval.Scalar},
		{"the groups of the user", types.Request.Field("userInfo").Field("groups"), eval.List},
		{"what else is known of the user", types.Request.Field("userInfo").Field("extra"), eval.Map},
		{"one of that", types.Request.Field("userInfo").Field("extra").Elem(), eval.List},
	} {
		if got := test.of.Form(); got != test.form {
			t.Errorf("%s: form %v, want %v", test.name, got, test.form)
		}
	}
	if types.Object.Field("none") != nil || types.Object.Elem() != nil || types.Request.Elem() != nil {
		t.Error("what a type does not have is nil")
	}
}

// TestMetrics: a metric keeps its place, however many there are.
func TestMetrics(t *testing.T) {
	var m metrics
	metric := func(i int) Metric { return Metric{Name: "m", Code: string(rune('a' + i))} }
	for range 2 {
		for i := range 3 * fewMetrics {
			if got := m.index(metric(i)); got != i {
				t.Fatalf("metric %d is at %d", i, got)
			}
		}
	}
	for i := range 3 * fewMetrics {
		if got := m.index(metric(i)); got != i {
			t.Fatalf("metric %d is at %d", i, got)
		}
	}
}
