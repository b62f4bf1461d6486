package model

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestExpressions(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"validating policy", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConditions: [{name: c, expression: a}]
  variables: [{name: v, expression: b}, {name: w, expression: c}]
  validations: [{expression: d, messageExpression: e}, {expression: " "}]
  auditAnnotations: [{key: k, valueExpression: f}]
`, `
spec.matchConditions[0].expression params authorizer
spec.variables[0].expression params authorizer variables(0) defines v
spec.variables[1].expression params authorizer variables(1) defines w
spec.validations[0].expression params authorizer variables(2)
spec.validations[0].messageExpression params variables(2)
spec.auditAnnotations[0].valueExpression params authorizer variables(2)`},
		{"mutating policy", `
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
spec:
  mutations: [{applyConfiguration: {expression: a}}, {jsonPatch: {expression: b}}]
`, `
spec.mutations[0].applyConfiguration.expression authorizer variables(0) patch
spec.mutations[1].jsonPatch.expression authorizer variables(0) patch`},
		{"webhooks", `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
webhooks: [{matchConditions: [{expression: a}]}, {matchConditions: [{expression: b}]}]
`, `
webhooks[0].matchConditions[0].expression authorizer webhook 0
webhooks[1].matchConditions[0].expression authorizer webhook 1`},
		{"another group", "apiVersion: example.com/v1\nkind: ValidatingAdmissionPolicy\nspec: {validations: [{expression: a}]}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got strings.Builder
			for _, e := range Expressions(parse(t, tc.text)) {
				got.WriteString("\n" + e.Path)
				for _, flag := range []struct {
					set  bool
					name string
				}{
					{e.Scope.Params, "params"}, {e.Scope.Authorizer, "authorizer"},
					{e.Scope.Variables, fmt.Sprintf("variables(%d)", e.Variables)}, {e.Scope.Patch, "patch"},
					{e.Variable != "", "defines " + e.Variable}, {e.Webhook >= 0, fmt.Sprintf("webhook %d", e.Webhook)},
				} {
					if flag.set {
						got.WriteString(" " + flag.name)
					}
				}
			}
			if got.String() != strings.TrimRight(tc.want, "\n") {
				t.Errorf("got %s", got.String())
			}
		})
	}
}

func TestKinds(t *testing.T) {
	cat, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	rules := func(text string) []any {
		return parse(t, "rules: "+text)["rules"].([]any)
	}
	for _, tc := range []struct {
		name, rules string
		want        []string
	}{
		{"one", `[{apiGroups: [apps], apiVersions: [v1], resources: [deployments]}]`, []string{"apps/v1, Kind=Deployment"}},
		{"sorted over rules", `[{apiGroups: [batch], apiVersions: [v1], resources: [jobs, cronjobs]}, {apiGroups: [""], apiVersions: [v1], resources: [pods]}]`,
			[]string{"/v1, Kind=Pod", "batch/v1, Kind=CronJob", "batch/v1, Kind=Job"}},
		{"wildcard version", `[{apiGroups: [apps], apiVersions: ["*"], resources: [deployments]}]`, nil},
		{"wildcard group beside another", `[{apiGroups: [apps, "*"], apiVersions: [v1], resources: [deployments]}]`, nil},
		{"subresources and wildcards", `[{apiGroups: [apps], apiVersions: [v1], resources: ["*", deployments/scale, "*/status", statefulsets]}]`,
			[]string{"apps/v1, Kind=StatefulSet"}},
		{"unknown", `[{apiGroups: [apps], apiVersions: [v1], resources: [gadgets]}]`, nil},
		{"no more than ten of one rule", `[{apiGroups: [""], apiVersions: [v1], resources: [pods, services, secrets, configmaps, endpoints, events, limitranges, namespaces, nodes, persistentvolumes, persistentvolumeclaims, podtemplates]}]`,
			[]string{"/v1, Kind=ConfigMap", "/v1, Kind=Endpoints", "/v1, Kind=Event", "/v1, Kind=LimitRange", "/v1, Kind=Namespace", "/v1, Kind=Node",
				"/v1, Kind=PersistentVolume", "/v1, Kind=PersistentVolumeClaim", "/v1, Kind=Pod", "/v1, Kind=PodTemplate"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, gvk := range Kinds(cat, rules(tc.rules), check.Runtime) {
				got = append(got, gvk.String())
			}
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestKindsOfTheServer has what only the server's type checker does.
func TestKindsOfTheServer(t *testing.T) {
	cat, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	rule := func(group, version, resource string) []any {
		return []any{map[string]any{"apiGroups": []any{group}, "apiVersions": []any{version}, "resources": []any{resource}}}
	}
	for _, tc := range []struct {
		rules []any
		want  string
	}{
		{rule("", "v1", "events"), "[/v1, Kind=Event events.k8s.io/v1, Kind=Event]"},
		{rule("apps", "v1", "deployment"), "[apps/v1, Kind=Deployment]"},
		{rule("admissionregistration.k8s.io", "v1alpha1", "validatingadmissionpolicies"), "[]"}, // off by default
	} {
		if got := fmt.Sprint(Kinds(cat, tc.rules, check.Server)); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.rules, got, tc.want)
		}
	}
}

// TestRunsAgain: only a rule for updates makes the server run a policy for later updates.
func TestRunsAgain(t *testing.T) {
	for _, c := range []struct{ operation, reinvocation, again, not string }{
		{"CREATE", "Never", "", "again"},
		{"CREATE", "IfNeeded", "reinvocationPolicy: IfNeeded", "update"},
		{"UPDATE", "Never", "every later update", "IfNeeded"},
		{"*", "IfNeeded", "every later update", "never"},
	} {
		spec := map[string]any{"reinvocationPolicy": c.reinvocation, "matchConstraints": map[string]any{"resourceRules": []any{map[string]any{"operations": []any{c.operation}}}}}
		if got := RunsAgain(map[string]any{"spec": spec}); !strings.Contains(got, c.again) || strings.Contains(got, c.not) {
			t.Errorf("%s, %s: %q", c.operation, c.reinvocation, got)
		}
	}
}
