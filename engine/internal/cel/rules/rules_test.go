package rules_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiserver/pkg/cel/common"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func structural(t testing.TB, text string) *schema.Structural {
	t.Helper()
	var props v1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		t.Fatal(err)
	}
	node, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func compiler(t testing.TB, minor string) *rules.Compiler {
	t.Helper()
	environments, err := eval.NewSet().ForVersion(version.MustParse(minor))
	if err != nil {
		t.Fatal(err)
	}
	return &rules.Compiler{Environments: environments, Modes: rules.Stored}
}

// value is a decoded object; nil for an empty text.
func value(t testing.TB, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// validate runs the schema rules on an object, with an old one or none.
func validate(t testing.TB, c *rules.Compiler, node *schema.Structural, object, old string, budget int64) *rules.Run {
	t.Helper()
	validator := c.Validator(node, true)
	if validator == nil {
		t.Fatal("no rules")
	}
	run := &rules.Run{Evaluator: eval.NewEvaluator(context.Background(), eval.Options{}), Budget: budget}
	object1, old1 := value(t, object), value(t, old)
	var correlated *common.CorrelatedObject
	if old1 != nil {
		correlated = common.NewCorrelatedObject(object1, old1, &model.Structural{Structural: node})
	}
	run.Validate(validator, nil, object1, old1, correlated)
	return run
}

func texts(run *rules.Run) []string {
	var out []string
	for _, err := range run.Errors {
		out = append(out, err.Error())
	}
	for _, warning := range run.Warnings {
		out = append(out, "warning: "+warning)
	}
	return out
}

// below is a schema whose property a has these attributes.
func below(attributes string) string { return "{type: object, properties: {a: {" + attributes + "}}}" }

func TestRules(t *testing.T) {
	const (
		two      = `type: integer, x-kubernetes-validations: [{rule: self >= 2, message: too few}]`
		fixed    = `type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]`
		once     = `type: integer, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: once}]`
		keyed    = `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]}}}`
		plain    = `type: array, items: {type: integer, x-kubernetes-validations: [{rule: self < 10, message: too many}]}`
		values   = `type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self < 10, message: too many}]}`
		dividing = `type: integer, x-kubernetes-validations: [{rule: 10 / self > 1, message: divides}]`
	)
	for _, test := range []struct {
		name, schema, object, old string
		want                      []string
	}{
		{"holds", two, `{a: 2}`, "", nil},
		{"absent", two, `{}`, "", nil},
		{"fails", two, `{a: 1}`, "", []string{`a: Invalid value: 1: too few`}},
		{"error", dividing, `{a: 0}`, "", []string{`a: Invalid value: "integer": division by zero evaluating rule: divides`}},

		{"not asked about what is new", fixed, `{a: 1}`, "", nil},
		{"same", fixed, `{a: 1}`, `{a: 1}`, nil},
		{"changed", fixed, `{a: 1}`, `{a: 2}`, []string{`a: Invalid value: 1: fixed`}},
		{"first set by an update", fixed, `{a: 1}`, `{}`, nil},
		{"optional, created", once, `{a: 1}`, "", nil},
		{"optional, first set", once, `{a: 1}`, `{}`, nil},
		{"optional, changed", once, `{a: 1}`, `{a: 2}`, []string{`a: Invalid value: 1: once`}},
		{"item found by its key", keyed, `{a: [{k: y, v: 1}, {k: x, v: 1}]}`, `{a: [{k: x, v: 2}]}`, []string{`a[1].v: Invalid value: 1: fixed`}},
		{"item moved", keyed, `{a: [{k: y, v: 2}, {k: x, v: 1}]}`, `{a: [{k: x, v: 1}, {k: y, v: 2}]}`, nil},

		{"as it was before", two, `{a: 1, b: 1}`, `{a: 1}`, []string{`warning: a: Invalid value: 1: too few`}},
		{"worse than before", two, `{a: 0}`, `{a: 1}`, []string{`a: Invalid value: 0: too few`}},
		{"item as it was before", plain, `{a: [11]}`, `{a: [11]}`, []string{`warning: a[0]: Invalid value: 11: too many`}},
		{"list grew", plain, `{a: [11, 1]}`, `{a: [11]}`, []string{`a[0]: Invalid value: 11: too many`}},
		{"value of a map as before", values, `{a: {x: 11, y: 1}}`, `{a: {x: 11}}`, []string{`warning: a[x]: Invalid value: 11: too many`}},
		{"an error is never a warning", dividing, `{a: 0}`, `{a: 0}`, []string{`a: Invalid value: "integer": division by zero evaluating rule: divides`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := validate(t, compiler(t, "1.36"), structural(t, below(test.schema)), test.object, test.old, eval.Budget)
			if got := texts(run); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	for _, test := range []struct{ name, rule, want string }{
		{"of the rule", `rule: self.count > 1`, `a: Invalid value: failed rule: self.count > 1`},
		{"of the message", `rule: self.count > 1, message: " more "`, `a: Invalid value: more`},
		{"of the expression", `rule: self.count > 1, message: more, messageExpression: "'not ' + string(self.count)"`, `a: Invalid value: not 1`},
		{"empty", `rule: self.count > 1, message: more, messageExpression: "' '"`, `a: Invalid value: more`},
		{"with a line break", `rule: self.count > 1, message: more, messageExpression: "'a\\nb'"`, `a: Invalid value: more`},
		{"failing", `rule: self.count > 1, message: more, messageExpression: "string(1 / (self.count - self.count))"`, `a: Invalid value: more`},
		{"forbidden", `rule: self.count > 1, message: more, reason: FieldValueForbidden`, `a: Forbidden: more`},
		{"required", `rule: self.count > 1, message: more, reason: FieldValueRequired`, `a: Required value: more`},
		{"at a field", `rule: self.count > 1, message: more, fieldPath: .count`, `a.count: Invalid value: more`},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := structural(t, below(`type: object, required: [count], properties: {count: {type: integer}}, x-kubernetes-validations: [{`+test.rule+`}]`))
			run := validate(t, compiler(t, "1.36"), node, `{a: {count: 1}}`, "", eval.Budget)
			if got := texts(run); !reflect.DeepEqual(got, []string{test.want}) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestValueShown: until 1.34 the error of a rule shows the type of the value.
func TestValueShown(t *testing.T) {
	node := structural(t, below(`type: integer, x-kubernetes-validations: [{rule: self > 1, message: more}]`))
	for minor, want := range map[string]string{"1.34": `a: Invalid value: "integer": more`, "1.35": `a: Invalid value: 1: more`} {
		if got := texts(validate(t, compiler(t, minor), node, `{a: 1}`, "", eval.Budget)); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", minor, got, want)
		}
	}
}

// TestEquality: how values of rules are compared and added depends on the release.
func TestEquality(t *testing.T) {
	const (
		nullable = `type: object, properties: {n: {type: string, nullable: true}, i: {type: integer}, o: {type: object, nullable: true, properties: {n: {type: string, nullable: true}}}}`
		listed   = `type: array, items: {` + nullable + `}`
		keyed    = `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [i], items: {` + nullable + `}`
		values   = `type: object, additionalProperties: {type: string, nullable: true}`
		times    = `type: array, x-kubernetes-list-type: set, items: {type: string, format: date-time}`
		scalars  = `type: array, x-kubernetes-list-type: set, items: {type: string}`
		inside   = `type: object, properties: {l: {` + listed + `}, m: {` + values + `}, v: {type: object, additionalProperties: {` + nullable + `}}}`
		escaped  = `type: object, properties: {a__b__c: {type: string}, x-y: {type: string}, in: {type: string}}`
		day      = `"2026-01-01T00:00:00Z"`
	)
	for _, test := range []struct {
		name, schema, rule, a string
		// since is the first release in which the rule holds; holds at all when it is the oldest.
		since string
	}{
		{"null field", nullable, "self == self", `{n: null, i: 1}`, "1.34"},
		{"nothing null", nullable, "self == self", `{n: x, i: 1}`, "1.30"},
		{"unequal", nullable, "self != self", `{n: null}`, "1.30 to 1.33"},
		{"null in an object below", nullable, "self.o == self.o", `{o: {n: null}}`, "1.34"},
		{"in a list", listed, "self == self", `[{i: 1}, {n: null}]`, "1.34"},
		{"an item of a list", listed, "self[0] in self", `[{n: null}]`, "1.34"},
		{"items of a list", listed, "self.all(x, self.exists(y, x == y))", `[{n: null}]`, "1.34"},
		{"behind a sum", listed, "self + self == self + self", `[{n: null}]`, "1.34"},
		{"in a list by keys", keyed, "self == self", `[{i: 1, n: null}]`, "1.34"},
		{"a value of a map is no field", values, "self == self", `{a: null}`, "1.30"},
		{"a map in an object", inside, "self.m == self.m", `{m: {a: null}}`, "1.30"},
		{"a list in an object", inside, "self == self", `{l: [{n: null}]}`, "1.34"},
		{"an object in a map", inside, "self.v['k'] == self.v['k'] && self.v.all(k, self.v[k] == self.v[k])", `{v: {k: {n: null}}}`, "1.34"},
		{"optional field", nullable, "self.?o == self.?o", `{o: {n: null}}`, "1.34"},
		{"name that cannot be written", escaped, "self == self", `{a__b__c: x}`, "1.34"},
		{"names with other spellings", escaped, "self == self", `{x-y: x, in: z}`, "1.30"},
		{"scalars", scalars, "self == self && (self + ['a', 'c']).size() == 3 && 'a' in self", `[a, b]`, "1.30"},
		{"a set that something was added to", scalars, "self + ['c'] == self + ['c']", `[a, b]`, "1.37"},
		{"sets of times", times, "self == self", `[` + day + `]`, "1.37"},
		{"sum with a time", times, "(self + [timestamp('2026-01-02T00:00:00Z')]).exists(x, x > self[0])", `[` + day + `]`, "1.37"},
		{"sum by keys", keyed, "(self + self).size() == 2 && (self + self)[1].i == 2", `[{i: 1}, {i: 2}]`, "1.30"},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := structural(t, below(test.schema+`, x-kubernetes-validations: [{rule: "`+test.rule+`"}]`))
			for _, minor := range []string{"1.30", "1.33", "1.34", "1.36", "1.37"} {
				want := minor >= test.since
				if test.since == "1.30 to 1.33" {
					want = minor <= "1.33"
				}
				if got := texts(validate(t, compiler(t, minor), node, `{a: `+test.a+`}`, "", eval.Budget)); (len(got) == 0) != want {
					t.Errorf("%s: want %t, got %q", minor, want, got)
				}
			}
		})
	}
}

// TestSetsOfObjects: what compares them ends the rule until 1.36, also where another operand would decide,
// and in the words of Go, which name what is in the set.
func TestSetsOfObjects(t *testing.T) {
	for kind, items := range map[string]string{
		"map[string]interface {}": `type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}`,
		"[]interface {}":          `type: array, x-kubernetes-list-type: atomic, items: {type: string}`,
	} {
		node := structural(t, below(`type: array, items: {type: array, x-kubernetes-list-type: set, items: {`+items+`}}, x-kubernetes-validations: [{rule: "self == self || true"}]`))
		object := map[string]string{"map[string]interface {}": `{a: [[{a: x}]]}`, "[]interface {}": `{a: [[[x]]]}`}[kind]
		want := []string{`a: Invalid value: "array": internal error: runtime error: hash of unhashable type ` + kind + ` evaluating rule: self == self || true`}
		if got := texts(validate(t, compiler(t, "1.36"), node, object, "", eval.Budget)); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if got := texts(validate(t, compiler(t, "1.37"), node, object, "", eval.Budget)); got != nil {
			t.Errorf("1.37: got %q", got)
		}
	}
	// The set that could not be made is there for the second rule, without items, for which Go has other words.
	node := structural(t, below(`type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}, x-kubernetes-validations: [{rule: self == self, message: one}, {rule: self == self, message: two}]`))
	want := []string{`a: Invalid value: "array": internal error: runtime error: hash of unhashable type map[string]interface {} evaluating rule: one`,
		`a: Invalid value: "array": internal error: hash of unhashable type: map[string]interface {} evaluating rule: two`}
	if got := texts(validate(t, compiler(t, "1.36"), node, `{a: [{a: x}]}`, "", eval.Budget)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestBudget finds what two rules cost, and runs them with exactly that much,
// and with one unit less.
func TestBudget(t *testing.T) {
	c := compiler(t, "1.36")
	node := structural(t, `{type: object, properties: {
  a: {type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.contains('x')", message: no x}]},
  b: {type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.contains('x')", message: no x}]}}}`)
	const object = `{a: "0123456789x", b: "0123456789x"}`
	cost := eval.Budget - validate(t, c, node, object, "", eval.Budget).Budget
	if cost < 2 {
		t.Fatalf("the rules cost %d", cost)
	}
	if run := validate(t, c, node, object, "", cost); len(run.Errors) > 0 || run.Budget != 0 {
		t.Errorf("with just enough: %v, %d left", run.Errors, run.Budget)
	}
	run := validate(t, c, node, object, "", cost-1)
	if got := texts(run); len(got) != 1 || got[0] != `b: Invalid value: "string": `+rules.OutOfBudget {
		t.Errorf("with too little: %q", got)
	}
	if run.Budget >= 0 {
		t.Errorf("%d left", run.Budget)
	}
	// What the first rule leaves is nothing: the second is not even asked.
	if got := texts(validate(t, c, node, object, "", cost/2)); len(got) != 1 || !strings.HasPrefix(got[0], "b: ") {
		t.Errorf("with enough for one: %q", got)
	}
}

func TestVisits(t *testing.T) {
	node := structural(t, below(`type: integer, x-kubernetes-validations: [{rule: self == oldSelf}, {rule: self > 1}]`))
	var visits []rules.Visit
	run := rules.Run{Evaluator: eval.NewEvaluator(context.Background(), eval.Options{}), Budget: eval.Budget, Observe: func(v rules.Visit) { visits = append(visits, v) }}
	run.Validate(compiler(t, "1.36").Validator(node, true), nil, value(t, `{a: 2}`), nil, nil)
	if len(visits) != 2 || !visits[0].Skipped || visits[1].Skipped || visits[1].Error != nil || visits[1].At.String() != "a" || visits[1].Validator.Path != "properties[a]" {
		t.Errorf("got %+v", visits)
	}
}

func TestNoRules(t *testing.T) {
	if v := compiler(t, "1.36").Validator(structural(t, below(`type: integer`)), true); v != nil {
		t.Errorf("got %+v", v)
	}
}
