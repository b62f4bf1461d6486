package hints

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
)

func TestCompile(t *testing.T) {
	for _, tc := range []struct {
		place         *model.Place
		message, want string
	}{
		{model.WebhookCondition, "undeclared reference to 'params' (in container '')", "Webhooks have no params."},
		{model.MatchCondition, "undeclared reference to 'params' (in container '')", "The policy has no spec.paramKind, so there are no params."},
		{model.MatchCondition, "undeclared reference to 'variables' (in container '')", "Match conditions are compiled without variables"},
		{model.Validation, "undeclared reference to 'variables' (in container '')", "The policy has no spec.variables."},
		{model.MessageExpression, "undeclared reference to 'authorizer' (in container '')", "Message expressions have no authorizer."},
		{model.Variable, "undeclared reference to 'Object' (in container '')", "exist only in spec.mutations"},
		{model.Validation, "undeclared reference to 'self' (in container '')", "CustomResourceDefinitions"},
		{model.Validation, "undeclared reference to 'replicas' (in container '')", ""},
		{model.Validation, "undefined field 'object'", "variables of their own"},
		{model.Validation, "found no matching overload for '_+_' applied to '(string, int)'", "Both sides must have the same type"},
		{model.Validation, "found no matching overload for '_==_' applied to '(optional_type(dyn), string)'", "Read it with .orValue(default)"},
		{model.Validation, "Syntax error: mismatched input", ""},
		{model.Validation, "Syntax error: mismatched input 'and' expecting <EOF>", "Write && for and"},
	} {
		if got := Compile(tc.place, tc.message); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s, %s: %q, want %q", tc.place.Name, tc.message, got, tc.want)
		}
	}
}

func TestReturnType(t *testing.T) {
	for _, tc := range []struct {
		place         *model.Place
		message, want string
	}{
		{model.WebhookCondition, "must evaluate to bool but got dyn", "bool(...)"},
		{model.Validation, "must evaluate to bool but got string", "a comparison or another test"},
		{model.MessageExpression, "must evaluate to string but got int", "string(...)"},
		{model.AuditAnnotation, "must evaluate to one of [string null_type] but got int", "string(...)"},
		{model.JSONPatch, "must evaluate to list(JSONPatch) but got list(dyn)", "An empty list alone has no type."},
		{model.ApplyConfiguration, "must evaluate to Object but got map(string, int)", "Object{...}"},
		{model.Validation, "must evaluate to bool", ""}, // before 1.32 the server does not say what it got
	} {
		if got := ReturnType(tc.place, tc.message); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s, %s: %q, want %q", tc.place.Name, tc.message, got, tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		place *model.Place
		want  string
	}{
		{model.WebhookCondition, "authorizer"},
		{model.MatchCondition, "params authorizer"},
		{model.Validation, "params authorizer variables"},
		{model.MessageExpression, "params variables"},
		{model.JSONPatch, "params authorizer variables Object JSONPatch"},
	} {
		got := strings.Join(slices.DeleteFunc(Names(tc.place), func(name string) bool {
			return slices.Contains([]string{"object", "oldObject", "request", "namespaceObject"}, name)
		}), " ")
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.place.Name, got, tc.want)
		}
	}
}

func TestTerse(t *testing.T) {
	for message, want := range map[string]string{
		"undeclared reference to 'a' (in container '')":                   "undeclared reference to 'a'",
		"Syntax error: mismatched input '<EOF>' expecting {'[', '{'}":     "Syntax error: the expression ends too early",
		"found no matching overload for '_+_' applied to '(string, int)'": "found no matching overload for '_+_' applied to '(string, int)'",
	} {
		if got := Terse(message); got != want {
			t.Errorf("%s: %q", message, got)
		}
	}
}
