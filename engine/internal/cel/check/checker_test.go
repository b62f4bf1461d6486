package check

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func kind(t *testing.T, apiVersion, name string) *catalog.Type {
	t.Helper()
	cat, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		t.Fatal(err)
	}
	typ, ok := cat.TypeOf(gv.WithKind(name))
	if !ok {
		t.Fatalf("no type %s %s", apiVersion, name)
	}
	return typ
}

func checker(t *testing.T) *Checker {
	t.Helper()
	c, err := New(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check gives the type of an expression, or the compiler's first message.
func check(t *testing.T, expression string, view View) string {
	t.Helper()
	r, err := checker(t).Check(expression, view)
	if err != nil {
		t.Fatal(err)
	}
	if r.AST == nil {
		return r.Issues.Errors()[0].Message
	}
	return cel.FormatCELType(r.AST.OutputType())
}

func TestTypesOfFields(t *testing.T) {
	deployment := kind(t, "apps/v1", "Deployment")
	for _, tc := range []struct{ expression, server, runtime string }{
		{"object.spec.replicas", "int", "int"},
		{"object.spec.replica", "undefined field 'replica'", "undefined field 'replica'"},
		{"object.metadata.labels", "map(string, string)", "map(string, string)"},
		{"object.spec.template.spec.containers.map(c, c.image)", "list(string)", "list(string)"},
		{"object.spec.template.spec.containers[0]", "<object>.spec.template.spec.containers.@idx", "<object>.spec.template.spec.containers.@idx"},
		// What only the schema says, and what the value is.
		{"object.metadata.creationTimestamp", "timestamp", "string"},
		{"object.spec.strategy.rollingUpdate.maxSurge", "dyn", "dyn"},
		{"object.spec.template.spec.containers[0].resources.limits", "undefined field 'limits'", "map(string, string)"},
		{"object.metadata.managedFields[0].fieldsV1", "<object>.metadata.managedFields.@idx.fieldsV1", "dyn"},
		// A field named like a reserved word; the server knows two spellings.
		{"object.metadata.namespace", "string", "string"},
		{"object.metadata.__namespace__", "string", "undefined field '__namespace__'"},
		// Fields are not types, however often they are named.
		{"has(object.spec) && object.spec == oldObject.spec && has(object.spec.paused)", "bool", "bool"},
		{"request.operation", "string", "string"},
		{"namespaceObject.metadata.labels", "map(string, string)", "map(string, string)"},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			if got := check(t, tc.expression, View{Object: deployment, Style: Server}); got != tc.server {
				t.Errorf("server: %s, want %s", got, tc.server)
			}
			if got := check(t, tc.expression, View{Object: deployment, Style: Runtime}); got != tc.runtime {
				t.Errorf("runtime: %s, want %s", got, tc.runtime)
			}
		})
	}
}

func TestTypesWithinThemselves(t *testing.T) {
	crd := kind(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
	schemaOf := "object.spec.versions[0].schema.openAPIV3Schema"
	if got := check(t, schemaOf+".properties['a'].type", View{Object: crd, Style: Runtime}); got != "string" {
		t.Errorf("runtime: %s", got)
	}
	if got := check(t, schemaOf+".properties['a'].type", View{Object: crd, Style: Server}); got != "undefined field 'type'" {
		t.Errorf("server: %s", got)
	}
}

func TestScopes(t *testing.T) {
	params := kind(t, "v1", "ConfigMap")
	all := eval.Scope{Params: true, Authorizer: true, Variables: true, Patch: true}
	for _, tc := range []struct {
		expression string
		view       View
		want       string
	}{
		{"params.data", View{Scope: all, Params: params}, "map(string, string)"},
		{"params.anything", View{Scope: all}, "dyn"},
		{"params.data", View{}, "undeclared reference to 'params' (in container '')"},
		{"authorizer.path('/healthz').check('get').allowed()", View{Scope: all}, "bool"},
		{"authorizer", View{}, "undeclared reference to 'authorizer' (in container '')"},
		{"variables.n + 1", View{Scope: all, Variables: []Variable{{Name: "n", Type: cel.IntType}}}, "int"},
		{"variables.m", View{Scope: all, Variables: []Variable{{Name: "n", Type: cel.IntType}}}, "undefined field 'm'"},
		{"Object{spec: Object.spec{replicas: 1}}", View{Scope: all}, "Object"},
		{"[JSONPatch{op: 'add'}]", View{Scope: all}, "list(JSONPatch)"},
		{"Object{}", View{}, "undeclared reference to 'Object' (in container '')"},
		{"object.any.thing", View{}, "dyn"},
	} {
		if got := check(t, tc.expression, tc.view); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.expression, got, tc.want)
		}
	}
}

func TestVariables(t *testing.T) {
	declared := []eval.Declaration{
		{Name: "pod", Expression: "object.spec.template.spec"},
		{Name: "containers", Expression: "variables.pod.containers"},
		{Name: "broken", Expression: "nonsense"},
		{Name: "names", Expression: "variables.containers.map(c, c.name)"},
	}
	view := View{Object: kind(t, "apps/v1", "Deployment"), Style: Runtime}
	describe := func(style Style, n int) string {
		view.Style = style
		variables, err := checker(t).Variables(declared[:n], view)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, v := range variables {
			out = append(out, v.Name+" "+cel.FormatCELType(v.Type))
		}
		return strings.Join(out, ", ")
	}
	want := "pod <object>.spec.template.spec, containers list(<object>.spec.template.spec.containers.@idx), broken dyn, names list(string)"
	if got := describe(Runtime, 4); got != want {
		t.Errorf("runtime: %s", got)
	}
	if got := describe(Server, 4); got != "pod dyn, containers dyn, broken dyn, names list(dyn)" {
		t.Errorf("server: %s", got)
	}
	if got := describe(Runtime, 1); got != "pod <object>.spec.template.spec" {
		t.Errorf("the first only: %s", got)
	}
	// A check that starts from the variables knows their structs.
	view.Style, view.Scope.Variables = Runtime, true
	variables, err := checker(t).Variables(declared, view)
	if err != nil {
		t.Fatal(err)
	}
	view.Variables = variables
	if got := check(t, "variables.containers.all(c, c.image != '')", view); got != "bool" {
		t.Error(got)
	}
	if got := check(t, "variables.containers.all(c, c.images != '')", view); got != "undefined field 'images'" {
		t.Error(got)
	}
}

func TestPlaceOf(t *testing.T) {
	r, err := checker(t).Check("object.spec.template", View{Object: kind(t, "apps/v1", "Deployment"), Style: Runtime})
	if err != nil || r.AST == nil {
		t.Fatal(err, r.Issues)
	}
	place, ok := r.PlaceOf(r.AST.OutputType())
	if !ok || place.Type.ID != "core/v1.PodTemplateSpec" || place.Name != "<object>.spec.template" {
		t.Errorf("%v %+v", ok, place)
	}
	if _, ok := r.PlaceOf(cel.StringType); ok {
		t.Error("a string has no place")
	}
}
