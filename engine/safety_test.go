package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// mutatingPolicy is a JSONPatch policy on ConfigMaps with its binding.
func mutatingPolicy(name, expression string, more ...string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: %[2]q}}]
%[3]s
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s}
---
`, name, expression, strings.Join(more, "\n"))
}

func validatingPolicy(name, expression string, more ...string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}
  validations: [{expression: %[2]q, message: wrong}]
%[3]s
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s, validationActions: [Deny]}
---
`, name, expression, strings.Join(more, "\n"))
}

const (
	// hookConfiguration has a webhook that changes the object whenever it is called.
	hookConfiguration = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: hook.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://example.com"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
---
`
	hookAppends = `
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: hook.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: [{op: add, path: /metadata/finalizers/-, value: example.com/hook}, {op: add, path: /data/team, value: a}]}
`
	findingsRequest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop, finalizers: [example.com/a]}\ndata: {k: '1'}\n"
)

const (
	setsTeam   = `[JSONPatch{op: "add", path: "/data/team", value: "a"}]`
	appends    = `[JSONPatch{op: "add", path: "/metadata/finalizers/-", value: "example.com/b"}]`
	movesK     = `[JSONPatch{op: "move", from: "/data/k", path: "/data/m"}]`
	doubles    = `[JSONPatch{op: "replace", path: "/data/k", value: object.data.k + "0"}]`
	increments = `[JSONPatch{op: "replace", path: "/data/k", value: string(int(object.data.k) + 1)}]`
)

func TestFindings(t *testing.T) {
	tests := []struct {
		name              string
		policies, cluster string
		want              []string // code policy, in order
	}{
		{"nothing to find", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "has(object.data.k)"), "", nil},
		{"no policies", validatingPolicy("v", "true"), "", nil},

		{"adds again", mutatingPolicy("a", appends), "", []string{"not-idempotent a"}},
		{"adds again when it may run twice", strings.Replace(mutatingPolicy("a", appends), "Policy: Never", "Policy: IfNeeded", 1), "", []string{"not-idempotent a"}},
		{"fails on its own output", mutatingPolicy("a", movesK), "", []string{"not-idempotent a"}},
		{"ignores its failure", strings.Replace(mutatingPolicy("a", movesK), "Policy: Fail", "Policy: Ignore", 1), "", nil},
		{"guarded by a condition", mutatingPolicy("a", appends, `  matchConditions: [{name: new, expression: '!("example.com/b" in object.metadata.finalizers)'}]`), "", nil},
		{"one of two", mutatingPolicy("a", setsTeam) + mutatingPolicy("b", appends), "", []string{"not-idempotent b"}},
		{"a webhook that adds again is no policy", hookConfiguration + mutatingPolicy("a", `[JSONPatch{op: "add", path: "/data/x", value: "1"}]`), hookAppends, nil},
		{"not applied", mutatingPolicy("a", appends, "  matchConditions: [{name: never, expression: 'false'}]"), "", nil},

		{"order changes the object", mutatingPolicy("a", doubles) + mutatingPolicy("b", increments), "",
			[]string{"not-idempotent a", "not-idempotent b", "order-changes-object "}},
		{"order changes the answer", mutatingPolicy("a", setsTeam) + mutatingPolicy("b", `object.data.team == "a" ? [JSONPatch{op: "add", path: "/data/b", value: "1"}] : []`), "",
			[]string{"order-changes-answer "}},
		{"order of four", mutatingPolicy("a", setsTeam) + mutatingPolicy("b", setsTeam) + mutatingPolicy("c", setsTeam) + mutatingPolicy("d", `[JSONPatch{op: "add", path: "/data/team", value: "d"}]`), "",
			[]string{"order-changes-object "}},
		{"removes what another one adds", mutatingPolicy("a", setsTeam) + mutatingPolicy("b", `has(object.data.team) ? [JSONPatch{op: "remove", path: "/data/team"}] : []`), "",
			[]string{"change-undone b", "order-changes-object "}},
		{"sets what it was", mutatingPolicy("a", doubles, "  matchConditions: [{name: first, expression: object.data.k == '1'}]") + mutatingPolicy("b", `[JSONPatch{op: "replace", path: "/data/k", value: "1"}]`), "",
			[]string{"change-undone b", "order-changes-object "}},
		{"removes what another one adds, in another order", mutatingPolicy("a", `[JSONPatch{op: "remove", path: "/data/team"}]`, "  matchConditions: [{name: team, expression: has(object.data.team)}]") + mutatingPolicy("b", setsTeam, "  matchConditions: [{name: no-team, expression: '!has(object.data.team)'}]"), "",
			[]string{"change-undone a", "order-changes-object "}},
		{"selects by what another one adds", strings.Replace(mutatingPolicy("a", `[JSONPatch{op: "add", path: "/data/x", value: "1"}]`), "{resourceRules", "{objectSelector: {matchLabels: {l: x}}, resourceRules", 1) + mutatingPolicy("b", `[JSONPatch{op: "add", path: "/metadata/labels", value: {"l": "x"}}]`), "", nil},
		{"a webhook's change is undone", hookConfiguration + strings.Replace(mutatingPolicy("z", `has(object.data.team) ? [JSONPatch{op: "remove", path: "/data/team"}] : []`), "Policy: Never", "Policy: IfNeeded", 1), hookAppends,
			[]string{"change-undone z"}},
		{"order does not matter", mutatingPolicy("a", setsTeam) + mutatingPolicy("b", `[JSONPatch{op: "add", path: "/data/b", value: "1"}]`), "", nil},

		{"a validation needs the mutation", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "has(object.data.team)"), "", []string{"validation-needs-mutation v"}},
		{"a validation needs the mutation to be skipped", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "false", "  matchConditions: [{name: no-team, expression: '!has(object.data.team)'}]"), "", []string{"validation-needs-mutation v"}},
		{"a validation needs the mutation to be deselected", mutatingPolicy("a", `[JSONPatch{op: "add", path: "/metadata/labels", value: {"exempt": "yes"}}]`) + strings.Replace(validatingPolicy("v", "false"), "{resourceRules", "{objectSelector: {matchExpressions: [{key: exempt, operator: DoesNotExist}]}, resourceRules", 1), "", []string{"validation-needs-mutation v"}},
		{"a validation needs the webhook", hookConfiguration + validatingPolicy("v", "has(object.data.team)"), hookAppends, []string{"validation-needs-mutation v"}},
		{"a mutation breaks a validation", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "!has(object.data.team)"), "", []string{"validation-broken-by-mutation v"}},
		{"a mutation makes a validation apply", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "false", "  matchConditions: [{name: team, expression: 'has(object.data.team)'}]"), "", []string{"validation-broken-by-mutation v"}},
		{"a validation that fails anyway", mutatingPolicy("a", setsTeam) + validatingPolicy("v", "false"), "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := evaluateFindings(t, scenario.Scenario{Policies: test.policies, Cluster: test.cluster, Request: findingsRequest})
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.Code+" "+f.Policy)
				if f.Summary == "" || f.Detail == "" || f.Level == "" {
					t.Errorf("incomplete: %+v", f)
				}
				if f.Code == "order-changes-object" && len(f.Diff) == 0 {
					t.Error("the difference is not shown")
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func evaluateFindings(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	s.Now = "2026-01-01T00:00:00Z"
	r, err := Evaluate(context.Background(), s, Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range r.Install {
		if in.Code != 0 {
			t.Fatalf("refused: %s", in.Message)
		}
	}
	return r
}

// The checks may not show in the report of the run itself.
func TestFindingsLeaveTheReportAlone(t *testing.T) {
	policies := hookConfiguration + mutatingPolicy("a", appends) + mutatingPolicy("b", setsTeam)
	r := evaluateFindings(t, scenario.Scenario{Policies: policies, Cluster: hookAppends, Request: findingsRequest})
	if len(r.Findings) == 0 {
		t.Fatal("nothing was checked")
	}
	finalizers := r.Object["metadata"].(map[string]any)["finalizers"]
	if want := []any{"example.com/a", "example.com/b", "example.com/hook"}; fmt.Sprint(finalizers) != fmt.Sprint(want) {
		t.Errorf("finalizers %v, want %v", finalizers, want)
	}
	called := 0
	for _, s := range r.Steps {
		if s.Called {
			called++
		}
	}
	if called != 1 {
		t.Errorf("%d calls of the webhook, want 1", called)
	}
}

// A request that is expensive by itself is not run again and again.
func TestFindingsOfExpensiveRequests(t *testing.T) {
	expensive := `lists.range(1000).all(i, lists.range(500).all(j, i + j >= 0)) ? ` + appends + ` : []`
	r := evaluateFindings(t, scenario.Scenario{Policies: mutatingPolicy("a", expensive), Request: findingsRequest})
	if len(r.Findings) > 0 || !slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.Contains(s, "idempotent") }) {
		t.Errorf("findings %v, not simulated %q", r.Findings, r.NotSimulated)
	}
}

func TestFindingsOfDeletion(t *testing.T) {
	review := `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: ConfigMap}, resource: {version: v1, resource: configmaps},
  name: c, namespace: shop, operation: DELETE, userInfo: {username: me}, oldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}}}`
	r := evaluateFindings(t, scenario.Scenario{Policies: mutatingPolicy("a", appends), Request: review})
	if len(r.Findings) > 0 {
		t.Errorf("got %+v", r.Findings)
	}
}

const autoscalerHead = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: x, namespace: default, labels: {a: b}}"

// TestUndoneRemovals: what a patch removes and the server's conversion brings
// back is reported, unless another policy sets it again.
func TestUndoneRemovals(t *testing.T) {
	remove := mutatingPolicy("a", "[JSONPatch{op: 'remove', path: '/spec/targetCPUUtilizationPercentage'}]")
	set := mutatingPolicy("b", "[JSONPatch{op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 61}]")
	list := mutatingPolicy("c", "[JSONPatch{op: 'remove', path: '/spec/template/spec/containers/0'}]")
	for _, test := range []struct {
		name, policies, request string
		want                    int
	}{
		{"put back", remove, autoscalerHead + "\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}, targetCPUUtilizationPercentage: 61}", 1},
		{"set by another", remove + set, autoscalerHead + "\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}, targetCPUUtilizationPercentage: 61}", 0},
		{"gone", strings.Replace(remove, "/spec/targetCPUUtilizationPercentage", "/metadata/labels", 1), autoscalerHead + "\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}}", 0},
		{"an item of a list", list, "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, namespace: default}\nspec: {template: {spec: {containers: [{name: a, image: i}, {name: b, image: i}]}}}", 0},
	} {
		policies := strings.NewReplacer(`apiGroups: [""]`, "apiGroups: ['*']", "resources: [configmaps]", "resources: ['*']").Replace(test.policies)
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Policies: policies, Request: test.request}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, f := range r.Findings {
			if f.Code == "removal-undone" {
				found++
			}
		}
		if found != test.want || !r.Outcome.Allowed || r.Steps[0].Diff == nil {
			t.Errorf("%s: found %d, want %d; %s", test.name, found, test.want, r.Outcome.Message)
		}
	}
}
