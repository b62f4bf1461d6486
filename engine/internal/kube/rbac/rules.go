// Package rbac answers the checks that CEL expressions make through the
// authorizer variable (semantics §1.9). It decides by the RBAC objects of the
// cluster text and those that every API server creates by itself, and says
// which rule allowed a request or what is missing.
//
// A real server has more authorizers than RBAC. Of those, only the one that
// allows everything to the group system:masters is simulated; the Node
// authorizer for kubelets, and webhooks, are not.
package rbac

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Rules are all RBAC objects of a cluster. They are safe for concurrent use once loaded.
type Rules struct {
	version  version.Version
	roles    map[key]*role
	bindings map[key]*binding
	// order holds the bindings by namespace and name, cluster-wide ones first, as the server visits
	// them.
	order []*binding
}

// key names an object. The namespace is empty for the cluster-wide kinds.
type key struct{ kind, namespace, name string }

// String returns ns/name, or the name alone.
func (k key) String() string {
	if k.namespace == "" {
		return k.name
	}
	return k.namespace + "/" + k.name
}

// role is a Role or ClusterRole.
type role struct {
	key
	labels      map[string]string
	aggregation *rbacv1.AggregationRule
	rules       []rule
	source      source
}

// rule is a rule and its place. An aggregated role has rules of other roles.
type rule struct {
	rbacv1.PolicyRule
	owner *role
	index int
}

// equal reports whether two rules have the same content. A missing list equals an empty one.
func (r rule) equal(other rule) bool {
	return slices.Equal(r.Verbs, other.Verbs) && slices.Equal(r.APIGroups, other.APIGroups) &&
		slices.Equal(r.Resources, other.Resources) && slices.Equal(r.ResourceNames, other.ResourceNames) &&
		slices.Equal(r.NonResourceURLs, other.NonResourceURLs)
}

// binding is a RoleBinding or ClusterRoleBinding.
type binding struct {
	key
	role     key
	subjects []rbacv1.Subject
	source   source
}

// source is an object's place in the cluster text. The zero value means that the server created the
// object.
type source struct {
	text   diag.Text
	locate func(path string) diag.Span
}

func (s source) builtin() bool { return s.locate == nil }

// index sorts the bindings and computes aggregated roles. Call it once, after adding all objects.
func (r *Rules) index() error {
	r.order = slices.SortedFunc(maps.Values(r.bindings), func(a, b *binding) int {
		if byNamespace := strings.Compare(a.namespace, b.namespace); byNamespace != 0 {
			return byNamespace
		}
		return strings.Compare(a.name, b.name)
	})
	return r.aggregate()
}

// aggregate gives every ClusterRole with an aggregationRule the rules of the selected ClusterRoles,
// as the controller in a live cluster does. It drops rules that the role has itself. Aggregation
// can go through several roles (view, edit, admin), so it repeats until nothing changes.
func (r *Rules) aggregate() error {
	var sources, targets []*role
	for _, candidate := range r.roles {
		if candidate.kind == "ClusterRole" {
			sources = append(sources, candidate)
		}
		if candidate.aggregation != nil {
			candidate.rules = nil
			targets = append(targets, candidate)
		}
	}
	byName := func(a, b *role) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(sources, byName)
	slices.SortFunc(targets, byName)
	for changed := true; changed; {
		changed = false
		for _, target := range targets {
			rules, err := collect(target, sources)
			if err != nil {
				return err
			}
			// Roles only gain rules, so comparing their number is enough.
			changed = changed || len(rules) != len(target.rules)
			target.rules = rules
		}
	}
	return nil
}

// collect returns the rules of all roles that target selects, without duplicates, in the
// controller's order.
func collect(target *role, sources []*role) ([]rule, error) {
	var all []rule
	for i := range target.aggregation.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&target.aggregation.ClusterRoleSelectors[i])
		if err != nil {
			return nil, fmt.Errorf("ClusterRole %s: aggregationRule.clusterRoleSelectors[%d]: %w", target.name, i, err)
		}
		for _, from := range sources {
			if from == target || !selector.Matches(labels.Set(from.labels)) {
				continue
			}
			for _, candidate := range from.rules {
				if !slices.ContainsFunc(all, candidate.equal) {
					all = append(all, candidate)
				}
			}
		}
	}
	return all, nil
}

// roleOf returns a binding's role. The error has the server's text.
func (r *Rules) roleOf(b *binding) (*role, error) {
	if found := r.roles[b.role]; found != nil {
		return found, nil
	}
	return nil, apierrors.NewNotFound(rbacv1.Resource(strings.ToLower(b.role.kind)), b.role.name)
}

// describe names a subject as RBAC's reason text does. It names a service account, oddly,
// name/namespace.
func describe(subject rbacv1.Subject, bindingNamespace string) string {
	name := subject.Name
	if subject.Kind == rbacv1.ServiceAccountKind {
		namespace := subject.Namespace
		if namespace == "" {
			namespace = bindingNamespace
		}
		name += "/" + namespace
	}
	return fmt.Sprintf("%s %q", subject.Kind, name)
}

// reason is the text with which the server's RBAC authorizer says what allowed a request.
func (b *binding) reason(subject rbacv1.Subject) string {
	name := b.name
	if b.namespace != "" {
		name += "/" + b.namespace
	}
	return fmt.Sprintf("RBAC: allowed by %s %q of %s %q to %s",
		b.kind, name, b.role.kind, b.role.name, describe(subject, b.namespace))
}
