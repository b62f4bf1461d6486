package completion

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file is for the custom resource rules: they see self and oldSelf, which
// are values of the schema that the rule is in.

// enterRule reports whether the cursor is in a rule or in its messageExpression,
// and finds out what that can see.
func (q *query) enterRule(doc map[string]any) bool {
	path := q.cursor.path
	if q.alone() && len(path) > 3 && path[0].Name() == scenario.SchemaField {
		f := q.fragment()
		doc, path = f.Definition(), f.Inner(path)
	}
	if text(doc["kind"]) != model.CustomRule.Kinds[0] || len(path) < 3 || path[len(path)-3].Name() != "x-kubernetes-validations" {
		return false
	}
	switch path.Last() {
	case "rule":
		q.expression = model.Expression{Place: model.CustomRule, Webhook: -1}
	case "messageExpression":
		q.expression = model.Expression{Place: model.CustomRuleMessage, Webhook: -1}
	default:
		return false
	}
	q.before, q.after = q.cursor.before, q.cursor.after
	view := check.View{Style: check.Server, Rule: true, Object: q.selfType(doc, path[:len(path)-3])}
	if rule, ok := path[:len(path)-1].Get(doc); ok {
		fields, _ := rule.(map[string]any)
		optional := fields["optionalOldSelf"]
		view.Optional = q.expression.Place == model.CustomRule && (optional == true || text(optional) == "true")
	}
	q.views = []check.View{view}
	return true
}

// selfType is the type of the values of a schema in a definition; nil when it
// is not known.
func (q *query) selfType(doc map[string]any, path fieldpath.Path) *catalog.Type {
	start := -1
	for i, step := range path {
		if step.Name() == "openAPIV3Schema" {
			start = i
			break
		}
	}
	if start < 0 {
		return nil
	}
	spec, _ := doc["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	gvk := schema.GroupVersionKind{Group: text(spec["group"]), Kind: text(names["kind"])}
	if found, ok := path[:max(start-1, 0)].Get(doc); ok {
		fields, _ := found.(map[string]any)
		gvk.Version = text(fields["name"])
	}
	t, ok := q.definitions().TypeOf(gvk)
	if !ok {
		return nil
	}
	t = ruleRoot(t)
	for rest := path[start+1:]; len(rest) > 0 && t != nil; {
		switch step := rest[0].Name(); {
		case step == "properties" && len(rest) > 1:
			f := t.Field(rest[1].Name())
			if rest = rest[2:]; f == nil {
				return nil
			}
			t = f.Type
		case step == "items" || step == "additionalProperties":
			t, rest = t.Elem, rest[1:]
		default: // rules are in no other place
			return nil
		}
	}
	return t
}

// definitions is the catalog with the kinds that the text around the cursor
// defines.
func (q *query) definitions() *catalog.Catalog {
	switch {
	case q.text == diag.Cluster:
		return q.catalog
	case q.alone():
		known, _ := q.builtin.WithCRDs([]catalog.CRD{{Value: q.fragment().Definition()}})
		return known
	}
	docs, _ := scenario.ParseDocuments(q.text, q.src)
	var crds []catalog.CRD
	for _, d := range docs {
		value := d.Value
		if strings.HasPrefix(d.Kind, "AdmissionRe") {
			value = q.requestObject()
		}
		crds = append(crds, catalog.CRD{Value: value})
	}
	known, _ := q.builtin.WithCRDs(crds)
	return known
}

// ruleRoot is the type of whole objects as rules see them: of the metadata they
// know the name alone.
func ruleRoot(t *catalog.Type) *catalog.Type {
	var fields []*catalog.Field
	for _, f := range t.Fields() {
		if f.Name == "metadata" && f.Type.Field("name") != nil {
			named := *f
			named.Type = catalog.NewStruct(f.Type.Field("name"), f.Type.Field("generateName"))
			f = &named
		}
		fields = append(fields, f)
	}
	root := catalog.NewStruct(fields...)
	root.Open = t.Open
	return root
}

// ruleVariables are self and oldSelf.
func (q *query) ruleVariables(view check.View) []Item {
	detail := "of the schema that the rule is in"
	if view.Object != nil {
		detail = describeType(view.Object)
	}
	old := "The value from before an update. A rule that reads it only runs where there is one."
	if view.Optional {
		old = "The value from before an update, as an optional value: without one on creation (optionalOldSelf)."
	}
	return []Item{
		{Label: "self", Kind: VariableItem, Detail: detail, Doc: "The value to which the rule applies.", Boost: fieldBoost + 3},
		{Label: "oldSelf", Kind: VariableItem, Detail: detail, Doc: old, Boost: fieldBoost + 2},
	}
}

// selectable is a field's name as it can follow a dot: rules write what is no name
// in CEL with escapes.
func (q *query) selectable(name string) (string, bool) {
	if !slices.ContainsFunc(q.views, func(v check.View) bool { return v.Rule }) {
		return name, isIdentifier(name)
	}
	word := slices.Contains([]string{"in", "true", "false", "null"}, name)
	if isIdentifier(name) && !word && q.version.Has(version.KeywordFieldNames) {
		return name, true
	}
	return apiservercel.Escape(name)
}
