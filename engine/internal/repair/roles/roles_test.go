package roles_test

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/repair/roles"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// problems returns the problems of a text's roles and bindings, with their repairs.
func problems(t *testing.T, text string) []diag.Diagnostic {
	t.Helper()
	docs, wrong := scenario.ParseDocuments(diag.Cluster, text)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	var objects []rbac.Document
	for _, d := range docs {
		objects = append(objects, rbac.Document{Text: d.Text, Value: d.Value, Locate: d.Locate})
	}
	_, list, err := rbac.Load(version.Default(), objects)
	if err != nil {
		t.Fatal(err)
	}
	c := roles.New(docs, kinds.Kinds())
	c.Add(list)
	return append(list, c.Unlikely()...)
}

const head = "apiVersion: rbac.authorization.k8s.io/v1\n"

// TestRules applies the repair of a rule with one mistake. Afterwards the rule has none.
func TestRules(t *testing.T) {
	rule := func(groups, resources, verbs string) string {
		return head + "kind: Role\nmetadata: {name: r, namespace: a}\nrules:\n- apiGroups: " + groups + "\n  resources: " + resources + "\n  verbs: " + verbs + "\n"
	}
	for wrong, want := range map[string]string{
		rule("['']", "[pod]", "[get]"):                 rule("['']", "[pods]", "[get]"),
		rule("['']", "[cm]", "[get]"):                  rule("['']", "[configmaps]", "[get]"),
		rule("['']", "[pods/*]", "[get]"):              rule("['']", "[pods]", "[get]"),
		rule("['']", "[deployments]", "[get]"):         rule("[apps]", "[deployments]", "[get]"),
		rule("[v1]", "[pods]", "[get]"):                rule("['']", "[pods]", "[get]"),
		rule("[apps/v1]", "[deployments]", "[get]"):    rule("[apps]", "[deployments]", "[get]"),
		rule("['']", "[pods]", "[GET, list]"):          rule("['']", "[pods]", "[get, list]"),
		rule("['']", "[pods]", "[read, watch]"):        rule("['']", "[pods]", "[get, list, watch]"),
		rule("['']", "[Pod]", "[get]"):                 rule("['']", "[pods]", "[get]"),
		rule("['']", "[pods, deployments]", "[get]"):   "",
		rule("[example.com]", "[widget]", "[paint]"):   "",
		rule("['', apps]", "[deployments]", "[get]"):   "",
		rule("['']", "[pods, pods/log, '*']", "['*']"): "",
	} {
		list := problems(t, wrong)
		if want == "" {
			if len(list) > 0 {
				t.Errorf("%s: %+v", wrong, list)
			}
			continue
		}
		if len(list) != 1 || len(list[0].Fixes) != 1 {
			t.Errorf("%s: %+v", wrong, list)
			continue
		}
		if got, err := list[0].Fixes[0].Apply(diag.Cluster, wrong); err != nil || got != want || len(problems(t, got)) > 0 {
			t.Errorf("%v\n%s", err, got)
		}
	}
}

// TestBindings applies the repair of a binding with one mistake.
func TestBindings(t *testing.T) {
	role := head + "kind: Role\nmetadata: {name: reader, namespace: a}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n---\n"
	right := role + head + "kind: RoleBinding\nmetadata: {name: b, namespace: a}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}\nsubjects: [{kind: User, name: ann}]\n"
	if list := problems(t, right); len(list) > 0 {
		t.Fatal(list)
	}
	for _, swap := range [][2]string{
		{"kind: Role, name: reader", "kind: ClusterRole, name: reader"},
		{"name: reader}\nsubjects", "name: raeder}\nsubjects"},
		{"name: b, namespace: a", "name: b, namespace: c"},
		{"kind: User", "kind: user"},
		{"roleRef: {apiGroup: rbac.authorization.k8s.io", "roleRef: {apiGroup: rbac.authorization.k8s.io/v1"},
	} {
		wrong := strings.Replace(right, swap[0], swap[1], 1)
		list := problems(t, wrong)
		if len(list) != 1 || len(list[0].Fixes) != 1 {
			t.Errorf("%v: %+v", swap, list)
			continue
		}
		if got, err := list[0].Fixes[0].Apply(diag.Cluster, wrong); err != nil || got != right {
			t.Errorf("%v: %v\n%s", swap, err, got)
		}
	}
}
