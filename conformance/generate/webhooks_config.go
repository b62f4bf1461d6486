package generate

import "fmt"

// configurations are the webhook configurations, whose webhooks leave their
// answers and Services in g.documents.
func (g *hookGen) configurations() []object {
	var docs []object
	mutating, validating := pick(g.gen, 0, 1, 1, 2), pick(g.gen, 0, 1, 1)
	if mutating+validating == 0 {
		mutating = 1
	}
	for i := range mutating {
		docs = append(docs, g.configuration("Mutating", i))
	}
	for i := range validating {
		docs = append(docs, g.configuration("Validating", i))
	}
	g.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// configuration has one to three webhooks. Names of configurations do not sort
// as they are numbered.
func (g *hookGen) configuration(which string, number int) object {
	letter := map[string]string{"Mutating": "m", "Validating": "v"}[which]
	var list []any
	for i := range pick(g.gen, 1, 1, 2, 2, 3) {
		name := fmt.Sprintf("%s%d-%d", letter, number, i)
		if which == "Mutating" && i > 0 && g.chance(0.05) { // the same webhook again
			name = fmt.Sprintf("%s%d-%d", letter, number, i-1)
		}
		list = append(list, g.webhook(which, name))
	}
	return object{"apiVersion": group, "kind": which + "WebhookConfiguration", "metadata": object{"name": fmt.Sprintf("%s-%d", pick(g.gen, "z", "y", "x"), number)}, "webhooks": list}
}

func (g *hookGen) webhook(which, name string) object {
	hook := object{
		"name": name + ".hooks.example.com", "admissionReviewVersions": pickAny(g.gen, []any{"v1"}, []any{"v1"}, []any{"v1"}, []any{"v1beta1"}, []any{"v1beta1", "v1"}, []any{"v2", "v1"}),
		"sideEffects": pick(g.gen, "None", "None", "NoneOnDryRun"), "rules": g.hookRules(), "timeoutSeconds": 10 + g.IntN(21), // a busy machine is not a slow webhook

	}
	if g.chance(0.01) {
		hook["sideEffects"] = pick(g.gen, "Some", "Unknown") // not allowed since v1
	}
	if g.chance(0.8) {
		hook["failurePolicy"] = pick(g.gen, "Fail", "Fail", "Ignore")
	}
	if g.chance(0.6) {
		hook["matchPolicy"] = pick(g.gen, "Exact", "Equivalent")
	}
	if g.chance(0.15) {
		hook["namespaceSelector"] = g.selector()
	}
	if g.chance(0.2) {
		hook["objectSelector"] = g.hookSelector()
	}
	if g.chance(0.25) {
		g.hasParams, g.variables, g.authorizer = false, nil, true
		hook["matchConditions"] = g.hookConditions()
	}
	if which == "Mutating" {
		if g.chance(0.6) {
			hook["reinvocationPolicy"] = pick(g.gen, "IfNeeded", "IfNeeded", "Never")
		}
	}
	answer := g.answer(which, hook)
	hook["clientConfig"] = g.client(name, answer != nil)
	if answer != nil {
		g.documents = append(g.documents, object{"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse", "metadata": object{"name": hook["name"]}, "spec": answer})
	}
	return hook
}

// client is how the webhook is reached: by URL or through a Service, which may
// not be there, not have the port, or have no address.
func (g *hookGen) client(name string, answered bool) object {
	if g.chance(0.75) {
		return object{"url": "https://" + name + ".hooks.example.com" + pick(g.gen, "", ":8443", "") + pick(g.gen, "", "/", "/path", "/a/b", "/a//b/", "/a/../c", "/sp%20ace")}
	}
	service := object{"namespace": "hooks", "name": name}
	if g.chance(0.5) {
		service["path"] = pick(g.gen, "/", "/path", "/validate-v1-pod", "/a/b/")
	}
	port := 443
	if g.chance(0.4) {
		port = 8443
		service["port"] = port
	}
	if answered && g.chance(0.1) {
		return object{"service": service}
	}
	spec := object{"clusterIP": fmt.Sprintf("10.0.%d.%d", g.IntN(256), g.IntN(256)), "ports": []any{object{"port": port, "targetPort": 9443}}}
	switch {
	case g.chance(0.04):
		spec["ports"] = []any{object{"port": 80}}
	case g.chance(0.04):
		spec["clusterIP"] = "None"
	case g.chance(0.04):
		spec = object{"type": "ExternalName", "externalName": "outside.example.com"}
	}
	g.documents = append(g.documents, object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": name, "namespace": "hooks"}, "spec": spec})
	return object{"service": service}
}

func (g *hookGen) hookRules() []any {
	var out []any
	for range pick(g.gen, 1, 1, 1, 2) {
		out = append(out, g.hookRule())
	}
	return out
}

// hookRule matches the request most of the time, perhaps by another version.
func (g *hookGen) hookRule() object {
	k := g.kind
	versions := []any{pick(g.gen, k.Version, k.Version, "*")}
	if len(g.subject.versions) > 0 {
		versions = []any{pick(g.gen, g.subject.versions...)}
	}
	resources := []any{pick(g.gen, k.Resource, k.Resource, k.Resource, "*", "*/*", k.Resource+"/*")}
	if sub := g.subject.sub; sub != "" {
		resources = []any{pick(g.gen, k.Resource+"/"+sub, k.Resource+"/"+sub, k.Resource+"/*", "*/*", "*/"+sub, k.Resource, "*")}
	}
	groups := []any{pick(g.gen, k.Group, k.Group, k.Group, "*")}
	if len(g.subject.groups) > 0 {
		groups = []any{pick(g.gen, g.subject.groups...)}
	}
	rule := object{"apiGroups": groups, "apiVersions": versions, "resources": resources,
		"operations": pickAny(g.gen, []any{"CREATE", "UPDATE"}, []any{"*"}, []any{"*"}, []any{g.operation}, []any{g.operation})}
	if g.chance(0.15) {
		rule["scope"] = pick(g.gen, "*", "Namespaced", "Cluster")
	}
	if g.chance(0.03) {
		rule["apiGroups"] = []any{"other.example.com"}
	}
	return rule
}

// hookSelector selects by labels that objects have, or that webhooks and
// policies add.
func (g *hookGen) hookSelector() object {
	switch g.IntN(4) {
	case 0:
		return object{"matchLabels": object{"added": "yes"}}
	case 1:
		return object{"matchExpressions": []any{object{"key": pick(g.gen, "added", "by-policy", "removed"), "operator": pick(g.gen, "Exists", "DoesNotExist")}}}
	}
	return g.selector()
}

func (g *hookGen) hookConditions() []any {
	if g.chance(0.4) {
		return g.conditions()
	}
	var out []any
	for i := range 1 + g.IntN(2) {
		out = append(out, object{"name": fmt.Sprintf("c%d", i), "expression": pick(g.gen, "true", "true", "request.operation != 'DELETE'", "object == null || has(object.metadata)",
			"has(object.metadata.labels) && 'added' in object.metadata.labels", "!has(object.metadata.labels) || !('added' in object.metadata.labels)", "object.nosuch == 1",
			"request.kind.version == 'v1'", "request.dryRun", "request.resource.version != 'v2'", "object.apiVersion == 'v1' || object.apiVersion.contains('/v')", "oldObject == null", "has(request.subResource)")})
	}
	return out
}
