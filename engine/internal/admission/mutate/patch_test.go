package mutate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	celmutation "k8s.io/apiserver/pkg/cel/mutation"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

func value(v any) ref.Val { return types.DefaultTypeAdapter.NativeToValue(v) }

// TestHoldsObject: Object values inside the lists and maps of a patch's value.
func TestHoldsObject(t *testing.T) {
	object := &dynamic.ObjectVal{}
	nested := func(depth int, v any) ref.Val {
		for range depth {
			v = []ref.Val{value(v)}
		}
		return value(v)
	}
	for _, test := range []struct {
		name  string
		value ref.Val
		want  bool
	}{
		{"an object itself", object, false},
		{"a text", types.String("a"), false},
		{"a list of objects", value([]ref.Val{object}), true},
		{"the second item", value([]ref.Val{types.Int(1), object}), true},
		{"a list of texts", value([]string{"a"}), false},
		{"a value of a map", value(map[ref.Val]ref.Val{types.String("a"): object}), true},
		{"a map of texts", value(map[string]string{"a": "b"}), false},
		{"far inside", nested(50, ref.Val(object)), true},
		{"too far to look", nested(maxValueDepth+5, ref.Val(object)), false},
	} {
		if got := holdsObject(test.value, 0); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestDescribe: a patch as the report shows it, whatever is in it.
func TestDescribe(t *testing.T) {
	patch, err := jsonpatch.DecodePatch([]byte(`[{"op": "add", "path": "/a", "value": {"b": 1}}, {"op": "move", "from": "/a", "path": "/c", "else": 1}, {"op": "remove", "path": 7}]`))
	if err != nil {
		t.Fatal(err)
	}
	broken := json.RawMessage(`{`)
	patch = append(patch, jsonpatch.Operation{"op": &broken, "value": &broken})
	want := []report.PatchOperation{{Op: "add", Path: "/a", Value: map[string]any{"b": 1.0}}, {Op: "move", From: "/a", Path: "/c"}, {Op: "remove"}, {Op: "{", Value: "{"}}
	if got := describe(patch); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestOperation: what becomes of one JSONPatch value. Texts are quoted as Go does.
func TestOperation(t *testing.T) {
	for _, test := range []struct {
		name  string
		given celmutation.JSONPatchVal
		want  string
		err   string
	}{
		{"a removal", celmutation.JSONPatchVal{Op: "remove", Path: "/a"}, `op="remove" path="/a"`, ""},
		{"a move", celmutation.JSONPatchVal{Op: "move", Path: "/a", From: "/b"}, `from="/b" op="move" path="/a"`, ""},
		{"a value", celmutation.JSONPatchVal{Op: "add", Path: "/a", Val: types.String("x")}, `op="add" path="/a" value="x"`, ""},
		{"null", celmutation.JSONPatchVal{Op: "add", Path: "/a", Val: types.NullValue}, `op="add" path="/a" value=null`, ""},
		{"a control character", celmutation.JSONPatchVal{Op: "remove", Path: "/\a"}, `op="remove" path="/\a"`, ""},
		{"a type", celmutation.JSONPatchVal{Op: "add", Path: "/a", Val: types.StringType}, "", "could not marshal to JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			op, err := operation(&test.given)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, key := range []string{"from", "op", "path", "value"} {
				if raw := op[key]; raw != nil {
					parts = append(parts, key+"="+string(*raw))
				}
			}
			if got := strings.Join(parts, " "); got != test.want || len(op) != len(parts) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestBackToRequest: versions of built-in kinds only convert through the internal one,
// which this step does not use (semantics §6.4.5). A custom resource is not converted here,
// whatever a patch made of it.
func TestBackToRequest(t *testing.T) {
	v := version.MustParse("1.36")
	kinds, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	request := schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
	r := &policyRun{Chain: &run.Chain{Catalog: kinds, Version: v, Attributes: run.Attributes{Request: match.Request{Kind: request}}}}
	widget := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	for _, test := range []struct {
		from, kind schema.GroupVersionKind
		want       string
	}{
		{request, request, ""},
		{request, schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"}, "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion"},
		{request, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, `v1.Pod is not suitable for converting to "autoscaling/v2" in scheme "` + catalog.SchemeName + `"`},
		{request, schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}, `v1.Eviction is not suitable for converting to "autoscaling/v2" in scheme "` + catalog.SchemeName + `"`},
		{widget, widget, ""},
		{widget, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, ""},
	} {
		got := ""
		if err := r.backToRequest(test.from, test.kind); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s to %s: %s, want %s", test.from, test.kind, got, test.want)
		}
	}
}

// TestForms checks that the first read of an object decides whether CEL gets it as a Go
// value, until the object changes, and that what a match condition needs lasts.
func TestForms(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	v := version.MustParse("1.37")
	kinds, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		reads string // c a match condition, m a mutation, ! the object changes
		want  string // for each read: o the object is a Go value, O and the old one; - neither, x only the old one
	}{
		{"a mutation alone", "mm", "--"},
		{"a condition alone", "cc", "OO"},
		{"a condition first", "cm", "OO"},
		{"a mutation first", "mc", "--"},
		{"until it changes", "m!c", "-o"},
		{"and the wish lasts", "c!m", "OO"},
		{"a mutation, then a condition, then another", "mc!m", "--o"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &policyRun{Chain: &run.Chain{Catalog: kinds, Version: v}, forms: map[schema.GroupVersionKind]*celForms{}}
			got := ""
			for _, read := range test.reads {
				if read == '!' {
					r.changed(pod)
					continue
				}
				types := r.types(run.Invocation{Kind: pod}, read == 'c')
				switch {
				case types.Object != nil && types.OldObject != nil:
					got += "O"
				case types.Object != nil:
					got += "o"
				case types.OldObject != nil:
					got += "x"
				default:
					got += "-"
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
