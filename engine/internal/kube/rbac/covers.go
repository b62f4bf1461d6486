package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// question has a check's attributes that RBAC uses. Selectors are not among them.
type question struct {
	verb string
	// path is set for checks of a non-resource URL.
	isResource                   bool
	path                         string
	group, resource, subResource string
	namespace, name              string
}

func questionOf(a authorizer.Attributes) question {
	return question{
		verb: a.GetVerb(), isResource: a.IsResourceRequest(), path: a.GetPath(),
		group: a.GetAPIGroup(), resource: a.GetResource(), subResource: a.GetSubresource(),
		namespace: a.GetNamespace(), name: a.GetName(),
	}
}

// The parts of a rule that a check must match.
const (
	partURLs      = "nonResourceURLs"
	partGroups    = "apiGroups"
	partResources = "resources"
	partVerbs     = "verbs"
	partNames     = "resourceNames"
)

// missing lists the parts of a rule that do not cover a check. A rule without missing parts allows
// it.
func missing(r *rbacv1.PolicyRule, q question) []string {
	var parts []string
	need := func(part string, covered bool) {
		if !covered {
			parts = append(parts, part)
		}
	}
	if q.isResource {
		need(partGroups, holds(r.APIGroups, q.group))
		need(partResources, coversResource(r.Resources, q.resource, q.subResource))
		need(partVerbs, holds(r.Verbs, q.verb))
		need(partNames, len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, q.name))
		return parts
	}
	need(partURLs, coversURL(r.NonResourceURLs, q.path))
	need(partVerbs, holds(r.Verbs, q.verb))
	return parts
}

// holds reports whether list has the wildcard or the item, case-sensitively.
func holds(list []string, item string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, item)
}

// coversResource supports three forms: "*" for all resources and subresources, an exact "pods" or
// "pods/log", and "*/scale" for one subresource of every resource. RBAC has no "pods/*".
func coversResource(list []string, resource, subResource string) bool {
	if subResource == "" {
		return holds(list, resource)
	}
	return holds(list, resource+"/"+subResource) || slices.Contains(list, "*/"+subResource)
}

// coversURL supports exact paths and paths that end with "*".
func coversURL(list []string, path string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		if pattern == "*" || pattern == path {
			return true
		}
		return strings.HasSuffix(pattern, "*") && strings.HasPrefix(path, strings.TrimRight(pattern, "*"))
	})
}
