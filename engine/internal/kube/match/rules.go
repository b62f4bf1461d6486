package match

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mismatch is the first part of a rule that a request does not match. The zero value means that the
// rule matches.
type mismatch struct {
	// field is the rule's field: one of ruleFields.
	field      string
	wants, has string
}

// ruleFields are a rule's parts in the server's order of comparison. The more parts match, the
// closer the rule is to the request.
var ruleFields = []string{"scope", "operations", "apiGroups", "apiVersions", "resources", "resourceNames"}

var namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// compareRule compares a rule with a request for the given resource: its own or an equivalent one
// (semantics §4.1). It does not compare resource names.
func compareRule(rule *v1.RuleWithOperations, request *Request, resource schema.GroupVersionResource) mismatch {
	if !scopeMatches(rule.Scope, resource, request.Namespace) {
		return mismatch{"scope", string(*rule.Scope), actualScope(resource, request.Namespace)}
	}
	if !holds(rule.Operations, v1.OperationType(request.Operation)) {
		return mismatch{"operations", join(rule.Operations), "is " + request.Operation}
	}
	if !holds(rule.APIGroups, resource.Group) {
		return mismatch{"apiGroups", join(rule.APIGroups), "has group " + quoteEmpty(resource.Group)}
	}
	if !holds(rule.APIVersions, resource.Version) {
		return mismatch{"apiVersions", join(rule.APIVersions), "has version " + quoteEmpty(resource.Version)}
	}
	if !resourceMatches(rule.Resources, resource.Resource, request.SubResource) {
		return mismatch{"resources", join(rule.Resources), "is for " + withSubResource(resource.Resource, request.SubResource)}
	}
	return mismatch{}
}

// compareNames checks resourceNames. An empty list allows every name. No list contains the empty
// name, which a CREATE with generateName has before storage.
func compareNames(names []string, request *Request) mismatch {
	if len(names) == 0 || slices.Contains(names, request.Name) {
		return mismatch{}
	}
	has := "has the name " + request.Name
	if request.Name == "" {
		has = "has no name yet"
	}
	return mismatch{"resourceNames", join(names), has}
}

// scopeMatches treats a Namespace as cluster-scoped, although its requests have a namespace: its
// own name.
func scopeMatches(scope *v1.ScopeType, resource schema.GroupVersionResource, namespace string) bool {
	if scope == nil || *scope == v1.AllScopes {
		return true
	}
	clusterScoped := resource == namespacesResource || namespace == ""
	switch *scope {
	case v1.NamespacedScope:
		return !clusterScoped
	case v1.ClusterScope:
		return clusterScoped
	}
	return false
}

func actualScope(resource schema.GroupVersionResource, namespace string) string {
	switch {
	case resource == namespacesResource:
		return "is for a Namespace, which is cluster-scoped"
	case namespace == "":
		return "is cluster-scoped"
	}
	return "is in namespace " + namespace
}

// resourceMatches compares resource and subresource separately. So "*" matches every resource but
// no subresource, and "pods/*" matches pods and all their subresources.
func resourceMatches(wanted []string, resource, subResource string) bool {
	for _, entry := range wanted {
		wantResource, wantSub, _ := strings.Cut(entry, "/")
		if (wantResource == "*" || wantResource == resource) && (wantSub == "*" || wantSub == subResource) {
			return true
		}
	}
	return false
}

// holds reports whether list has the wildcard or the item.
func holds[T ~string](list []T, item T) bool {
	return slices.Contains(list, "*") || slices.Contains(list, item)
}

func join[T ~string](list []T) string {
	if len(list) == 0 {
		return "nothing"
	}
	words := make([]string, len(list))
	for i, item := range list {
		words[i] = quoteEmpty(string(item))
	}
	return strings.Join(words, ", ")
}

// quoteEmpty makes the core API group's empty name visible.
func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

func withSubResource(resource, subResource string) string {
	if subResource == "" {
		return resource
	}
	return resource + "/" + subResource
}

// sentence says what a rule requires and what the request has.
func (m mismatch) sentence(label string) string {
	text := fmt.Sprintf("%s wants %s %s, but the request %s", label, m.field, m.wants, m.has)
	if m.field == "resources" && strings.Contains(m.has, "/") && slices.Contains(strings.Split(m.wants, ", "), "*") {
		text += " (* excludes subresources; */* includes them)"
	}
	return text
}
