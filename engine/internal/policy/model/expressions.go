// Package model says which fields of policies and webhook configurations hold
// CEL, and what each expression may refer to.
package model

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Expression is one CEL expression of a policy or webhook configuration.
type Expression struct {
	// Path is the field as the API server writes it.
	Path  string
	Text  string
	Place eval.Place
	Scope eval.Scope
	// Variables is how many of spec.variables the expression can see.
	Variables int
	// Variable is the name of the variable that the expression defines.
	Variable string
	// Webhook is the index of the webhook, -1 for policies.
	Webhook int
}

// policyGroup is the API group of all kinds that hold CEL.
const policyGroup = "admissionregistration.k8s.io"

// Expressions lists the CEL expressions of a document in the order of the API,
// with what each may refer to when it is created (semantics §1.2). Documents of
// other kinds have none.
func Expressions(doc map[string]any) []Expression {
	apiVersion, _ := doc["apiVersion"].(string)
	if group, _, _ := strings.Cut(apiVersion, "/"); group != policyGroup {
		return nil
	}
	c := &collector{spec: object(doc["spec"])}
	c.params = c.spec["paramKind"] != nil
	c.variables = len(list(c.spec["variables"]))
	switch doc["kind"] {
	case "ValidatingAdmissionPolicy":
		c.policy()
		c.each("validations", "expression", eval.Condition)
		c.each("validations", "messageExpression", eval.Message)
		c.each("auditAnnotations", "valueExpression", eval.AuditAnnotation)
	case "MutatingAdmissionPolicy":
		c.policy()
		c.mutations()
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		c.webhooks(doc)
	}
	return c.out
}

type collector struct {
	spec      map[string]any
	params    bool
	variables int
	out       []Expression
}

func (c *collector) add(text any, path string, place eval.Place, variables int) *Expression {
	s, _ := text.(string)
	if strings.TrimSpace(s) == "" {
		return &Expression{}
	}
	c.out = append(c.out, Expression{
		Path: path, Text: s, Place: place, Variables: max(variables, 0), Webhook: -1,
		Scope: eval.Scope{
			Params:     c.params,
			Authorizer: place != eval.Message,
			Variables:  variables >= 0,
			Patch:      place == eval.ApplyConfiguration || place == eval.JSONPatch,
		},
	})
	return &c.out[len(c.out)-1]
}

// policy adds what both kinds of policies have. Match conditions do not see
// variables when a policy is created.
func (c *collector) policy() {
	for i, item := range list(c.spec["matchConditions"]) {
		c.add(object(item)["expression"], fmt.Sprintf("spec.matchConditions[%d].expression", i), eval.Condition, -1)
	}
	for i, item := range list(c.spec["variables"]) {
		variable := object(item)
		added := c.add(variable["expression"], fmt.Sprintf("spec.variables[%d].expression", i), eval.VariableValue, i)
		added.Variable, _ = variable["name"].(string)
	}
}

func (c *collector) each(field, key string, place eval.Place) {
	for i, item := range list(c.spec[field]) {
		c.add(object(item)[key], fmt.Sprintf("spec.%s[%d].%s", field, i, key), place, c.variables)
	}
}

func (c *collector) mutations() {
	for i, item := range list(c.spec["mutations"]) {
		m, path := object(item), fmt.Sprintf("spec.mutations[%d].", i)
		c.add(object(m["applyConfiguration"])["expression"], path+"applyConfiguration.expression", eval.ApplyConfiguration, c.variables)
		c.add(object(m["jsonPatch"])["expression"], path+"jsonPatch.expression", eval.JSONPatch, c.variables)
	}
}

func (c *collector) webhooks(doc map[string]any) {
	c.params = false
	for i, item := range list(doc["webhooks"]) {
		for j, condition := range list(object(item)["matchConditions"]) {
			path := fmt.Sprintf("webhooks[%d].matchConditions[%d].expression", i, j)
			c.add(object(condition)["expression"], path, eval.Condition, -1).Webhook = i
		}
	}
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
		groups, versions := texts(rule["apiGroups"]), texts(rule["apiVersions"])
		if wildcard(groups) || wildcard(versions) {
			continue
		}
		resources := slices.DeleteFunc(texts(rule["resources"]), func(r string) bool { return strings.ContainsAny(r, "*/") })
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

// AllVariables is the number to pass for every variable of a policy.
const AllVariables = math.MaxInt

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func texts(v any) []string {
	var out []string
	for _, item := range list(v) {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
