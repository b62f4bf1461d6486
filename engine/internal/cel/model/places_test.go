package model

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestPlaceOf(t *testing.T) {
	for path, want := range map[string]*Place{
		"webhooks[2].matchConditions[0].expression":         WebhookCondition,
		"spec.matchConditions[10].expression":               MatchCondition,
		"spec.variables[0].expression":                      Variable,
		"spec.validations[0].expression":                    Validation,
		"spec.validations[0].messageExpression":             MessageExpression,
		"spec.auditAnnotations[1].valueExpression":          AuditAnnotation,
		"spec.mutations[0].applyConfiguration.expression":   ApplyConfiguration,
		"spec.mutations[0].jsonPatch.expression":            JSONPatch,
		"spec.validations[0].message":                       nil,
		"spec.validations[key].expression":                  nil,
		"spec.validations.expression":                       nil,
		"webhooks[0].matchConditions[0].expression[0].more": nil,
		"": nil,
	} {
		if got := PlaceOf(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

// TestAt: what a place writes it finds again.
func TestAt(t *testing.T) {
	for _, p := range Places() {
		if p.Group != policyGroup {
			continue
		}
		if path := p.At(3, 4).String(); PlaceOf(path) != p {
			t.Errorf("%s: %s is the place of %v", p.Field, path, PlaceOf(path))
		}
	}
	if got := WebhookCondition.At(3, 4).String(); got != "webhooks[3].matchConditions[4].expression" {
		t.Error(got)
	}
}

func TestRan(t *testing.T) {
	for _, p := range Places() {
		if p.List == "" || p.Group != policyGroup {
			continue
		}
		got := Ran(&eval.Compiled{Place: p.Result})
		if got == nil || got.List != p.List || got.Budget != p.Budget {
			t.Errorf("%s: got %v", p.Field, got)
		}
	}
	for _, result := range []eval.Place{eval.Free, eval.VariableValue} {
		if got := Ran(&eval.Compiled{Place: result}); got != nil {
			t.Errorf("place %d is in no list, not in %s", result, got.List)
		}
	}
}

// TestContexts: a scenario can name the context of each place. Those of no place are outside admission
// (package elsewhere).
func TestContexts(t *testing.T) {
	var names []string
	for _, c := range scenario.ExpressionContexts {
		names = append(names, c.Name)
	}
	for _, p := range Places() {
		if p.Context != "" && !slices.Contains(names, p.Context) {
			t.Errorf("%s: no scenario can name the context %q", p.Field, p.Context)
		}
		if c := Context(p.Context); p.Context != "" && (c.Scope(true) != p.Scope(true) || c.Namespace != p.Namespace || c.Budget != p.Budget) {
			t.Errorf("%s and %s have the same context and differ in what they can read", p.Field, c.Field)
		}
	}
	if Context("") != Validation {
		t.Error("a free expression without a context is read as a validation")
	}
}

func TestFree(t *testing.T) {
	for name, want := range map[string]eval.Scope{
		"":           {Params: true, Authorizer: true},
		"webhook":    {Authorizer: true},
		"condition":  {Params: true, Authorizer: true},
		"validation": {Params: true, Authorizer: true},
		"message":    {Params: true},
		"mutation":   {Params: true, Authorizer: true, Patch: true},
	} {
		got := Free(name)
		if got.Scope != want || got.Place.Result != eval.Free || got.Webhook != -1 {
			t.Errorf("%q: %+v of %+v", name, got, got.Place)
		}
	}
	if Validation.Result != eval.Validation {
		t.Error("a place is changed")
	}
}
