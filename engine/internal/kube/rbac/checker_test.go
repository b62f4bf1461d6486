package rbac

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	k8s "k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/library"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// parse splits a YAML stream into documents. A location in them is its path.
func parse(t *testing.T, text string) []Document {
	t.Helper()
	var documents []Document
	for i, part := range bytes.Split([]byte(text), []byte("\n---\n")) {
		var value map[string]any
		if err := yaml.Unmarshal(part, &value); err != nil {
			t.Fatal(err)
		}
		documents = append(documents, Document{Text: diag.Cluster, Value: value, Locate: func(string) diag.Span {
			return diag.Span{Start: i + 1, End: i + 1} // identifies the document
		}})
	}
	return documents
}

func load(t *testing.T, kubernetes, text string) *Rules {
	t.Helper()
	rules, problems, err := Load(version.MustParse(kubernetes), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if problem.Severity == diag.Error {
			t.Fatalf("%s: %s", problem.Path, problem.Summary)
		}
	}
	return rules
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eval evaluates a CEL expression with a user's authorizer variable.
func eval(t *testing.T, expression string, who user.Info, checker k8s.UnconditionalAuthorizer) any {
	t.Helper()
	env, err := cel.NewEnv(library.Authz(), library.AuthzSelectors(), cel.Variable("authorizer", library.AuthorizerType))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := program.Eval(map[string]any{"authorizer": library.NewAuthorizerVal(who, checker)})
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value.Value()
}

func person(name string, groups ...string) user.Info {
	return &user.DefaultInfo{Name: name, Groups: append(groups, user.AllAuthenticated)}
}

// TestRecorded repeats checks recorded from a Kubernetes 1.36 API server.
func TestRecorded(t *testing.T) {
	resources, wildcards := file(t, "resource-checks.yaml"), file(t, "rbac-wildcards.yaml")
	tests := []struct {
		objects, check string
		allowed        string // the users, separated by spaces
	}{
		{resources, `group('').resource('secrets').namespace('apps').name('db').check('get')`, "dana admin bot"},
		{resources, `group('').resource('secrets').namespace('apps').name('other').check('get')`, "admin"},
		{resources, `group('').resource('secrets').namespace('apps').check('get')`, "admin"},
		{resources, `group('apps').resource('deployments').subresource('scale').namespace('apps').check('update')`, "dana admin bot"},
		{resources, `group('apps').resource('deployments').namespace('apps').check('patch')`, "admin"},
		{resources, `group('apps').resource('deployments').namespace('default').check('get')`, "admin"},
		{resources, `group('apps').resource('deployments').check('get')`, "admin"},
		{resources, `group('').resource('secrets').namespace('apps').name('db').check('GET')`, "admin"},
		{resources, `group('*').resource('deployments').namespace('apps').check('get')`, "admin"},
		{resources, `path('/metrics').check('get')`, "dana admin"},
		{resources, `path('/metrics').check('post')`, "admin"},
		{resources, `path('/logs/kubelet').check('get')`, "dana admin"},
		{resources, `path('/logs').check('get')`, "admin"},
		{resources, `path('/version').check('get')`, "dana eve admin member"},
		{resources, `path('/healthz').check('get')`, "dana eve admin member"},
		{resources, `path('/secret').check('get')`, "admin"},
		{resources, `path('metrics').check('get')`, "admin"},
		{resources, `path('/metrics/').check('get')`, "admin"},
		{wildcards, `group('batch').resource('jobs').namespace('w1').check('watch')`, "dana admin"},
		{wildcards, `group('batch').resource('jobs').namespace('w2').check('watch')`, "admin"},
		{wildcards, `group('').resource('pods').subresource('log').namespace('w2').check('get')`, "admin"},
		{wildcards, `group('').resource('pods').namespace('w2').check('get')`, "admin"},
		{wildcards, `group('').resource('services').subresource('status').namespace('w2').check('get')`, "admin member"},
		{wildcards, `group('').resource('pods').subresource('exec').namespace('w1').check('create')`, "dana admin"},
		{wildcards, `group('batch').resource('jobs').check('watch')`, "admin"},
	}
	users := map[string]user.Info{
		"dana": person("dana"), "eve": person("eve"), "member": person("mo", "team-x"),
		"admin": person("admin", "system:masters"),
		"bot":   &user.DefaultInfo{Name: "system:serviceaccount:apps:bot", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:apps"}},
	}
	for _, test := range tests {
		rules := load(t, "1.36", test.objects)
		for name, who := range users {
			want := strings.Contains(" "+test.allowed+" ", " "+name+" ")
			if got := eval(t, "authorizer."+test.check+".allowed()", who, rules.Checker(RBAC, nil)); got != want {
				t.Errorf("%s: %s: allowed = %v", name, test.check, got)
			}
		}
	}
}

func TestReason(t *testing.T) {
	objects := file(t, "resource-checks.yaml") + "\n---\n" + `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lost, namespace: apps}
roleRef: {kind: Role, name: gone}
subjects: [{kind: User, name: lou}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: lost}
roleRef: {kind: ClusterRole, name: gone}
subjects: [{kind: User, name: lou}, {kind: Group, name: nobody}]
`
	const secrets = `authorizer.group('').resource('secrets').namespace('apps').name('db').check('get').reason()`
	const saSecrets = `authorizer.serviceAccount('apps', 'bot').group('').resource('secrets').namespace('apps').name('db').check('get').reason()`
	tests := []struct {
		name, version string
		mode          Mode
		expression    string
		who           user.Info
		want          any
	}{
		{"role binding", "1.37", RBAC, secrets, person("dana"), `RBAC: allowed by RoleBinding "dana-reader/apps" of Role "reader" to User "dana"`},
		{"service account", "1.37", RBAC, saSecrets, person("eve"), `RBAC: allowed by RoleBinding "dana-reader/apps" of Role "reader" to ServiceAccount "bot/apps"`},
		{"cluster role binding", "1.30", RBAC, `authorizer.path('/metrics').check('get').reason()`, person("dana"),
			`RBAC: allowed by ClusterRoleBinding "dana-metrics" of ClusterRole "metrics" to User "dana"`},
		{"built-in", "1.37", RBAC, `authorizer.path('/version').check('get').reason()`, person("eve"),
			`RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"`},
		{"no opinion", "1.37", RBAC, secrets, person("eve"), ""},
		{"masters", "1.37", RBAC, secrets, person("root", "system:masters"), ""},
		{"missing roles", "1.36", RBAC, secrets, person("lou"),
			`RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]`},
		{"missing roles, 1.37", "1.37", RBAC, secrets, person("lou"),
			`rbac: RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]`},
		{"missing role, cluster-wide", "1.36", RBAC, `authorizer.group('').resource('nodes').check('get').reason()`, person("lou"),
			`RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`},
		{"no error", "1.37", RBAC, `authorizer.group('').resource('nodes').labelSelector('!!').check('get').errored()`, person("lou"), false},
		{"allow all", "1.37", AllowAll, strings.Replace(secrets, "reason", "allowed", 1), person("eve"), true},
		{"deny all", "1.36", DenyAll, secrets, person("root", "system:masters"), "Everything is forbidden."},
		{"deny all, allowed", "1.37", DenyAll, strings.Replace(secrets, "reason", "allowed", 1), person("root", "system:masters"), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := eval(t, test.expression, test.who, load(t, test.version, objects).Checker(test.mode, nil)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestServiceAccountSubjects(t *testing.T) {
	rules := load(t, "1.37", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pods}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: local, namespace: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pods}
subjects: [{kind: ServiceAccount, name: here}, {kind: ServiceAccount, name: there, namespace: b}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: all-of-c}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pods}
subjects: [{kind: Group, name: "system:serviceaccounts:c"}, {kind: ServiceAccount, name: one, namespace: d}]
`)
	for check, want := range map[string]bool{
		`serviceAccount('a', 'here').group('').resource('pods').namespace('a')`:  true,
		`serviceAccount('b', 'here').group('').resource('pods').namespace('a')`:  false,
		`serviceAccount('b', 'there').group('').resource('pods').namespace('a')`: true,
		`serviceAccount('b', 'there').group('').resource('pods').namespace('b')`: false,
		`serviceAccount('a', 'here').group('').resource('pods')`:                 false,
		`serviceAccount('c', 'any').group('').resource('pods')`:                  true,
		`serviceAccount('c', 'any').group('').resource('pods').namespace('a')`:   true,
		`serviceAccount('d', 'one').group('').resource('pods')`:                  true,
		`serviceAccount('d', 'two').group('').resource('pods')`:                  false,
		`group('').resource('pods').namespace('a')`:                              false,
	} {
		if got := eval(t, "authorizer."+check+".check('get').allowed()", person("eve"), rules.Checker(RBAC, nil)); got != want {
			t.Errorf("%s: allowed = %v", check, got)
		}
	}
}

func TestRecord(t *testing.T) {
	rules := load(t, "1.37", file(t, "resource-checks.yaml"))
	var got []report.Authorization
	checker := rules.Checker(RBAC, func(a report.Authorization) { got = append(got, a) })
	eval(t, `authorizer.group('apps').resource('deployments').subresource('scale').namespace('apps').name('web').check('get').allowed()
		&& !authorizer.path('/secret').check('get').allowed()
		&& !authorizer.group('').resource('pods').labelSelector('a in (x)').fieldSelector('spec.nodeName=n').check('list').allowed()
		&& !authorizer.group('').resource('pods').labelSelector('!!').check('list').allowed()`, person("dana"), checker)
	if len(got) != 4 {
		t.Fatalf("%d checks recorded", len(got))
	}
	first := got[0]
	if len(first.Grants) != 1 || !first.Allowed || first.User != "dana" || first.Verb != "get" || first.APIGroup != "apps" ||
		first.Resource != "deployments" || first.SubResource != "scale" || first.Namespace != "apps" || first.Name != "web" {
		t.Fatalf("first check: %+v", first)
	}
	want := report.Grant{Binding: "RoleBinding apps/dana-reader", Role: "Role apps/reader", Rule: 1, Subject: `User "dana"`,
		Text: diag.Cluster, Span: diag.Span{Start: 1, End: 1}, RulePath: "rules[1]"}
	if first.Grants[0] != want {
		t.Errorf("grant %+v", first.Grants[0])
	}
	if got[1].Path != "/secret" || got[1].Allowed || got[1].Resource != "" {
		t.Errorf("second check: %+v", got[1])
	}
	if got[2].LabelSelector != "a in (x)" || got[2].FieldSelector != "spec.nodeName=n" {
		t.Errorf("third check: %+v", got[2])
	}
	if got[3].LabelSelector != "" {
		t.Errorf("a selector that cannot be parsed was recorded as %q", got[3].LabelSelector)
	}
}

func TestInterface(t *testing.T) {
	checker := load(t, "1.37", file(t, "resource-checks.yaml")).Checker(RBAC, nil)
	ctx := context.Background()
	if decision, _, err := checker.Authorize(ctx, k8s.AttributesRecord{}); decision != k8s.DecisionNoOpinion || err == nil {
		t.Errorf("without a user: %v, %v", decision, err)
	}
	attributes := k8s.AttributesRecord{User: person("dana"), Verb: "get", Path: "/metrics"}
	if decision := checker.ConditionsAwareAuthorize(ctx, attributes); !decision.IsAllow() {
		t.Errorf("decision %v", decision)
	}
	if decision, _, err := checker.EvaluateConditions(ctx, k8s.ConditionsAwareDecision{}, nil); decision != k8s.DecisionDeny || err != k8s.ErrorConditionEvaluationNotSupported {
		t.Errorf("conditions: %v, %v", decision, err)
	}
}
