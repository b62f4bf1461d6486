package expressions

import (
	"os"
	"testing"
	"unicode/utf8"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// example is an entry of testdata/rules.yaml: what rules say, the code of the mistake that they
// answer, and an expression before and after them. It is in a validation for Deployments, with the
// variables max and images, if it names no other place and kind.
type example struct {
	Rule, Code, Place, Kind, Before, After string
}

// examples reads testdata/rules.yaml, from which docs/repairs.md lists the rules.
func examples(t *testing.T) (list []example) {
	t.Helper()
	data, err := os.ReadFile("testdata/rules.yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRepair runs the example of each rule. The server accepts what an expression is repaired to:
// a repair that it does not accept is none.
func TestRepair(t *testing.T) {
	r := newest(t)
	used := countRules(t)
	for _, e := range examples(t) {
		t.Run(e.Before, func(t *testing.T) {
			c := r.exampleContext(t, e)
			repaired, said := c.repair(e.Before)
			if repaired != e.After {
				t.Errorf("got  %s\nwant %s", repaired, e.After)
			}
			if text := sentences(said); text != e.Rule {
				t.Errorf("the rules say %q, want %q", text, e.Rule)
			}
			code := codes.CELReturnType
			if len(c.compile(e.Before).Issues) > 0 {
				code = codes.CELCompile
			}
			if code != e.Code {
				t.Errorf("the code is %s, want %s", code, e.Code)
			}
		})
	}
	for _, rules := range order {
		for i := range rules {
			if !used[&rules[i]] {
				t.Errorf("rule %q has no example in testdata/rules.yaml: it stands behind %q", rules[i].said, rules[max(i-1, 0)].said)
			}
		}
	}
}

// newest repairs expressions for the newest release.
func newest(t *testing.T) Repairer {
	t.Helper()
	environments, err := eval.NewSet().ForVersion(version.Newest())
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.For(version.Newest())
	if err != nil {
		t.Fatal(err)
	}
	return Repairer{Environments: environments, Catalog: cat}
}

// TestOddBeginnings: no rule reads before the first token or after the last.
func TestOddBeginnings(t *testing.T) {
	r := newest(t)
	for i, e := range examples(t) {
		odd := []string{",", ".", ")", "]", "}", "&&", "?", ":", "=", "!", "(", "and"}[i%12]
		c := r.exampleContext(t, e)
		for _, text := range []string{odd, odd + " " + odd, odd + " " + e.Before, e.Before + " " + odd} {
			if repaired, _ := c.repair(text); !utf8.ValidString(repaired) {
				t.Errorf("%s becomes %q", text, repaired)
			}
		}
	}
}

// countRules notes which rules change an expression, until the test ends.
func countRules(t *testing.T) map[*rule]bool {
	used := map[*rule]bool{}
	for _, rules := range order {
		for i := range rules {
			r, apply := &rules[i], rules[i].apply
			r.apply = func(d *draft) string {
				next := apply(d)
				if next != d.text && next != "" {
					used[r] = true
				}
				return next
			}
			t.Cleanup(func() { r.apply = apply })
		}
	}
	return used
}

// sentences joins what rules say, each once.
func sentences(said []string) string {
	text, before := "", ""
	for _, s := range said {
		if s != before {
			text += " " + s
		}
		before = s
	}
	if text == "" {
		return ""
	}
	return text[1:]
}

var examplePlaces = map[string]*model.Place{
	"": model.Validation, "messageExpression": model.MessageExpression, "matchConditions": model.MatchCondition, "variables": model.Variable,
	"auditAnnotations": model.AuditAnnotation, "applyConfiguration": model.ApplyConfiguration, "jsonPatch": model.JSONPatch, "x-kubernetes-validations": model.CustomRule,
}

// exampleContext is what the expression of an example can see.
func (r *Repairer) exampleContext(t *testing.T, e example) *context {
	t.Helper()
	place := examplePlaces[e.Place]
	if place == nil {
		t.Fatalf("no place %q", e.Place)
	}
	expression := model.Expression{Text: e.Before, Place: place, Scope: place.Scope(false), Webhook: -1}
	if place == model.CustomRule {
		rule := &Rule{Place: place, Text: e.Before, node: exampleSchema(t, e.Kind), names: []string{"spec"}, optional: e.Kind == "optionalOldSelf"}
		return &context{expression: expression, self: rule.node, selfPath: rule.names, optionalOld: rule.optional, item: e.Kind == "items",
			compile: rule.compiler(r.Environments, version.Newest(), eval.Write)}
	}
	if place != model.MatchCondition {
		expression.Variables = 2
	}
	rule := map[string]any{"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "resources": []any{"deployments"}}
	if e.Kind == "Pod" {
		rule["apiGroups"], rule["resources"] = []any{""}, []any{"pods"}
	}
	return r.context(&scenario.Document{Value: map[string]any{"spec": map[string]any{
		"matchConstraints": map[string]any{"resourceRules": []any{rule}},
		"variables":        []any{map[string]any{"name": "max", "expression": "5"}, map[string]any{"name": "images", "expression": "['a']"}},
	}}}, expression)
}

// exampleSchema is the schema that a rule of a custom resource belongs to.
func exampleSchema(t *testing.T, kind string) *schema.Structural {
	t.Helper()
	typed := func(kind string) apiextensions.JSONSchemaProps { return apiextensions.JSONSchemaProps{Type: kind} }
	props := typed("string")
	if kind != "string" {
		limits := apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"cpu": typed("integer")}}
		props = apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{
			"replicas": typed("integer"), "max-size": typed("integer"), "name": typed("string"), "in": typed("string"), "timeout": typed("string"), "limits": limits}}
	}
	node, err := schema.NewStructural(&props)
	if err != nil {
		t.Fatal(err)
	}
	return node
}
