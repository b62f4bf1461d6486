package rbac

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestEqualRules: two rules are equal when each of their lists is, in its order.
func TestEqualRules(t *testing.T) {
	whole := func() rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: []string{"get", "list"}, APIGroups: []string{"apps"}, Resources: []string{"deployments"}, ResourceNames: []string{"a"}, NonResourceURLs: []string{"/logs"}}
	}
	for name, change := range map[string]func(*rbacv1.PolicyRule){
		"verbs":     func(r *rbacv1.PolicyRule) { r.Verbs = []string{"get"} },
		"order":     func(r *rbacv1.PolicyRule) { r.Verbs = []string{"list", "get"} },
		"groups":    func(r *rbacv1.PolicyRule) { r.APIGroups = []string{""} },
		"resources": func(r *rbacv1.PolicyRule) { r.Resources = nil },
		"names":     func(r *rbacv1.PolicyRule) { r.ResourceNames = []string{"b"} },
		"paths":     func(r *rbacv1.PolicyRule) { r.NonResourceURLs = []string{"/logs", "/debug"} },
	} {
		other := whole()
		change(&other)
		if (rule{PolicyRule: whole()}).equal(rule{PolicyRule: other}) || (rule{PolicyRule: other}).equal(rule{PolicyRule: whole()}) {
			t.Errorf("rules with other %s are equal", name)
		}
	}
	if !(rule{PolicyRule: whole(), index: 1}).equal(rule{PolicyRule: whole(), index: 2}) {
		t.Error("a rule is not equal to itself at another place")
	}
	if !(rule{PolicyRule: rbacv1.PolicyRule{Verbs: []string{}}}).equal(rule{}) {
		t.Error("a list that is missing is no empty one")
	}
}
