package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
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

// subjectFor returns a binding's first subject that matches a user.
func (b *binding) subjectFor(who user.Info) (rbacv1.Subject, bool) {
	for _, subject := range b.subjects {
		if subjectIs(subject, who, b.namespace) {
			return subject, true
		}
	}
	return rbacv1.Subject{}, false
}

// subjectIs reports whether a subject matches a user. A service account without a namespace is in
// the binding's.
func subjectIs(subject rbacv1.Subject, who user.Info, bindingNamespace string) bool {
	switch subject.Kind {
	case rbacv1.UserKind:
		return who.GetName() == subject.Name
	case rbacv1.GroupKind:
		return slices.Contains(who.GetGroups(), subject.Name)
	case rbacv1.ServiceAccountKind:
		namespace := subject.Namespace
		if namespace == "" {
			namespace = bindingNamespace
		}
		return namespace != "" && serviceaccount.MatchesUsername(namespace, subject.Name, who.GetName())
	}
	return false
}
