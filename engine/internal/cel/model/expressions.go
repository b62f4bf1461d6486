// Package model says which fields hold CEL (Place), what each expression of a
// policy or webhook configuration may refer to, and which kinds of objects it
// meets.
package model

import (
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Expression is one CEL expression of a policy or webhook configuration.
type Expression struct {
	// Path is the field as the API server writes it.
	Path  string
	Text  string
	Place *Place
	Scope eval.Scope
	// Variables is how many of spec.variables the expression can see.
	Variables int
	// Variable is the name of the variable that the expression defines.
	Variable string
	// Webhook is the index of the webhook, -1 for policies.
	Webhook int
}

// Expressions lists the CEL expressions of a policy or webhook configuration in
// the order of the API, with what each may refer to when it is created
// (semantics §1.2). Documents of other kinds have none.
func Expressions(doc map[string]any) []Expression {
	apiVersion, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	if group, _, _ := strings.Cut(apiVersion, "/"); group != policyGroup {
		return nil
	}
	spec := object(doc["spec"])
	params, variables := spec["paramKind"] != nil, list(spec["variables"])
	var out []Expression
	for _, p := range places {
		if p.Group != policyGroup || !slices.Contains(p.Kinds, kind) {
			continue
		}
		each(doc, p.path, nil, func(text string, indexes []int) {
			e := Expression{Path: p.At(indexes...).String(), Text: text, Place: p, Scope: p.Scope(params), Webhook: -1}
			switch {
			case p == WebhookCondition:
				e.Webhook = indexes[0]
			case p == Variable:
				e.Variables = indexes[0]
				e.Variable, _ = object(variables[indexes[0]])["name"].(string)
			case p.Variables:
				e.Variables = len(variables)
			}
			out = append(out, e)
		})
	}
	return out
}

// each calls f with every text that is not blank at a path without indexes.
func each(value any, path fieldpath.Path, indexes []int, f func(text string, indexes []int)) {
	if len(path) == 0 {
		if text, _ := value.(string); strings.TrimSpace(text) != "" {
			f(text, indexes)
		}
		return
	}
	if !path[0].Bracket() {
		each(object(value)[path[0].Name()], path[1:], indexes, f)
		return
	}
	for i, item := range list(value) {
		each(item, path[1:], append(slices.Clip(indexes), i), f)
	}
}

// Variables are the variables of a policy in their order, those that do not
// compile included.
func Variables(doc map[string]any) []eval.Declaration {
	var out []eval.Declaration
	for _, item := range list(object(doc["spec"])["variables"]) {
		v := object(item)
		name, _ := v["name"].(string)
		text, _ := v["expression"].(string)
		out = append(out, eval.Declaration{Name: name, Expression: text})
	}
	return out
}

// Rules are the resource rules that decide which objects an expression sees: of
// the policy, or of the webhook with that index.
func Rules(doc map[string]any, webhook int) []any {
	if webhook >= 0 {
		hooks := list(doc["webhooks"])
		if webhook >= len(hooks) {
			return nil
		}
		return list(object(hooks[webhook])["rules"])
	}
	return list(object(object(doc["spec"])["matchConstraints"])["resourceRules"])
}

// RunsAgain says when the server runs a mutating policy once more for an object that it has mutated; empty for never.
func RunsAgain(doc map[string]any) string {
	reinvoked := object(doc["spec"])["reinvocationPolicy"] == "IfNeeded"
	updates := slices.ContainsFunc(Rules(doc, -1), func(rule any) bool {
		operations := untyped.Strings(rule, "operations")
		return slices.Contains(operations, "UPDATE") || wildcard(operations)
	})
	switch {
	case reinvoked && updates:
		return "The server runs the policy again when another policy or webhook has changed the object (reinvocationPolicy: IfNeeded), and for every later update."
	case reinvoked:
		return "The server runs the policy again when another policy or webhook has changed the object (reinvocationPolicy: IfNeeded)."
	case updates:
		return "The server runs the policy again for every later update of the object."
	}
	return ""
}

// maxKinds is where the server stops collecting kinds (semantics §10).
const maxKinds = 10

// Kinds lists the kinds that rules name, sorted, as the server's type checker
// collects them (semantics §10): a rule with a wildcard among its groups or
// versions counts for nothing, neither do wildcard resources and subresources,
// and collecting stops at ten kinds in one rule. In the Server style, the core
// group finds resources of that name in every group, since its name is empty,
// and only what a server serves by default is found.
func Kinds(cat *catalog.Catalog, rules []any, style check.Style) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, item := range rules {
		rule := object(item)
		groups, versions := untyped.Strings(rule, "apiGroups"), untyped.Strings(rule, "apiVersions")
		if wildcard(groups) || wildcard(versions) {
			continue
		}
		resources := slices.DeleteFunc(untyped.Strings(rule, "resources"), func(r string) bool { return strings.ContainsAny(r, "*/") })
		sort.Strings(groups)
		sort.Strings(versions)
		sort.Strings(resources)
		count := 0
		for _, gvr := range product(groups, versions, resources) {
			for _, gvk := range kindsFor(cat, gvr, style) {
				if !slices.Contains(out, gvk) {
					out = append(out, gvk)
				}
				if count++; count == maxKinds {
					return sorted(out)
				}
			}
		}
	}
	return sorted(out)
}

func kindsFor(cat *catalog.Catalog, gvr schema.GroupVersionResource, style check.Style) []schema.GroupVersionKind {
	if style == check.Runtime {
		if r, ok := cat.ResourceFor(gvr); ok {
			return []schema.GroupVersionKind{r.GVK}
		}
		return nil
	}
	var out []schema.GroupVersionKind
	for _, r := range cat.Kinds() {
		named := r.GVR.Resource == gvr.Resource || strings.ToLower(r.GVK.Kind) == gvr.Resource
		if named && r.GVR.Version == gvr.Version && (gvr.Group == "" || r.GVR.Group == gvr.Group) && (r.Served || !r.Builtin) {
			out = append(out, r.GVK)
		}
	}
	return out
}

func product(groups, versions, resources []string) []schema.GroupVersionResource {
	var out []schema.GroupVersionResource
	for _, g := range groups {
		for _, v := range versions {
			for _, r := range resources {
				out = append(out, schema.GroupVersionResource{Group: g, Version: v, Resource: strings.ToLower(r)})
			}
		}
	}
	return out
}

func wildcard(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "*") })
}

func sorted(kinds []schema.GroupVersionKind) []schema.GroupVersionKind {
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int {
		return slices.Compare([]string{a.Group, a.Version, a.Kind}, []string{b.Group, b.Version, b.Kind})
	})
	return kinds
}

// ParamKind is the kind of a policy's params, if it has any.
func ParamKind(doc map[string]any) (schema.GroupVersionKind, bool) {
	kind := object(object(doc["spec"])["paramKind"])
	apiVersion, _ := kind["apiVersion"].(string)
	name, _ := kind["kind"].(string)
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || name == "" {
		return schema.GroupVersionKind{}, false
	}
	return gv.WithKind(name), true
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
