package rbac

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// granting says what dana may do: edit Deployments and read the Secret db in apps, see nodes and
// logs. erin may escalate and bind in apps; root may do everything.
const granting = team + `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: trusted, namespace: apps}
rules:
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate, bind]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: trusted, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: trusted}
subjects: [{kind: User, name: erin}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: root}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, name: root}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lost, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: gone}
subjects: [{kind: User, name: finn}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: elsewhere, namespace: other}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: gina}]
`

// TestEscalation: the texts come from pkg/registry/rbac of k8s.io/kubernetes.
func TestEscalation(t *testing.T) {
	dana, erin, root := person("dana", "team"), person("erin"), person("root")
	lazy, _, err := NewLazy(version.Default(), parse(t, granting))
	if err != nil {
		t.Fatal(err)
	}
	const lacks = `user "dana" (groups=["team" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:` + "\n"
	const bind = `{metadata: {name: r, namespace: apps}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %, name: %}}`
	role := func(rules string) string { return `{metadata: {name: r, namespace: apps}, rules: [` + rules + `]}` }
	binding := func(kind, name string) string {
		return strings.Replace(strings.Replace(bind, "%", kind, 1), "%", name, 1)
	}
	for _, c := range []struct {
		name             string
		who              user.Info
		resource, object string
		old, want        string
	}{
		{"what she has", dana, "roles", role(`{apiGroups: [apps], resources: [deployments], verbs: [get, update]}`), "", ""},
		{"of two rules one", dana, "roles", role(`{apiGroups: [apps], resources: [deployments], verbs: [get]}, {apiGroups: [""], resources: [pods], verbs: [get]}`), "",
			lacks + `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"several, by verb, sorted", dana, "roles", role(`{apiGroups: [batch, apps], resources: [jobs, deployments], verbs: [get, delete]}`), "",
			lacks + `{APIGroups:["apps"], Resources:["deployments"], Verbs:["delete"]}` + "\n" +
				`{APIGroups:["apps"], Resources:["jobs"], Verbs:["get" "delete"]}` + "\n" +
				`{APIGroups:["batch"], Resources:["deployments"], Verbs:["get" "delete"]}` + "\n" +
				`{APIGroups:["batch"], Resources:["jobs"], Verbs:["get" "delete"]}`},
		{"one name", dana, "roles", role(`{apiGroups: [""], resources: [secrets], resourceNames: [db], verbs: [get]}`), "", ""},
		{"another name", dana, "roles", role(`{apiGroups: [""], resources: [secrets], resourceNames: [db, other], verbs: [get]}`), "",
			lacks + `{APIGroups:[""], Resources:["secrets"], ResourceNames:["other"], Verbs:["get"]}`},
		{"all names", dana, "roles", role(`{apiGroups: [""], resources: [secrets], verbs: [get]}`), "", lacks + `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`},
		{"a subresource", dana, "roles", role(`{apiGroups: [apps], resources: [deployments/scale], verbs: [get]}`), "", ""},
		{"another subresource", dana, "roles", role(`{apiGroups: [apps], resources: [deployments/status], verbs: [get]}`), "",
			lacks + `{APIGroups:["apps"], Resources:["deployments/status"], Verbs:["get"]}`},
		{"everything", dana, "roles", role(`{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}`), "", lacks + `{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`},
		{"in all groups", dana, "clusterroles", role(`{apiGroups: [example.com], resources: [nodes], verbs: [patch]}`), "", ""},
		{"paths", dana, "clusterroles", role(`{nonResourceURLs: [/logs/a, /logs/*], verbs: [get]}`), "", ""},
		{"other paths", dana, "clusterroles", role(`{nonResourceURLs: [/logs/a, /debug], verbs: [get, post]}`), "",
			lacks + `{NonResourceURLs:["/debug"], Verbs:["get"]}` + "\n" + `{NonResourceURLs:["/debug"], Verbs:["post"]}` + "\n" + `{NonResourceURLs:["/logs/a"], Verbs:["post"]}`},
		{"an update that changes it", dana, "roles", role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), role(``), lacks + `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"one of owners alone", dana, "roles", `{metadata: {name: r, namespace: apps, finalizers: [a]}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
			role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), ""},
		{"and labels", dana, "roles", `{metadata: {name: r, namespace: apps, labels: {a: b}}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
			role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), lacks + `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"a role of hers that is not there", person("finn"), "roles", role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), "",
			`user "finn" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:` + "\n" + `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [role.rbac.authorization.k8s.io "gone" not found]`},
		{"what she has elsewhere", person("gina"), "roles", role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), "",
			`user "gina" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:` + "\n" + `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"the verb escalate", erin, "roles", role(`{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}`), "", ""},
		{"not of ClusterRoles", erin, "clusterroles", role(`{apiGroups: [""], resources: [pods], verbs: [get]}`), "", `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`},
		{"roles of roles", dana, "clusterroles", `{metadata: {name: r}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`, "",
			`clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule`},
		{"no longer", dana, "clusterroles", `{metadata: {name: r}}`, `{metadata: {name: r}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`, `must have cluster-admin privileges`},
		{"an aggregation that selects nothing", dana, "clusterroles", `{metadata: {name: r}, aggregationRule: {clusterRoleSelectors: []}}`, "", ""},
		{"of an administrator", root, "clusterroles", `{metadata: {name: r}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`, "", ""},
		{"the masters", person("m", user.SystemPrivilegedGroup), "clusterroles", role(`{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}`), "", ""},

		{"her own role", dana, "rolebindings", binding("Role", "editor"), "", ""},
		{"another role", dana, "rolebindings", binding("Role", "trusted"), "", lacks + `{APIGroups:["rbac.authorization.k8s.io"], Resources:["roles"], Verbs:["escalate" "bind"]}`},
		{"her own ClusterRole", dana, "clusterrolebindings", binding("ClusterRole", "logs"), "", ""},
		{"all of them", dana, "clusterrolebindings", binding("ClusterRole", "cluster-admin"), "", lacks + `{APIGroups:["*"], Resources:["*"], Verbs:["*"]}` + "\n" + `{NonResourceURLs:["*"], Verbs:["*"]}`},
		{"the verb bind", erin, "rolebindings", binding("Role", "editor"), "", ""},
		{"the verb bind, of a reference without a group", erin, "rolebindings", `{metadata: {name: r, namespace: apps}, roleRef: {kind: Role, name: lost}}`, "", ""},
		{"not of ClusterRoles", erin, "rolebindings", binding("ClusterRole", "logs"), "", `is attempting to grant RBAC permissions not currently held`},
		{"a role that is not there", dana, "rolebindings", binding("Role", "none"), "", `rolebindings.rbac.authorization.k8s.io "none" not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Grant{User: c.who, Resource: schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: c.resource}}
			if !strings.HasPrefix(c.resource, "cluster") {
				g.Namespace = "apps"
			}
			for text, into := range map[string]*map[string]any{c.object: &g.Object, c.old: &g.Old} {
				if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			err := lazy.Escalation(g, lazy.Authorizer(RBAC, nil))
			switch {
			case c.want == "" && err != nil, c.want != "" && err == nil:
				t.Errorf("%v, want %q", err, c.want)
			case err != nil && !strings.HasSuffix(err.Error(), c.want) && !(strings.Count(c.want, "\n") == 0 && strings.Contains(err.Error(), c.want)):
				t.Errorf("%v\nwant\n%s", err, c.want)
			}
		})
	}
}
