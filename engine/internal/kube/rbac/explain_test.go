package rbac

import (
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/report"
)

const team = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: editor, namespace: apps}
rules:
- {apiGroups: [apps], resources: [deployments, deployments/scale], verbs: [get, update]}
- {apiGroups: [""], resources: [secrets], resourceNames: [db], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: team, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: editor}
subjects: [{kind: Group, name: team}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: view, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: vera}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: logs}
rules:
- {nonResourceURLs: ["/logs/*"], verbs: [get]}
- {apiGroups: [""], resources: [nodes], verbs: [get]}
- {apiGroups: ["*"], resources: [nodes], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: logs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: logs}
subjects: [{kind: Group, name: team}]
`

func TestExplanations(t *testing.T) {
	dana, vera, eve := person("dana", "team"), person("vera"), person("eve")
	node := &user.DefaultInfo{Name: "system:node:n1", Groups: []string{user.NodesGroup, user.AllAuthenticated}}
	tests := []struct {
		who         user.Info
		check, want string
	}{
		{dana, `group('apps').resource('deployments').namespace('apps').check('get')`,
			`rules[0] of Role apps/editor allows it; RoleBinding apps/team grants it to Group "team"`},
		{dana, `group('').resource('nodes').check('get')`,
			`rules[1] of ClusterRole logs allows it; ClusterRoleBinding logs grants it to Group "team"; one more rule allows it too`},
		{dana, `group('apps').resource('deployments').namespace('apps').check('patch')`,
			`no rule allows user "dana" to patch deployments in API group apps in namespace apps; Role apps/editor allows get, update, not patch`},
		{dana, `group('apps').resource('deployments').check('get')`,
			`no rule allows user "dana" to get deployments in API group apps in all namespaces or cluster-wide; RoleBinding apps/team allows it, but only in namespace apps`},
		{dana, `group('').resource('secrets').namespace('apps').name('other').check('get')`,
			`no rule allows user "dana" to get secrets named other in namespace apps; Role apps/editor allows it only for the name db`},
		{dana, `group('').resource('secrets').namespace('apps').check('get')`,
			`no rule allows user "dana" to get secrets in namespace apps; Role apps/editor allows it only for the name db, and the check has no name`},
		{dana, `group('').resource('deployments').namespace('apps').check('get')`,
			`no rule allows user "dana" to get deployments in namespace apps; Role apps/editor allows it in API group apps, not in ""`},
		{dana, `group('extensions').resource('deployments').subresource('scale').namespace('apps').check('update')`,
			`no rule allows user "dana" to update deployments/scale in API group extensions in namespace apps; Role apps/editor allows it in API group apps, not in "extensions"`},
		{dana, `path('/logs').check('get')`, `no rule allows user "dana" to get the path /logs; ClusterRole logs allows it for /logs/*, not for /logs`},
		{vera, `group('').resource('pods').namespace('apps').check('create')`,
			`no rule allows user "vera" to create pods in namespace apps; ClusterRole view allows get, list, watch, not create`},
		{vera, `group('').resource('secrets').namespace('apps').check('get')`,
			`no rule allows user "vera" to get secrets in namespace apps; ClusterRole view allows it for configmaps, endpoints, persistentvolumeclaims, persistentvolumeclaims/status, pods and 5 more, not for secrets`},
		{vera, `group('batch').resource('pods').namespace('apps').check('get')`,
			`no rule allows user "vera" to get pods in API group batch in namespace apps; ClusterRole view allows it in API group "", not in "batch"`},
		{eve, `group('').resource('pods').namespace('apps').check('get')`,
			`no rule allows user "eve" to get pods in namespace apps; no binding here names this user, its groups or its service account`},
		{node, `group('').resource('pods').namespace('apps').check('get')`,
			`no rule allows user "system:node:n1" to get pods in namespace apps; no binding here names this user, its groups or its service account; the Node authorizer, which a real server uses for kubelets, is not simulated`},
		{dana, `group('').resource('nodes').labelSelector('a=b').check('list')`,
			`rules[2] of ClusterRole logs allows it; ClusterRoleBinding logs grants it to Group "team"; RBAC ignores selectors`},
		{person("root", "system:masters"), `path('/x').check('get')`, "the group system:masters may do everything, whatever RBAC says"},
	}
	rules := load(t, "1.37", team)
	for _, test := range tests {
		var got report.Authorization
		eval(t, "authorizer."+test.check+".allowed()", test.who, rules.Checker(RBAC, func(a report.Authorization) { got = a }))
		if got.Explanation != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.check, got.Explanation, test.want)
		}
	}
}

func TestIgnoredSelector(t *testing.T) {
	var got report.Authorization
	checker := load(t, "1.37", team).Checker(AllowAll, func(a report.Authorization) { got = a })
	eval(t, `authorizer.group('').resource('nodes').fieldSelector('not a selector ((').check('list').allowed()`, person("eve"), checker)
	want := "the scenario allows every check; the field selector is ignored: invalid selector: 'not a selector (('; can't understand 'not a selector (('"
	if got.Explanation != want {
		t.Errorf("explanation %q", got.Explanation)
	}
}
