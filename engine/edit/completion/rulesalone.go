package completion

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/policy/fragment"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file is for rules that are tried without a definition: the text of the
// expression is YAML then, with a schema and values of it.

// alone reports whether the cursor is in such a text.
func (q *query) alone() bool {
	return q.text == diag.Expression && q.scenario.ExpressionContext == scenario.RuleContext
}

// fragment is what the text says. While it cannot be read, it is what is around the
// cursor, with scalars as texts.
func (q *query) fragment() *fragment.Fragment {
	if docs, _ := scenario.ParseDocuments(diag.Expression, q.src); len(docs) > 0 {
		return fragment.Of(docs[0].Value)
	}
	if q.cursor.root == nil {
		return fragment.Of(nil)
	}
	return fragment.Of(q.cursor.document(false))
}

// typeOfRules is the type of the text: a schema, and values of that schema.
func (q *query) typeOfRules() *catalog.Type {
	var fields []*catalog.Field
	if t := q.typeOfSchemas(); t != nil {
		fields = append(fields, &catalog.Field{Name: scenario.SchemaField, Type: t, Required: true})
	}
	value := q.typeOfValues()
	if value == nil {
		value = &catalog.Type{Kind: catalog.Any}
	}
	return catalog.NewStruct(append(fields, &catalog.Field{Name: scenario.SelfField, Type: value}, &catalog.Field{Name: scenario.OldSelfField, Type: value})...)
}

func (q *query) typeOfSchemas() *catalog.Type {
	t, _ := q.builtin.TypeOf(crd.GroupKind.WithVersion("v1"))
	for _, name := range []string{"spec", "versions", "schema", "openAPIV3Schema"} {
		if t = structOf(t); t == nil || t.Field(name) == nil {
			return nil
		}
		t = t.Field(name).Type
	}
	return t
}

// typeOfValues is the type that the schema of the text describes.
func (q *query) typeOfValues() *catalog.Type {
	f := q.fragment()
	gvk := schema.GroupVersionKind{}
	gvk.Group, gvk.Version, gvk.Kind = f.Kind()
	t, ok := q.definitions().TypeOf(gvk)
	if !ok || f.Whole() {
		return t
	}
	if self := t.Field(scenario.SelfField); self != nil {
		return self.Type
	}
	return nil
}

// ruleSnippets is a whole text to begin with.
func (q *query) ruleSnippets() []Item {
	if !q.alone() {
		return nil
	}
	return []Item{{Label: "Schema rules", Kind: SnippetItem, Detail: "schema, self and oldSelf", Boost: fieldBoost + 4, Apply: `schema:
  type: object
  properties:
    ${replicas}: {type: integer}
  x-kubernetes-validations:
  - rule: self.${replicas} <= ${10}
    message: ${at most ten}
self:
  ${replicas}: ${3}
`}}
}
