package rbac

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestProblems loads one broken object each and compares all diagnostics.
func TestProblems(t *testing.T) {
	tests := []struct {
		name, object string
		want         []string // code severity path: summary
	}{
		{"other groups are passed over", `{apiVersion: apps/v1, kind: Role, rules: 5}`, nil},
		{"version", `{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: Role, metadata: {name: r}}`,
			[]string{`rbac-version error apiVersion: no matches for kind "Role" in version "rbac.authorization.k8s.io/v1beta1"`}},
		{"kind", `{apiVersion: rbac.authorization.k8s.io/v1, kind: Rolle, metadata: {name: r}}`,
			[]string{`rbac-version error kind: no matches for kind "Rolle" in version "rbac.authorization.k8s.io/v1"`}},
		{"unknown field", `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: a}, rules: [{apiGroups: [""], resources: [pods], verb: [get], verbs: [get]}]}`,
			[]string{`rbac-unknown-field warning rules[0].verb: unknown field "rules[0].verb"`}},
		{"type", `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: a}, rules: [{apiGroups: [""], resources: [pods], verbs: get}]}`,
			[]string{`rbac-refused error rules.verbs: Role in version "v1" cannot be handled as a Role: json: cannot unmarshal string into Go struct field PolicyRule.rules.verbs of type []string`}},
		{"rules", `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a/b, namespace: a}, rules: [{}, {nonResourceURLs: [/x], resources: [pods], verbs: [get]}]}`,
			[]string{
				`rbac-refused error metadata.name: metadata.name: Invalid value: "a/b": may not contain '/'`,
				`rbac-refused error rules[0].verbs: rules[0].verbs: Required value: verbs must contain at least one value`,
				`rbac-refused error rules[0].apiGroups: rules[0].apiGroups: Required value: resource rules must supply at least one api group`,
				`rbac-refused error rules[0].resources: rules[0].resources: Required value: resource rules must supply at least one resource`,
				`rbac-refused error rules[1].nonResourceURLs: rules[1].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs`,
				`rbac-refused error rules[1].nonResourceURLs: rules[1].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs`,
			}},
		{"name and labels", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {labels: {a: -}}}`,
			[]string{
				`rbac-refused error metadata.name: metadata.name: Required value: name or generateName is required`,
				`rbac-refused error metadata.labels: metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
			}},
		{"aggregation", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, aggregationRule: {}}`,
			[]string{`rbac-refused error aggregationRule.clusterRoleSelectors: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`}},
		{"selectors of an aggregation", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}, {matchExpressions: [{key: a, operator: Like}]}]}}`,
			[]string{
				`rbac-refused error aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`,
				`rbac-refused error aggregationRule.clusterRoleSelectors[1]: aggregationRule.clusterRoleSelectors[1]: Invalid value: {"matchExpressions":[{"key":"a","operator":"Like"}]}: invalid label selector.`,
			}},
		{"aggregation with rules", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}], aggregationRule: {clusterRoleSelectors: [{}]}}`,
			[]string{`rbac-no-effect warning rules: the rules of an aggregated ClusterRole are replaced`}},
		{"role binding", `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: a}, roleRef: {apiGroup: x, kind: Pod}, subjects: [{kind: User}, {kind: Robot, name: r}, {kind: ServiceAccount, name: A}, {kind: Group, name: g, apiGroup: other}, {kind: ServiceAccount, name: s, apiGroup: rbac.authorization.k8s.io}]}`,
			[]string{
				`rbac-refused error roleRef.apiGroup: roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"`,
				`rbac-refused error roleRef.kind: roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"`,
				`rbac-refused error roleRef.name: roleRef.name: Required value`,
				`rbac-refused error subjects[0].name: subjects[0].name: Required value`,
				`rbac-refused error subjects[1].kind: subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"`,
				`rbac-refused error subjects[2].name: subjects[2].name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
				`rbac-refused error subjects[3].apiGroup: subjects[3].apiGroup: Unsupported value: "other": supported values: "rbac.authorization.k8s.io"`,
				`rbac-refused error subjects[4].apiGroup: subjects[4].apiGroup: Unsupported value: "rbac.authorization.k8s.io": supported values: ""`,
			}},
		{"cluster role binding", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: r}, roleRef: {kind: Role, name: view}, subjects: [{kind: ServiceAccount, name: a}]}`,
			[]string{
				`rbac-refused error roleRef.kind: roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"`,
				`rbac-refused error subjects[0].namespace: subjects[0].namespace: Required value`,
			}},
		{"missing role, no namespace", `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r}, roleRef: {kind: Role, name: view}}`,
			[]string{
				`rbac-namespace info metadata: RoleBinding has no namespace; default is assumed`,
				`rbac-missing-role warning roleRef.name: role.rbac.authorization.k8s.io "view" not found`,
			}},
		{"the name of a role", `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: a}, roleRef: {kind: Role, name: a/b}}`,
			[]string{`rbac-refused error roleRef.name: roleRef.name: Invalid value: "a/b": may not contain '/'`}},
		{"an aggregation without rules", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, aggregationRule: {clusterRoleSelectors: [{}]}}`, nil},
		{"names that are no groups, and a * at the beginning", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{apiGroups: [core, v1], resources: [pods], verbs: [get]}, {nonResourceURLs: ["*/a", "*"], verbs: [get]}]}`,
			[]string{
				`rbac-no-effect warning rules[0].apiGroups[0]: no API group is called "core"`,
				`rbac-no-effect warning rules[0].apiGroups[1]: no API group is called "v1"`,
				`rbac-no-effect warning rules[1].nonResourceURLs[0]: the * in the middle of "*/a" is not a wildcard`,
			}},
		{"no effect", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{apiGroups: [apps/v1, ""], resources: [pods/*, Pod, "*/scale"], verbs: [GET]}, {nonResourceURLs: [/a/*/b, /c/*], verbs: [get]}]}`,
			[]string{
				`rbac-no-effect warning rules[0].apiGroups[0]: no API group is called "apps/v1"`,
				`rbac-no-effect warning rules[0].resources[0]: "pods/*" matches nothing`,
				`rbac-no-effect warning rules[0].resources[1]: no resource is called "Pod"`,
				`rbac-no-effect warning rules[0].verbs[0]: no verb is called "GET"`,
				`rbac-no-effect warning rules[1].nonResourceURLs[0]: the * in the middle of "/a/*/b" is not a wildcard`,
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems, err := Load(version.MustParse("1.37"), parse(t, test.object))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range problems {
				got = append(got, fmt.Sprintf("%s %s %s: %s", p.Code, p.Severity, p.Path, p.Summary))
				if p.Span.Start != 1 || p.Text != "cluster" {
					t.Errorf("%s: not placed", p.Path)
				}
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// TestRefusedObjectsAreLeftOut: a rejected object grants nothing, and the first of two objects with
// the same name counts.
func TestRefusedObjectsAreLeftOut(t *testing.T) {
	rules, problems, err := Load(version.MustParse("1.37"), parse(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pods}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pods}
rules: [{apiGroups: [""], resources: [pods], verbs: [delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: nodes}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}, {}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: pods, namespace: ignored}
roleRef: {kind: ClusterRole, name: pods}
subjects: [{kind: User, name: dana}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: nodes}
roleRef: {kind: ClusterRole, name: nodes}
subjects: [{kind: User, name: dana}]
`))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, p := range problems {
		codes = append(codes, fmt.Sprintf("%s@%d", p.Code, p.Span.Start))
	}
	if got := strings.Join(codes, " "); got != "rbac-duplicate@2 rbac-refused@3 rbac-refused@3 rbac-refused@3 rbac-missing-role@5" {
		t.Errorf("problems: %s", got)
	}
	if got, want := problems[0].Summary, `clusterroles.rbac.authorization.k8s.io "pods" already exists`; got != want {
		t.Errorf("summary %q", got)
	}
	if got, want := problems[1].Detail, `ClusterRole.rbac.authorization.k8s.io "nodes" is invalid: [rules[1].verbs: Required value`; !strings.HasPrefix(got, want) {
		t.Errorf("detail %q", got)
	}
	for check, want := range map[string]bool{
		`group('').resource('pods').check('get')`:    true,
		`group('').resource('pods').check('delete')`: false,
		`group('').resource('nodes').check('get')`:   false,
	} {
		if got := eval(t, "authorizer."+check+".allowed()", person("dana"), rules.Checker(RBAC, nil)); got != want {
			t.Errorf("%s: allowed = %v", check, got)
		}
	}
}
