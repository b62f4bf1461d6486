package generate

import (
	"fmt"
	"strings"
)

// policies is the text of the policies and their bindings.
func (g *gen) policies() string {
	var docs []object
	validating, mutating := g.IntN(3), g.IntN(4)
	if validating+mutating == 0 {
		validating = 1
	}
	if g.operation == "DELETE" {
		validating = max(validating, 1)
	}
	for i := range mutating {
		docs = append(docs, g.policy("Mutating", fmt.Sprintf("m%d", i))...)
	}
	for i := range validating {
		docs = append(docs, g.policy("Validating", fmt.Sprintf("v%d", i))...)
	}
	return text(g.served(docs)...)
}

const group = "admissionregistration.k8s.io/v1"

// served gives MutatingAdmissionPolicies and their bindings the API version that
// the Kubernetes version has, and leaves them out where it has none.
func (g *gen) served(docs []object) []object {
	var out []object
	for _, doc := range docs {
		kind, _ := doc["kind"].(string)
		switch {
		case !strings.HasPrefix(kind, "MutatingAdmissionPolicy") || g.minor >= 36:
		case g.minor >= 34:
			doc["apiVersion"] = "admissionregistration.k8s.io/v1beta1"
		case g.minor >= 32:
			doc["apiVersion"] = "admissionregistration.k8s.io/v1alpha1"
		default:
			continue
		}
		out = append(out, doc)
	}
	return out
}

// policy is one policy with its bindings.
func (g *gen) policy(which, name string) []object {
	spec := object{"matchConstraints": g.constraints()}
	g.hasParams = g.params != "" && g.chance(0.75)
	if g.hasParams {
		spec["paramKind"] = paramKinds[g.params]
	}
	if g.chance(0.8) {
		spec["failurePolicy"] = pick(g, "Fail", "Fail", "Ignore")
	}
	g.authorizer = true
	// Two passes over the text of conditions: they see no variables.
	g.variables = nil
	if conditions := g.conditions(); len(conditions) > 0 {
		spec["matchConditions"] = conditions
	}
	if variables := g.declare(); len(variables) > 0 {
		spec["variables"] = variables
	}
	if which == "Mutating" {
		spec["mutations"] = g.mutations()
		spec["reinvocationPolicy"] = pick(g, "Never", "IfNeeded")
	} else {
		g.validations(spec)
	}
	docs := []object{{"apiVersion": group, "kind": which + "AdmissionPolicy", "metadata": object{"name": name}, "spec": spec}}
	for i := range pick(g, 1, 1, 1, 2) {
		docs = append(docs, object{"apiVersion": group, "kind": which + "AdmissionPolicyBinding",
			"metadata": object{"name": fmt.Sprintf("%s-b%d", name, i)}, "spec": g.binding(which, name)})
	}
	return docs
}

var paramKinds = map[string]object{
	"ConfigMap": {"apiVersion": "v1", "kind": "ConfigMap"},
	"Widget":    {"apiVersion": "example.com/v1", "kind": "Widget"},
	"Quota":     {"apiVersion": "example.com/v1", "kind": "Quota"},
}

func (g *gen) binding(which, policy string) object {
	spec := object{"policyName": policy}
	if which == "Validating" {
		spec["validationActions"] = pickAny(g, []any{"Deny"}, []any{"Deny"}, []any{"Deny"}, []any{"Warn"}, []any{"Audit"}, []any{"Warn", "Audit"}, []any{"Deny", "Audit"})
	}
	if g.hasParams && g.chance(0.9) {
		spec["paramRef"] = g.paramRef()
	}
	if g.chance(0.25) {
		spec["matchResources"] = g.matchResources(0.6)
	}
	return spec
}

func (g *gen) paramRef() object {
	ref := object{"parameterNotFoundAction": pick(g, "Allow", "Deny", "Deny")}
	switch g.IntN(5) {
	case 0:
		ref["selector"] = object{"matchLabels": object{"use": pick(g, "param", "param", "none")}}
	case 1:
		ref["selector"] = object{}
	default:
		ref["name"] = pick(g, "p1", "p1", "p2", "missing")
	}
	if g.params != "Quota" && g.chance(0.5) || g.chance(0.03) {
		ref["namespace"] = "default"
	}
	return ref
}

// constraints match the request most of the time.
func (g *gen) constraints() object {
	out := g.matchResources(0.12)
	out["resourceRules"] = []any{g.rule()}
	if g.chance(0.2) {
		out["resourceRules"] = []any{object{"apiGroups": []any{"nosuch.example.com"}, "apiVersions": []any{"v1"}, "operations": []any{"*"}, "resources": []any{"things"}}, g.rule()}
	}
	return out
}

// matchResources has each kind of selector with that probability.
func (g *gen) matchResources(p float64) object {
	out := object{}
	if g.chance(p) {
		out["namespaceSelector"] = g.selector()
	}
	if g.chance(p) {
		out["objectSelector"] = g.selector()
	}
	if g.chance(p / 2) {
		out["excludeResourceRules"] = []any{g.rule()}
	}
	if g.chance(0.3) {
		out["matchPolicy"] = pick(g, "Exact", "Equivalent")
	}
	return out
}

func (g *gen) selector() object {
	switch g.IntN(4) {
	case 0:
		return object{"matchLabels": object{"env": pick(g, "prod", "dev")}}
	case 1:
		return object{"matchExpressions": []any{object{"key": "app", "operator": pick(g, "In", "NotIn"), "values": []any{"web", "other"}}}}
	case 2:
		return object{"matchExpressions": []any{object{"key": pick(g, "env", "team", "kubernetes.io/metadata.name"), "operator": pick(g, "Exists", "DoesNotExist")}}}
	}
	return object{}
}

func (g *gen) rule() object {
	k := g.kind
	rule := object{
		"apiGroups": []any{pick(g, k.Group, k.Group, k.Group, "*")}, "apiVersions": []any{pick(g, k.Version, k.Version, "*")},
		"operations": pickAny(g, []any{"CREATE", "UPDATE"}, []any{"*"}, []any{g.operation}, []any{g.operation}),
		"resources":  []any{pick(g, k.Resource, k.Resource, k.Resource, "*", "*/*", k.Resource+"/*")},
	}
	if g.chance(0.15) {
		rule["scope"] = pick(g, "*", "Namespaced", "Cluster")
	}
	if g.chance(0.1) {
		rule["resourceNames"] = pickAny(g, []any{"web"}, []any{"api", "job-1"})
	}
	if g.chance(0.05) {
		rule["apiGroups"] = []any{"other.example.com"}
	}
	return rule
}

func (g *gen) conditions() []any {
	var out []any
	for i := range pick(g, 0, 0, 1, 1, 2, 3) {
		expression := g.boolean(depth)
		switch {
		case g.chance(0.45):
			expression = pick(g, "true", "has(object.metadata)", "request.operation in ['CREATE', 'UPDATE', 'DELETE']", "request.name != ''")
		case g.chance(0.02):
			expression = g.expensive()
		case g.chance(0.02):
			expression = g.broken()
		}
		out = append(out, object{"name": fmt.Sprintf("c%d", i), "expression": expression})
	}
	if g.chance(0.01) { // three conditions with two checks each break the budget of the conditions
		for i := range 4 {
			out = append(out, object{"name": fmt.Sprintf("authz%d", i), "expression": "authorizer.path('/x').check('get').allowed() || authorizer.path('/y').check('get').allowed() || true"})
		}
	}
	return out
}

// declare makes spec.variables; each may use those before it.
func (g *gen) declare() []any {
	var out []any
	for i := range pick(g, 0, 0, 1, 2, 3) {
		v := variable{name: fmt.Sprintf("x%d", i), typ: pick(g, "bool", "int", "string", "list")}
		var expression string
		if v.typ == "list" {
			var item string
			expression, item = g.list(depth - 1)
			v.typ += "/" + item
		} else {
			expression = g.typed(v.typ)
		}
		if g.chance(0.02) {
			expression = g.broken()
		} else if v.typ == "bool" && g.chance(0.03) {
			expression = g.expensive()
		}
		out = append(out, object{"name": v.name, "expression": expression})
		g.variables = append(g.variables, v)
	}
	return out
}

func (g *gen) validations(spec object) {
	var list []any
	for range pick(g, 1, 1, 2, 3) {
		v := object{"expression": g.validation()}
		if g.chance(0.4) {
			v["message"] = pick(g, "not allowed", "  spaces around  ", "must be ünïcödé")
		}
		if g.chance(0.4) {
			g.authorizer = false
			v["messageExpression"] = g.message()
			g.authorizer = true
		}
		if g.chance(0.3) {
			v["reason"] = pick(g, "Forbidden", "Invalid", "RequestEntityTooLarge")
		}
		list = append(list, v)
	}
	if g.chance(0.01) { // fifteen validations with two checks each break the budget
		for range 15 {
			list = append(list, object{"expression": "authorizer.path('/x').check('get').allowed() || authorizer.path('/y').check('get').allowed() || true"})
		}
	}
	spec["validations"] = list
	if g.chance(0.3) {
		var annotations []any
		for i := range 1 + g.IntN(2) {
			g.authorizer = false
			annotations = append(annotations, object{"key": fmt.Sprintf("note%d", i), "valueExpression": pick(g, g.str(depth), g.str(depth-1), "null", "'  padded '", g.message())})
			g.authorizer = true
		}
		spec["auditAnnotations"] = annotations
	}
}

func (g *gen) validation() string {
	switch {
	case g.chance(0.02):
		return g.expensive()
	case g.chance(0.02):
		return g.broken()
	case g.chance(0.25):
		return pick(g, "true", "has(object.metadata)", "false", "request.operation != ''")
	}
	return g.boolean(depth)
}

func (g *gen) message() string {
	return pick(g, "'name ' + string(object.metadata.name)", g.str(depth-1), g.str(depth-1), "''", "'two\\nlines'", "'x' + string(object.nosuch)",
		"lists.range(1000).map(x, 'longer than it may be').join('')", "'denied for ' + request.userInfo.username")
}
