package completion

import (
	"context"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

func functionsOf(t *testing.T, kubernetes string) []Function {
	t.Helper()
	c, err := New(kubernetes, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Functions()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReferenceHasEveryFunction compares the reference with what the engine declares.
func TestReferenceHasEveryFunction(t *testing.T) {
	var listed []string
	for _, h := range functions() {
		if slices.Contains(listed, h.name) {
			t.Errorf("%s is listed twice", h.name)
		}
		listed = append(listed, h.name)
	}
	newest := scenario.Versions()[len(scenario.Versions())-1]
	c, err := New(newest, nil)
	if err != nil {
		t.Fatal(err)
	}
	env, err := c.checker.Env(check.View{Scope: eval.Scope{Authorizer: true, Patch: true}})
	if err != nil {
		t.Fatal(err)
	}
	q := &query{Completer: c}
	for name, f := range env.Functions() {
		if _, ok := q.functionItem(name, f.OverloadDecls(), f); ok && !slices.Contains(listed, name) {
			t.Errorf("%s has no example", name)
		}
	}
	reference := functionsOf(t, newest)
	for _, name := range listed {
		known := slices.ContainsFunc(reference, func(f Function) bool { return f.Name == name })
		if later := c.version.Before(version.FunctionSince(name)); known == later {
			t.Errorf("%s: in the reference of %s is %t", name, newest, known)
		}
	}
}

// TestExamplesOfTheReference evaluates each example in the newest version.
func TestExamplesOfTheReference(t *testing.T) {
	newest := scenario.Versions()[len(scenario.Versions())-1]
	for _, f := range functionsOf(t, newest) {
		s := scenario.Scenario{
			Kubernetes: newest, Expression: f.Example, ExpressionContext: f.Context,
			Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n",
		}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Expression == nil || r.Expression.Error != "" || !r.Expression.Evaluated {
			t.Errorf("%s: %s gives %+v %v", f.Name, f.Example, r.Expression, r.Diagnostics)
		}
		if f.Doc == "" || f.Cost == "" || f.Signature == "" || f.Apply == "" {
			t.Errorf("%s lacks something: %+v", f.Name, f)
		}
	}
}

func TestOlderVersionsHaveFewerFunctions(t *testing.T) {
	all, last := scenario.Versions(), 0
	for _, v := range all {
		n := len(functionsOf(t, v))
		if n < last {
			t.Errorf("%s has %d functions, the version before %d", v, n, last)
		}
		last = n
	}
	if first := len(functionsOf(t, all[0])); first >= last {
		t.Errorf("%s has %d functions, %s %d", all[0], first, all[len(all)-1], last)
	}
}
