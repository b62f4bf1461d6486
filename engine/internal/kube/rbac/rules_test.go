package rbac

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestEqualRules: two rules are equal if each of their lists is, including its order.
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

// TestSubjects: which users a subject matches. A service account without a namespace is in the
// binding's.
func TestSubjects(t *testing.T) {
	account := person("system:serviceaccount:shop:robot", "system:serviceaccounts")
	for _, c := range []struct {
		kind, namespace, name, binding string
		want                           bool
	}{
		{"User", "", "system:serviceaccount:shop:robot", "", true},
		{"User", "", "robot", "", false},
		{"Group", "", "system:serviceaccounts", "", true},
		{"Group", "", "robots", "", false},
		{"ServiceAccount", "shop", "robot", "", true},
		{"ServiceAccount", "shop", "robot", "other", true},
		{"ServiceAccount", "other", "robot", "shop", false},
		{"ServiceAccount", "shop", "boss", "", false},
		{"ServiceAccount", "", "robot", "shop", true},
		{"ServiceAccount", "", "robot", "other", false},
		{"ServiceAccount", "", "robot", "", false},
		{"Robot", "shop", "robot", "shop", false},
	} {
		if got := subjectIs(rbacv1.Subject{Kind: c.kind, Namespace: c.namespace, Name: c.name}, account, c.binding); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestDefaultNamespace: a role without a namespace is in the namespace default.
func TestDefaultNamespace(t *testing.T) {
	rules, _, err := Load(version.Default(), parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if rules.roles[key{"Role", "default", "r"}] == nil {
		t.Error("it is not there")
	}
}

// TestSubjectNames: an account is followed by its namespace, or the binding's (describeSubject in
// plugin/pkg/auth/authorizer/rbac of k8s.io/kubernetes).
func TestSubjectNames(t *testing.T) {
	for _, c := range []struct {
		kind, namespace, want string
	}{
		{"ServiceAccount", "there", `ServiceAccount "a/there"`},
		{"ServiceAccount", "", `ServiceAccount "a/here"`},
		{"User", "", `User "a"`},
	} {
		if got := describe(rbacv1.Subject{Kind: c.kind, Name: "a", Namespace: c.namespace}, "here"); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
