package rbac

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestPlaces loads a cluster text as the engine does, and checks the places of problems and grants.
func TestPlaces(t *testing.T) {
	const text = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: apps}
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
- apiGroups: [""]
  resources: [pods/*]
  verbs: [get]
  names: [db]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dana, namespace: apps}
roleRef: {kind: Role, name: reader}
subjects: [{kind: User, name: dana}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lost, namespace: apps}
roleRef: {kind: Role, name: gone}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: broken}
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: list
`
	parsed, problems := scenario.ParseDocuments(diag.Cluster, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var documents []Document
	for _, d := range parsed {
		documents = append(documents, Document{Text: d.Text, Value: d.Value, Locate: d.Locate})
	}
	rules, problems, err := Load(version.MustParse("1.37"), documents)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		codes.RBACUnknownField: "[db]",
		codes.RBACNoEffect:     "pods/*",
		codes.RBACMissingRole:  "gone",
		codes.RBACRefused:      "rules", // the server's error has no index

	}
	if len(problems) != len(want) {
		t.Errorf("%d problems", len(problems))
	}
	for _, p := range problems {
		if got := text[p.Span.Start:p.Span.End]; got != want[p.Code] {
			t.Errorf("%s points to %q", p.Code, got)
		}
	}
	var got report.Authorization
	checker := rules.Checker(RBAC, func(a report.Authorization) { got = a })
	eval(t, `authorizer.group('').resource('pods').namespace('apps').check('get').allowed()`, person("dana"), checker)
	if len(got.Grants) != 1 {
		t.Fatalf("grants: %+v", got.Grants)
	}
	span := got.Grants[0].Span
	if rule := text[span.Start:span.End]; rule != "apiGroups: [\"\"]\n  resources: [pods]\n  verbs: [get]" {
		t.Errorf("the grant points to %q", rule)
	}
}
