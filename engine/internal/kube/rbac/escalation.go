package rbac

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/component-helpers/auth/rbac/validation"
)

// Grant is a request that grants permissions: it creates or changes a role or binding.
type Grant struct {
	User      user.Info
	Resource  schema.GroupResource
	Namespace string // of the request
	// Name is the name in the URL; empty for a create.
	Name string
	// Object is the role or binding. Old is the previous one.
	Object, Old map[string]any
}

// Escalation returns the server's rejection of a request that grants permissions which its user
// lacks; nil if allowed (pkg/registry/rbac of k8s.io/kubernetes). It checks the verbs escalate and
// bind through the authorizer.
func (l *Lazy) Escalation(g Grant, asked authorizer.UnconditionalAuthorizer) error {
	if g.Resource.Group != rbacv1.GroupName || slices.Contains(g.User.GetGroups(), user.SystemPrivilegedGroup) || g.onlyCollected() {
		return nil
	}
	rules, err := l.rules()
	if err != nil {
		return err
	}
	switch g.Resource.Resource {
	case "roles", "clusterroles":
		return rules.roleEscalation(g, asked)
	case "rolebindings", "clusterrolebindings":
		return rules.bindingEscalation(g, asked)
	}
	return nil
}

// onlyCollected reports whether an update only changes what the garbage collector changes.
func (g Grant) onlyCollected() bool {
	if g.Old == nil {
		return false
	}
	rest := func(object map[string]any) map[string]any {
		out := map[string]any{}
		for name, value := range object {
			if metadata, ok := value.(map[string]any); ok && name == "metadata" {
				kept := map[string]any{}
				for field, value := range metadata {
					if !slices.Contains([]string{"ownerReferences", "finalizers", "managedFields", "selfLink"}, field) {
						kept[field] = value
					}
				}
				value = kept
			}
			out[name] = value
		}
		return out
	}
	return reflect.DeepEqual(rest(g.Object), rest(g.Old))
}

// allowed asks the authorizer.
func allowed(asked authorizer.UnconditionalAuthorizer, a authorizer.AttributesRecord) bool {
	decision, _, err := asked.Authorize(context.Background(), a)
	return err == nil && decision == authorizer.DecisionAllow
}

func (r *Rules) roleEscalation(g Grant, asked authorizer.UnconditionalAuthorizer) error {
	if allowed(asked, authorizer.AttributesRecord{User: g.User, Verb: "escalate", APIGroup: g.Resource.Group, APIVersion: "*", Resource: g.Resource.Resource,
		Namespace: g.Namespace, Name: g.Name, ResourceRequest: true}) {
		return nil
	}
	var object, old rbacv1.ClusterRole // a Role lacks one field
	if err := errors.Join(typed(g.Object, &object), typed(g.Old, &old)); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if err := r.covered(g, object.Rules); err != nil {
		return apierrors.NewForbidden(g.Resource, object.Name, err)
	}
	if g.Resource.Resource != "clusterroles" || !aggregates(&object) && !aggregates(&old) {
		return nil
	}
	everything := []rbacv1.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}, {Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}}
	if r.covered(g, everything) != nil {
		return apierrors.NewForbidden(g.Resource, object.Name, errors.New("must have cluster-admin privileges to use the aggregationRule"))
	}
	return nil
}

func aggregates(r *rbacv1.ClusterRole) bool {
	return r.AggregationRule != nil && len(r.AggregationRule.ClusterRoleSelectors) > 0
}

func (r *Rules) bindingEscalation(g Grant, asked authorizer.UnconditionalAuthorizer) error {
	var object rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
	if err := typed(g.Object, &object); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	ref := object.RoleRef
	if ref.APIGroup == "" {
		ref.APIGroup = rbacv1.GroupName
	}
	namespace := ""
	if g.Resource.Resource == "rolebindings" {
		namespace = g.Namespace
	}
	resource := map[string]string{"Role": "roles", "ClusterRole": "clusterroles"}[ref.Kind]
	if resource != "" && allowed(asked, authorizer.AttributesRecord{User: g.User, Verb: "bind", APIGroup: ref.APIGroup, APIVersion: "*", Resource: resource,
		Namespace: namespace, Name: ref.Name, ResourceRequest: true}) {
		return nil
	}
	id := key{kind: ref.Kind, name: ref.Name}
	if ref.Kind == "Role" {
		id.namespace = namespace
	}
	granted, err := r.roleOf(&binding{role: id})
	if apierrors.IsNotFound(err) {
		return apierrors.NewNotFound(g.Resource, ref.Name) // the store names the request's resource
	} else if err != nil {
		return err
	}
	var rules []rbacv1.PolicyRule
	for i := range granted.rules {
		rules = append(rules, granted.rules[i].PolicyRule)
	}
	if err := r.covered(g, rules); err != nil {
		return apierrors.NewForbidden(g.Resource, object.Name, err)
	}
	return nil
}

func typed(object map[string]any, into any) error {
	if object == nil {
		return nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// covered compares rules with the user's permissions. The error has the server's text.
func (r *Rules) covered(g Grant, rules []rbacv1.PolicyRule) error {
	owned, unresolved := r.rulesFor(g.User, g.Namespace)
	covered, lacking := validation.Covers(owned, rules)
	if covered {
		return nil
	}
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s", g.User.GetName(), g.User.GetGroups(), strings.Join(compact(lacking), "\n"))
	if len(unresolved) > 0 {
		text += fmt.Sprintf("; resolution errors: %v", []error{utilerrors.NewAggregate(unresolved)})
	}
	return errors.New(text)
}

// rulesFor returns all rules for a user in a namespace.
func (r *Rules) rulesFor(who user.Info, namespace string) (list []rbacv1.PolicyRule, unresolved []error) {
	for _, b := range r.order {
		if b.namespace != "" && b.namespace != namespace {
			continue
		}
		if _, ok := b.subjectFor(who); !ok {
			continue
		}
		granted, err := r.roleOf(b)
		if err != nil {
			unresolved = append(unresolved, err)
			continue
		}
		for i := range granted.rules {
			list = append(list, granted.rules[i].PolicyRule)
		}
	}
	return list, unresolved
}

// compact describes rules as the server does, sorted and with rules that differ only in the verb
// merged.
func compact(rules []rbacv1.PolicyRule) []string {
	type simple struct{ group, resource, name string }
	var merged []rbacv1.PolicyRule
	at := map[simple]int{}
	for _, rule := range rules {
		if len(rule.NonResourceURLs) > 0 {
			merged = append(merged, rule)
			continue
		}
		id := simple{rule.APIGroups[0], rule.Resources[0], strings.Join(rule.ResourceNames, "/")}
		if i, known := at[id]; known {
			merged[i].Verbs = append(slices.Clone(merged[i].Verbs), rule.Verbs...)
			continue
		}
		at[id] = len(merged)
		merged = append(merged, rule)
	}
	var out []string
	for _, rule := range merged {
		var parts []string
		for _, part := range []struct {
			name string
			list []string
		}{{"APIGroups", rule.APIGroups}, {"Resources", rule.Resources}, {"NonResourceURLs", rule.NonResourceURLs}, {"ResourceNames", rule.ResourceNames}, {"Verbs", rule.Verbs}} {
			if len(part.list) > 0 {
				parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.list))
			}
		}
		out = append(out, "{"+strings.Join(parts, ", ")+"}")
	}
	slices.Sort(out)
	return slices.Compact(out)
}
