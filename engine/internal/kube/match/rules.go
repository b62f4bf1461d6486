package match

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mismatch is the first part of a rule that a request does not meet. The zero
// value means that the rule matches.
type mismatch struct {
	// field is the field of the rule: one of ruleFields.
	field      string
	wants, has string
}

// ruleFields are the parts of a rule in the order in which the server compares
// them. The further a rule gets, the closer it is to the request.
var ruleFields = []string{"scope", "operations", "apiGroups", "apiVersions", "resources", "resourceNames"}

var namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// compareRule compares a rule with a request, as if the request were for the
// given resource: the request's own or an equivalent one (semantics §4.1).
// Resource names are not part of it.
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

// compareNames checks resourceNames. An empty list allows every name; an empty
// name, as a CREATE with generateName has before storage, is in no list.
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

// scopeMatches treats a Namespace object as cluster-scoped, although its
// requests carry a namespace: its own name.
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

// resourceMatches compares resource and subresource separately. So "*" stands
// for every resource but no subresource, and "pods/*" for pods and all their
// subresources.
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

// quoteEmpty makes the name of the core API group visible.
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

// sentence says what a rule wants and what the request is instead.
func (m mismatch) sentence(label string) string {
	text := fmt.Sprintf("%s wants %s %s, but the request %s", label, m.field, m.wants, m.has)
	if m.field == "resources" && strings.Contains(m.has, "/") && slices.Contains(strings.Split(m.wants, ", "), "*") {
		text += " (* excludes subresources; */* includes them)"
	}
	return text
}
