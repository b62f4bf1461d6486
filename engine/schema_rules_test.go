package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const volumes = `schema:
  type: object
  required: [size]
  properties:
    size: {type: integer, maximum: 1000, x-kubernetes-validations: [{rule: self >= oldSelf, message: it never shrinks, reason: FieldValueForbidden}]}
    name: {type: string, maxLength: 10, default: data}
  x-kubernetes-validations:
  - {rule: "self.name != 'root' || self.size > 5", messageExpression: "'too small: ' + self.name", fieldPath: .size}
`

func evaluateRules(t *testing.T, text string) *report.Report {
	t.Helper()
	r, err := engine.Evaluate(t.Context(), scenario.Scenario{Expression: text, ExpressionContext: scenario.RuleContext}, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRulesAlone(t *testing.T) {
	const whole = `schema:
  type: object
  x-kubernetes-validations: [{rule: "self.metadata.name.startsWith('team-')"}]
  properties: {spec: {type: object}}
self: {apiVersion: shop.example.com/v1, kind: Team, metadata: {name: web}, spec: {}}
`
	for name, test := range map[string]struct {
		text, operation string
		state           report.RulesState
		messages        []string
		warnings        []string
		exit            int
	}{
		"no value": {volumes, "", report.RulesUndecided, nil, nil, report.ExitAdmitted},
		"created":  {volumes + "self: {size: 3}\n", "CREATE", report.RulesValid, nil, nil, report.ExitAdmitted},
		"a message that is computed, at another field": {volumes + "self: {size: 3, name: root}\n", "CREATE", report.RulesInvalid,
			[]string{"self.size: Invalid value: too small: root"}, nil, report.ExitDenied},
		"a transition": {volumes + "self: {size: 3}\noldSelf: {size: 5}\n", "UPDATE", report.RulesInvalid,
			[]string{"self.size: Forbidden: it never shrinks"}, nil, report.ExitDenied},
		"what has not changed": {volumes + "self: {size: 3, name: root}\noldSelf: {size: 3, name: root}\n", "UPDATE", report.RulesValid,
			nil, []string{"self.size: Invalid value: too small: root"}, report.ExitAdmitted},
		"the schema first": {volumes + "self: {name: root}\n", "CREATE", report.RulesInvalid,
			[]string{"self.size: Required value", "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"}, nil, report.ExitDenied},
		"an optional old value": {"schema: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: \"!oldSelf.hasValue() && self == 'a'\", optionalOldSelf: true}]}\nself: a\n", "CREATE", report.RulesValid, nil, nil, report.ExitAdmitted},
		"a scalar": {"schema: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: \"self == 'b'\"}]}\nself: a\n", "CREATE", report.RulesInvalid,
			[]string{`self: Invalid value: "a": failed rule: self == 'b'`}, nil, report.ExitDenied},
		"a whole object": {whole, "CREATE", report.RulesInvalid, []string{"<nil>: Invalid value: failed rule: self.metadata.name.startsWith('team-')"}, nil, report.ExitDenied},
		"no rule compiles": {"schema: {type: string, x-kubernetes-validations: [{rule: self.nope}]}\nself: a\n", "", report.RulesRefused,
			[]string{`schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.nope","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection` + "\n | self.nope\n | ....^"}, nil, report.ExitWrong},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluateRules(t, test.text)
			if r.Rules == nil {
				t.Fatalf("nothing but %+v", r.Diagnostics)
			}
			got := r.Rules
			if got.State != test.state || got.Operation != test.operation || !slices.Equal(got.Messages, test.messages) || !slices.Equal(got.Warnings, test.warnings) {
				t.Errorf("got %s %s %q warnings %q", got.State, got.Operation, got.Messages, got.Warnings)
			}
			if code := r.ExitCode(); code != test.exit {
				t.Errorf("exit code %d, want %d", code, test.exit)
			}
		})
	}
}

// TestRulesAloneShowWhatRan: each evaluation has its place in the text, values of its
// parts and its cost; a transition rule that was not asked says so.
func TestRulesAloneShowWhatRan(t *testing.T) {
	text := volumes + "self: {size: 3, name: root, extra: 1}\n"
	r := evaluateRules(t, text)
	var paths []string
	for _, v := range r.Rules.Validations {
		paths = append(paths, v.Path)
		if got := text[v.Span.Start:v.Span.End]; !strings.Contains(got, strings.Fields(v.Expression)[0]) {
			t.Errorf("%s is at %q", v.Path, got)
		}
	}
	if want := []string{"schema.x-kubernetes-validations[0].rule", "schema.properties[size].x-kubernetes-validations[0].rule"}; !slices.Equal(paths, want) {
		t.Fatalf("got %q", paths)
	}
	first, second := r.Rules.Validations[0], r.Rules.Validations[1]
	if first.Result != false || first.Cost != 6 || len(first.Children) == 0 || first.MessageExpression == nil || first.MessageExpression.Result != "too small: root" {
		t.Errorf("got %+v", first)
	}
	if second.Evaluated || len(second.Notes) != 1 || second.Notes[0].Code != "transition-rule-not-run" {
		t.Errorf("got %+v", second)
	}
	if b := r.Rules.Budget; b == nil || b.Used != first.Cost+first.MessageExpression.Cost {
		t.Errorf("the budget is %+v", b)
	}
	if c := r.Rules.Cost("schema"); c == nil || c.Rules != 3 || c.Exceeded {
		t.Errorf("the costs are %+v", r.Rules.Costs)
	}
	if !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == "unknown-field" && text[d.Span.Start:d.Span.End] == "extra"
	}) {
		t.Errorf("nothing says that extra is dropped: %+v", r.Diagnostics)
	}
}

// TestMissingSizes: a rule that is too dear names the limits whose lack makes it so, and
// with those that it proposes the server takes the schema.
func TestMissingSizes(t *testing.T) {
	for name, test := range map[string]struct{ text, detail string }{
		"a list of texts": {`schema:
  type: object
  properties:
    other: {type: string}
    members:
      type: array
      items: {type: string}
  x-kubernetes-validations:
  - rule: self.members.all(a, self.members.exists_one(b, a == b))
`, "maxItems of self.members and maxLength of self.members[]"},
		"around the rule": {`schema:
  type: object
  additionalProperties:
    type: array
    maxItems: 20
    items:
      type: string
      x-kubernetes-validations:
      - rule: self.matches('^[a-z]+$')
`, "maxProperties of self and maxLength of self[][]"},
		"in brackets": {`schema: {type: string, x-kubernetes-validations: [{rule: "self.split('').all(a, self.split('').all(b, a == b))"}]}
`, "maxLength of self"},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluateRules(t, test.text)
			i := slices.IndexFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
				return strings.Contains(d.Summary, "estimated rule cost exceeds") && len(d.Fixes) == 1
			})
			if i < 0 {
				t.Fatalf("no repair: %+v", r.Diagnostics)
			}
			if d := r.Diagnostics[i]; !strings.HasSuffix(d.Detail, "the missing "+test.detail+".") {
				t.Errorf("got %s", d.Detail)
			}
			repaired, err := r.Diagnostics[i].Fixes[0].Apply(diag.Expression, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := evaluateRules(t, repaired); got.Rules.State != report.RulesUndecided || len(got.Diagnostics) > 0 {
				t.Errorf("%s\ngives %+v", repaired, got.Diagnostics)
			}
		})
	}
}

// TestUnusableRules: what is wrong with the text itself has a place.
func TestUnusableRules(t *testing.T) {
	for text, want := range map[string]string{
		"self: 1\n":                                            "required-value",
		"schema: {type: integer}\noldSelf: 1\n":                "required-value",
		"schema: {type: integer}\nslef: 1\n":                   "unknown-field",
		"schema: integer\n":                                    "wrong-type",
		"schema: {type: integer}\n---\nschema: {type: string}": "several-documents",
		"schema: {type: [}\n":                                  "yaml-syntax",
	} {
		r := evaluateRules(t, text)
		if !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Code == want && d.Text == diag.Expression && d.Line > 0
		}) {
			t.Errorf("%q: got %+v", text, r.Diagnostics)
		}
		if code := r.ExitCode(); code != report.ExitWrong {
			t.Errorf("%q: exit code %d", text, code)
		}
	}
}
