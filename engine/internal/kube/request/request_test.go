package request

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func kinds(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.For(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summary writes a request as one JSON text for comparison.
func summary(t *testing.T, r *Request) string {
	t.Helper()
	if r == nil {
		return "none"
	}
	extra := r.User.Extra
	if extra == nil {
		extra = map[string][]string{}
	}
	data, err := json.Marshal(map[string]any{
		"form": r.Form, "op": r.Operation, "kind": plain(r.Kind), "resource": plainResource(r.Resource, r.SubResource),
		"name": r.Name, "namespace": r.Namespace, "dryRun": r.DryRun, "uid": r.UID, "options": r.Options,
		"user":   map[string]any{"name": r.User.Name, "uid": r.User.UID, "groups": r.User.Groups, "extra": extra},
		"object": r.Object, "oldObject": r.OldObject,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const captured = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: u1
  kind: {group: autoscaling, version: v1, kind: Scale}
  resource: {group: apps, version: v1, resource: deployments}
  subResource: scale
  requestKind: {group: autoscaling, version: v1, kind: Scale}
  requestResource: {group: apps, version: v1, resource: deployments}
  requestSubResource: scale
  name: web
  namespace: team
  operation: UPDATE
  userInfo: {username: bob, uid: "7", groups: [a, b], extra: {example.com/x: [z]}}
  object: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web}, spec: {replicas: 2}}
  oldObject: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web}, spec: {replicas: 1}}
  dryRun: true
  options: {kind: UpdateOptions, apiVersion: meta.k8s.io/v1, fieldManager: m}
`

const capturedSummary = `{"dryRun":true,"form":"AdmissionReview","kind":"autoscaling/v1 Scale","name":"web","namespace":"team",
"object":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{"replicas":2}},
"oldObject":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{"replicas":1}},
"op":"UPDATE","options":{"apiVersion":"meta.k8s.io/v1","fieldManager":"m","kind":"UpdateOptions"},"resource":"apps/v1 deployments/scale","uid":"u1",
"user":{"extra":{"example.com/x":["z"]},"groups":["a","b"],"name":"bob","uid":"7"}}`

// jane is the made-up user in summary's form.
const jane = `"user":{"extra":{},"groups":["system:authenticated"],"name":"jane","uid":""}`

func TestParse(t *testing.T) {
	tests := []struct {
		name, text, want string
		derived          []string
		diags            []string // severity code "place" summary
	}{
		{"captured review", captured, capturedSummary, nil, nil},
		{"nothing", " \n# only a comment\n", "none", nil, nil},
		{"bare pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n",
			`{"dryRun":false,"form":"object","kind":"v1 Pod","name":"web","namespace":"default","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"}},
			"oldObject":null,"op":"CREATE","options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"},"resource":"v1 pods","uid":"",` + jane + `}`,
			[]string{"The text is an object, so the operation is CREATE.", "The user is assumed: jane, in the group system:authenticated.",
				"The resource is v1 pods, derived from the kind v1 Pod.", "The namespace is default, because the object names none."}, nil},
		{"bare namespace", "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n",
			`{"dryRun":false,"form":"object","kind":"v1 Namespace","name":"team","namespace":"team","object":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}},
			"oldObject":null,"op":"CREATE","options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"},"resource":"v1 namespaces","uid":"",` + jane + `}`,
			[]string{"The text is an object, so the operation is CREATE.", "The user is assumed: jane, in the group system:authenticated.",
				"The resource is v1 namespaces, derived from the kind v1 Namespace.", "The namespace is team: a request on a Namespace is in that namespace."}, nil},
		{"bare cluster-scoped with generateName", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {generateName: r-}\n",
			`{"dryRun":false,"form":"object","kind":"rbac.authorization.k8s.io/v1 ClusterRole","name":"","namespace":"","object":{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"generateName":"r-"}},
			"oldObject":null,"op":"CREATE","options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"},"resource":"rbac.authorization.k8s.io/v1 clusterroles","uid":"",` + jane + `}`,
			[]string{"The text is an object, so the operation is CREATE.", "The user is assumed: jane, in the group system:authenticated.",
				"The resource is rbac.authorization.k8s.io/v1 clusterroles, derived from the kind rbac.authorization.k8s.io/v1 ClusterRole."}, nil},
		{"request with little in it", "operation: DELETE\noldObject: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: team}}\nuserInfo: {username: bob}\n",
			`{"dryRun":false,"form":"AdmissionRequest","kind":"apps/v1 Deployment","name":"web","namespace":"team","object":null,
			"oldObject":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"team"}},
			"op":"DELETE","options":{"apiVersion":"meta.k8s.io/v1","kind":"DeleteOptions"},"resource":"apps/v1 deployments","uid":"","user":{"extra":{},"groups":null,"name":"bob","uid":""}}`,
			[]string{"The kind is apps/v1 Deployment, as in the object.", "The resource is apps/v1 deployments, derived from the kind apps/v1 Deployment.",
				"The name is web, from the object.", "The namespace is team, from the object.", "The options are empty DeleteOptions."}, nil},
		{"only two objects", `{"object": {"metadata": {"name": "c"}}, "oldObject": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, "kind": {"group": "", "version": "v1", "kind": "ConfigMap"}}`,
			`{"dryRun":false,"form":"AdmissionRequest","kind":"v1 ConfigMap","name":"c","namespace":"default","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}},
			"oldObject":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}},"op":"UPDATE","options":{"apiVersion":"meta.k8s.io/v1","kind":"UpdateOptions"},"resource":"v1 configmaps","uid":"",` + jane + `}`,
			[]string{"The operation is UPDATE, because of the given objects.", "The user is assumed: jane, in the group system:authenticated.",
				"The resource is v1 configmaps, derived from the kind v1 ConfigMap.", "object gets the apiVersion and kind of the request, v1 ConfigMap.",
				"The name is c, from the object.", "The namespace is default, because the object names none.", "The options are empty UpdateOptions."}, nil},
		{"kind of a subresource", "operation: CREATE\nsubResource: eviction\nresource: {version: v1, resource: pods}\nname: web\nnamespace: team\nuserInfo: {}\noptions: {}\nobject: {metadata: {name: web}}\n",
			`{"dryRun":false,"form":"AdmissionRequest","kind":"policy/v1 Eviction","name":"web","namespace":"team","object":{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}},
			"oldObject":null,"op":"CREATE","options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"},"resource":"v1 pods/eviction","uid":"","user":{"extra":{},"groups":null,"name":"","uid":""}}`,
			[]string{"The kind is policy/v1 Eviction, derived from the resource.", "object gets the apiVersion and kind of the request, policy/v1 Eviction."}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, diags := Parse(nil, tt.text, nil, kinds(t))
			if got := summary(t, r); got != strings.ReplaceAll(strings.ReplaceAll(tt.want, "\n", ""), "\t", "") {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if r != nil && !reflect.DeepEqual(r.Derived, tt.derived) {
				t.Errorf("derived\ngot  %q\nwant %q", r.Derived, tt.derived)
			}
			if got := places(tt.text, diags); !reflect.DeepEqual(got, tt.diags) {
				t.Errorf("diagnostics\ngot  %q\nwant %q", got, tt.diags)
			}
		})
	}
}

// TestBackToRequested undoes the conversion for a webhook whose rules name another version than the
// client's.
func TestBackToRequested(t *testing.T) {
	text := func(kind, resource string) string {
		return `
kind: {group: autoscaling, version: v2, kind: HorizontalPodAutoscaler}
resource: {group: autoscaling, version: v2, resource: horizontalpodautoscalers}
requestKind: ` + kind + `
requestResource: ` + resource + `
operation: CREATE
name: h
namespace: team
userInfo: {username: bob}
options: {}
object:
  apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: h, namespace: team}
  spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}}
`
	}
	r, diags := Parse(nil, text("{group: autoscaling, version: v1, kind: HorizontalPodAutoscaler}", "{group: autoscaling, version: v1, resource: horizontalpodautoscalers}"), nil, kinds(t))
	if r == nil || len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	spec, _ := r.Object["spec"].(map[string]any)
	if plain(r.Kind) != "autoscaling/v1 HorizontalPodAutoscaler" || r.Resource.Version != "v1" || r.Object["apiVersion"] != "autoscaling/v1" || spec["maxReplicas"] != int64(3) {
		t.Errorf("%v %v %v", r.Kind, r.Resource, r.Object)
	}
	if want := []string{"The text shows the object converted to autoscaling/v2 HorizontalPodAutoscaler for a webhook; the request was for autoscaling/v1 HorizontalPodAutoscaler, and starts from that."}; !reflect.DeepEqual(r.Derived, want) {
		t.Errorf("derived %q", r.Derived)
	}
	strange := text("{group: example.com, version: v1, kind: Other}", "{group: example.com, version: v1, resource: others}")
	r, diags = Parse(nil, strange, nil, kinds(t))
	if r == nil || plain(r.Kind) != "autoscaling/v2 HorizontalPodAutoscaler" || len(diags) != 1 || diags[0].Code != "not-converted" {
		t.Errorf("%+v, %+v", r, diags)
	}
}

func places(text string, diags []diag.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %d:%d %q %s", d.Severity, d.Code, d.Line, d.Column, text[d.Span.Start:d.Span.End], d.Summary))
	}
	return list
}

func TestProblems(t *testing.T) {
	pod := "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: n}}"
	review := func(request string) string {
		return "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n" + request
	}
	tests := []struct {
		name, text string
		runs       bool
		want       []string
	}{
		{"broken YAML", "a: b: c", false, []string{`error yaml-syntax 1:5 ":" this value contains ": "; put it in quotes`}},
		{"name that YAML reads as a boolean", "operation: CREATE\nname: no\nobject: " + pod, false, []string{`error wrong-type 2:7 "no" name must be a string, not the boolean false`}},
		{"no kind", "metadata: {name: x}\n", false, []string{`error not-a-request 1:1 "metadata: {name: x}" this is neither an object nor a request: it has no kind`}},
		{"an empty kind", "apiVersion: v1\nkind: \"\"\n", false, []string{`error not-a-request 2:7 "\"\"" this is neither an object nor a request: it has no kind`}},
		{"a kind with a tag alone", "apiVersion: v1\nkind: !kind\n", false, []string{`error not-a-request 2:1 "kind" this is neither an object nor a request: it has no kind`}},
		{"an empty kind beside an operation", "operation: CREATE\nkind: \"\"\n", false, []string{`error wrong-type 2:7 "\"\"" kind must be an object, not the string ""`}},
		{"no apiVersion", "kind: Pod\n", false, []string{`error no-api-version 1:1 "kind: Pod" the object has no apiVersion`}},
		{"two documents", pod + "\n---\n" + pod, false, []string{`error several-requests 3:1 "` + pod + `" the request is one object, but the text has 2 documents`}},
		{"list", "kind: List\nitems:\n- " + pod + "\n- " + pod, false, []string{`error several-requests 4:3 "` + pod + `" the request is one object, but the text has a list of 2`}},
		{"list of one", "kind: List\nitems:\n- " + pod, true, nil},
		{"unknown fields", review("  opration: CREATE\n  object: " + pod + "\n  userInfo: {user: x}\nmetadata: {}\n"), false, []string{
			`error unknown-field 7:1 "metadata" unknown field "metadata"`,
			`error unknown-field 6:14 "user" unknown field "request.userInfo.user"`,
			`error unknown-field 4:3 "opration" unknown field "request.opration"`}},
		{"wrong types", review("  operation: 1\n  object: []\n  dryRun: 'no'\n  name: {a: b}\n  userInfo: {groups: [1], extra: {a: b}}\n"), false, []string{
			`error wrong-type 5:11 "[]" request.object must be an object, not a list`,
			`error wrong-type 4:14 "1" request.operation must be a string, not the number 1`,
			`error wrong-type 7:9 "{a: b}" request.name must be a string, not an object`,
			`error wrong-type 6:11 "'no'" request.dryRun must be true or false, not the string "no"`,
			`error wrong-type 8:23 "1" request.userInfo.groups[0] must be a string, not the number 1`,
			`error wrong-type 8:38 "b" request.userInfo.extra.a must be a list of strings, not the string "b"`}},
		{"unknown operation", "operation: PUT\nobject: " + pod, false, []string{`error unknown-value 1:12 "PUT" "PUT" is not "CREATE", "UPDATE", "DELETE" or "CONNECT"`}},
		{"other apiVersion", "apiVersion: admission.k8s.io/v2\nkind: AdmissionReview\nrequest: {operation: CREATE, object: " + pod + "}\n", false, []string{
			`error unknown-value 1:13 "admission.k8s.io/v2" "admission.k8s.io/v2" is not "admission.k8s.io/v1" or "admission.k8s.io/v1beta1"`}},
		{"response", "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {allowed: true}\n", false, []string{
			`info response-ignored 3:11 "{allowed: true}" an AdmissionReview's response is not used here`,
			`error no-request 1:1 "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {allowed: true}" this AdmissionReview has no request`}},
		{"nothing to go by", "userInfo: {}\n", false, []string{`error no-operation 1:1 "userInfo: {}" the request has neither an operation nor an object`}},
		{"CREATE without an object", "operation: CREATE\nkind: {version: v1, kind: Pod}\n", false, []string{
			"error no-object 1:1 \"operation: CREATE\\nkind: {version: v1, kind: Pod}\" a CREATE needs an object"}},
		{"CREATE with an old object", "operation: CREATE\nobject: " + pod + "\noldObject: " + pod, true, []string{
			`warning unexpected-old-object 3:12 "` + pod + `" the server sends no oldObject with a CREATE; it is left out`}},
		{"UPDATE without an old object", review("  operation: UPDATE\n  object: " + pod), true, []string{
			`warning no-old-object 4:3 "operation: UPDATE\n  object: ` + pod + `" the server always sends an oldObject with an UPDATE`}},
		{"DELETE with an object", "operation: DELETE\nobject: " + pod + "\noldObject: " + pod, true, []string{
			`warning unexpected-object 2:9 "` + pod + `" the server sends no object with a DELETE; it is left out`}},
		{"object without a kind", "operation: CREATE\nobject: {metadata: {name: x}}\n", false, []string{
			"error no-kind 1:1 \"operation: CREATE\\nobject: {metadata: {name: x}}\" the kind of the object is missing"}},
		{"a Scale that does not say whose", "operation: UPDATE\nsubResource: scale\nobject: {apiVersion: autoscaling/v1, kind: Scale}\noldObject: {apiVersion: autoscaling/v1, kind: Scale}\n", true, nil},
		{"another kind", "operation: CREATE\nkind: {version: v1, kind: Secret}\nobject: " + pod, true, []string{
			`warning kind-mismatch 3:32 "Pod" the object is v1 Pod, but the request says v1 Secret`}},
		{"custom resource without a definition", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n", true, []string{
			`warning unknown-kind 2:7 "Widget" Kubernetes 1.37 has no kind example.com/v1 Widget, and no CustomResourceDefinition here defines it`}},
		{"wrong version", "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: w}\n", true, []string{
			`warning unknown-kind 2:7 "Deployment" Kubernetes 1.37 does not serve extensions/v1beta1 Deployment`}},
		{"no name", "apiVersion: v1\nkind: Pod\n", true, []string{`warning no-name 1:1 "apiVersion: v1\nkind: Pod" the object has no name; the server would reject it after admission`}},
		{"namespace of a cluster-scoped object", "apiVersion: v1\nkind: Node\nmetadata: {name: node, namespace: x}\n", true, []string{
			`warning unexpected-namespace 3:35 "x" v1 Node is not namespaced; the server would reject the object`}},
		{"kind AdmissionRequest", "kind: AdmissionRequest\noperation: CREATE\n", false, []string{`error not-a-request 1:7 "AdmissionRequest" an AdmissionRequest has no apiVersion and kind of its own`}},
		{"subresource twice", "operation: CREATE\nrequestSubResource: status\nobject: " + pod, true, []string{
			`warning subresource-mismatch 2:21 "status" requestSubResource is "status", but subResource is ""`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, diags := Parse(nil, tt.text, nil, kinds(t))
			if (r != nil) != tt.runs {
				t.Errorf("runs: %v, want %v", r != nil, tt.runs)
			}
			if got := places(tt.text, diags); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("diagnostics\ngot  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestEmptyPolicies: an autoscaler with an empty list of policies does not get the defaults, which
// only apply to a missing list.
func TestEmptyPolicies(t *testing.T) {
	c := kinds(t)
	for policies, want := range map[string]int{"": 1, ", policies: null": 1, ", policies: []": 0, ", policies: [{type: Pods, value: 1, periodSeconds: 5}, {type: Pods, value: 2, periodSeconds: 5}]": 2} {
		r, problems := Parse(nil, "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {maxReplicas: 2, behavior: {scaleDown: {selectPolicy: Min"+policies+"}}}}", nil, c)
		if r == nil {
			t.Fatal(problems)
		}
		r.Complete(c)
		list, _, err := unstructured.NestedSlice(r.Object, "spec", "behavior", "scaleDown", "policies")
		if err != nil || len(list) != want {
			t.Errorf("%q: %v, %v", policies, list, err)
		}
	}
}
