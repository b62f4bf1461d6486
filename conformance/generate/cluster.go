package generate

// cluster is the text of the cluster: namespaces, definitions, params, roles.
func (g *gen) cluster() string {
	docs := []object{
		namespace("default", object{"env": "prod"}), namespace("team-a", object{"env": "dev", "team": "a"}),
		namespace("web", object{}), namespace("api", object{"env": "prod"}), namespace("job-1", object{}),
	}
	if g.kind.Group == "example.com" || g.params == "Widget" || g.params == "Quota" {
		docs = append(docs, widgetDefinition, quotaDefinition)
	}
	switch g.params {
	case "ConfigMap":
		docs = append(docs, configParam("default", "p1", "3"), configParam("default", "p2", "5"), configParam("team-a", "p1", "1"))
	case "Widget":
		docs = append(docs, widgetParam("default", "p1", 3), widgetParam("default", "p2", 5), widgetParam("team-a", "p1", 1))
	case "Quota":
		docs = append(docs, quotaParam("p1", 3), quotaParam("p2", 5))
	}
	return text(append(docs, roles...)...)
}

func namespace(name string, labels object) object {
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "labels": labels}}
}

func configParam(namespace, name, limit string) object {
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name, "namespace": namespace, "labels": object{"use": "param"}},
		"data": object{"limit": limit, "color": "red"}}
}

func widgetParam(namespace, name string, size int) object {
	return object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": object{"name": name, "namespace": namespace, "labels": object{"use": "param"}},
		"spec": object{"size": size, "tags": []any{"x"}, "undeclared": "pruned"}}
}

func quotaParam(name string, limit int) object {
	return object{"apiVersion": "example.com/v1", "kind": "Quota", "metadata": object{"name": name, "labels": object{"use": "param"}}, "limit": limit}
}

// widgetDefinition has every kind of list and map that a schema can describe.
var widgetDefinition = definition("widgets", "Widget", "Namespaced", object{"spec": object{"type": "object", "properties": object{
	"size":    object{"type": "integer"},
	"big":     object{"type": "integer", "format": "int64"},
	"ratio":   object{"type": "number"},
	"enabled": object{"type": "boolean"},
	"color":   object{"type": "string", "default": "green"},
	"note":    object{"type": "string", "nullable": true},
	"port":    object{"x-kubernetes-int-or-string": true},
	"parts": object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"}, "items": object{
		"type": "object", "required": []any{"name"}, "properties": object{"name": object{"type": "string"}, "n": object{"type": "integer", "default": 7}, "list": object{"type": "array", "items": object{"type": "string"}}}}},
	"ports": object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"port", "proto"}, "items": object{
		"type": "object", "required": []any{"port"}, "properties": object{"port": object{"type": "integer"}, "proto": object{"type": "string", "default": "TCP"}, "name": object{"type": "string"}}}},
	"tags":   object{"type": "array", "x-kubernetes-list-type": "set", "items": object{"type": "string"}},
	"steps":  object{"type": "array", "items": object{"type": "object", "properties": object{"run": object{"type": "string"}, "n": object{"type": "integer"}}}},
	"limits": object{"type": "object", "additionalProperties": object{"type": "integer"}},
	"groups": object{"type": "object", "additionalProperties": object{"type": "object", "properties": object{
		"members": object{"type": "array", "items": object{"type": "string"}}, "open": object{"type": "boolean"}}}},
	"atomic":   object{"type": "object", "x-kubernetes-map-type": "atomic", "properties": object{"x": object{"type": "string"}, "y": object{"type": "string"}}},
	"free":     object{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"embedded": object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
}}})

var quotaDefinition = definition("quotas", "Quota", "Cluster", object{"limit": object{"type": "integer"}})

func definition(plural, kind, scope string, properties object) object {
	properties["apiVersion"], properties["kind"] = object{"type": "string"}, object{"type": "string"}
	properties["metadata"] = object{"type": "object"}
	singular := plural[:len(plural)-1]
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": plural + ".example.com"},
		"spec": object{"group": "example.com", "scope": scope, "names": object{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": singular},
			"versions": []any{object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": object{"type": "object", "properties": properties}}}}}}
}

// roles are what the authorizer knows of alice and the bot.
var roles = []object{
	{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": object{"name": "deployer"}, "rules": []any{
		object{"apiGroups": []any{"apps"}, "resources": []any{"deployments", "deployments/scale"}, "verbs": []any{"create", "update"}},
		object{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "resourceNames": []any{"web"}, "verbs": []any{"*"}},
		object{"nonResourceURLs": []any{"/healthz", "/metrics/*"}, "verbs": []any{"get"}},
	}},
	{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": "dev-deployers"},
		"roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "deployer"}, "subjects": []any{object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "dev"}}},
	{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": object{"name": "reader", "namespace": "default"}, "rules": []any{
		object{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"get", "list"}}}},
	{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": object{"name": "bot-reads", "namespace": "default"},
		"roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}, "subjects": []any{object{"kind": "ServiceAccount", "name": "bot", "namespace": "default"}}},
}
