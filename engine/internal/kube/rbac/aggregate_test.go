package rbac

import (
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

const widgets = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: widgets-viewer
  labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}
rules:
- {apiGroups: [example.com], resources: [widgets], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewers, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, name: viewers}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: admins, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{kind: Group, name: admins}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: left, labels: {cycle: right}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {cycle: left}}]}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [delete]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: right, labels: {cycle: left}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {cycle: right}}, {matchLabels: {leaf: "yes"}}]}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: leaf, labels: {leaf: "yes"}}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: left}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: left}
subjects: [{kind: User, name: lea}]
`

func TestAggregation(t *testing.T) {
	rules := load(t, "1.37", widgets)
	viewer, admin, lea := person("v", "viewers"), person("a", "admins"), person("lea")
	tests := []struct {
		who     user.Info
		check   string
		allowed bool
	}{
		{viewer, `group('example.com').resource('widgets').namespace('apps').check('list')`, true},
		{viewer, `group('example.com').resource('widgets').namespace('other').check('list')`, false},
		{viewer, `group('').resource('pods').namespace('apps').check('get')`, true},
		{viewer, `group('').resource('secrets').namespace('apps').check('get')`, false},
		// view is part of edit, which is part of admin.
		{admin, `group('example.com').resource('widgets').namespace('apps').check('list')`, true},
		{admin, `group('').resource('secrets').namespace('apps').check('get')`, true},
		{admin, `group('rbac.authorization.k8s.io').resource('roles').namespace('apps').check('create')`, true},
		// Circular aggregation still reaches the leaf, and a role's own rules are replaced.
		{lea, `group('').resource('nodes').check('get')`, true},
		{lea, `group('').resource('nodes').check('delete')`, false},
		{lea, `group('').resource('nodes').check('patch')`, false},
	}
	for _, test := range tests {
		if got := eval(t, "authorizer."+test.check+".allowed()", test.who, rules.Checker(RBAC, nil)); got != test.allowed {
			t.Errorf("%s: %s: allowed = %v", test.who.GetName(), test.check, got)
		}
	}
}

func TestAggregatedGrant(t *testing.T) {
	var got report.Authorization
	checker := load(t, "1.37", widgets).Checker(RBAC, func(a report.Authorization) { got = a })
	eval(t, `authorizer.group('example.com').resource('widgets').namespace('apps').check('get').allowed()`, person("a", "admins"), checker)
	want := "rules[0] of ClusterRole widgets-viewer, aggregated into ClusterRole admin, allows it; RoleBinding apps/admins grants it to Group \"admins\""
	if got.Explanation != want {
		t.Errorf("explanation %q", got.Explanation)
	}
	grant := got.Grants[0]
	if grant.Role != "ClusterRole admin" || grant.RuleRole != "ClusterRole widgets-viewer" || grant.Builtin || grant.Span.Start != 1 {
		t.Errorf("grant %+v", grant)
	}
}

// TestBootstrap checks roles that differ between versions, and one that a document replaces.
func TestBootstrap(t *testing.T) {
	const bound = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewers, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: vera}]
`
	const replaced = bound + `
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: [delete]}]
`
	const claims = `authorizer.group('resource.k8s.io').resource('resourceclaims').namespace('apps').check('get').allowed()`
	const selfReview = `authorizer.group('authorization.k8s.io').resource('selfsubjectaccessreviews').check('create').allowed()`
	const cidrs = `authorizer.group('networking.k8s.io').resource('servicecidrs').check('list').allowed()`
	const trustBundles = `authorizer.group('certificates.k8s.io').resource('clustertrustbundles').check('list').allowed()`
	tests := []struct {
		version, objects, expression string
		who                          user.Info
		allowed                      bool
	}{
		{"1.33", bound, claims, person("vera"), false},
		{"1.34", bound, claims, person("vera"), true},
		{"1.37", bound, claims, person("vera"), true},
		{"1.37", replaced, claims, person("vera"), false},
		{"1.37", replaced, strings.Replace(claims, "get", "delete", 1), person("vera"), true},
		{"1.30", bound, selfReview, person("eve"), true},
		{"1.30", bound, selfReview, &user.DefaultInfo{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}, false},
		{"1.32", bound, cidrs, person("system:kube-proxy"), false},
		{"1.33", bound, cidrs, person("system:kube-proxy"), true},
		{"1.36", bound, trustBundles, &user.DefaultInfo{Name: "system:serviceaccount:apps:web", Groups: []string{"system:serviceaccounts"}}, false},
		{"1.37", bound, trustBundles, &user.DefaultInfo{Name: "system:serviceaccount:apps:web", Groups: []string{"system:serviceaccounts"}}, true},
		{"1.37", bound, `authorizer.serviceAccount('kube-system', 'deployment-controller').group('apps').resource('deployments').namespace('x').check('update').allowed()`, person("eve"), true},
		{"1.37", bound, `authorizer.serviceAccount('kube-system', 'token-cleaner').group('').resource('secrets').namespace('kube-system').check('delete').allowed()`, person("eve"), true},
		{"1.37", bound, `authorizer.serviceAccount('kube-system', 'token-cleaner').group('').resource('secrets').namespace('apps').check('delete').allowed()`, person("eve"), false},
	}
	for _, test := range tests {
		if got := eval(t, test.expression, test.who, load(t, test.version, test.objects).Checker(RBAC, nil)); got != test.allowed {
			t.Errorf("%s %s: %s: allowed = %v", test.version, test.who.GetName(), test.expression, got)
		}
	}
}

// TestBootstrapIsComplete checks that every built-in binding's role exists, in every version.
func TestBootstrapIsComplete(t *testing.T) {
	for _, version := range version.All() {
		rules, problems, err := Load(version, nil)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v, %v", version, err, problems)
		}
		if len(rules.order) < 50 {
			t.Errorf("%s: only %d bindings", version, len(rules.order))
		}
		for _, b := range rules.order {
			if _, err := rules.roleOf(b); err != nil {
				t.Errorf("%s: %s %s: %v", version, b.kind, b.key, err)
			}
		}
	}
}
