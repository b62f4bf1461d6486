package ask_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/scenario"
)

func compile(t *testing.T, policies string) *engine.Configuration {
	t.Helper()
	c, problems := engine.Compile(scenario.Scenario{Policies: policies})
	if c == nil || problems.HasErrors() {
		t.Fatal(problems)
	}
	return c
}

// without are the good policies for which there is no such request in an empty cluster: no param, no definition of the
// kind or one that needs its name to fit, no validation, or a policy that denies all. The search
// finds no name or image that meets several patterns.
var without = map[string]string{
	"02-params.yaml": "admitted", "03-deny-exec.yaml": "admitted", "04-deny-delete.yaml": "admitted", "13-custom.yaml": "denied admitted", "14-gateway.yaml": "denied admitted",
	"19-node-account.yaml": "admitted", "20-audit-only.yaml": "denied", "28-default-label.yaml": "denied",
	"32-messages-and-texts.yaml": "admitted", "33-hosts-in-patterns.yaml": "admitted", "35-quantifiers.yaml": "admitted", "93-short-pattern.yaml": "denied",
}

// TestGoodPolicies asks for a request that each of them denies, and one that it admits. What is found is so when it is
// evaluated as it is written.
func TestGoodPolicies(t *testing.T) {
	text, err := os.ReadFile("../../internal/policy/lint/testdata/good.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(text).Files {
		c := compile(t, string(f.Data))
		for what, question := range map[string]func() (ask.Answer, error){
			"denied":   func() (ask.Answer, error) { return ask.Denied(context.Background(), c, "", 300) },
			"admitted": func() (ask.Answer, error) { return ask.Admitted(context.Background(), c, "", 300) },
		} {
			answer, err := question()
			if err != nil {
				t.Fatal(err)
			}
			if answer.Found == strings.Contains(without[f.Name], what) {
				t.Errorf("%s: %s: found %v in %d", f.Name, what, answer.Found, answer.Tried)
			}
			if !answer.Found {
				continue
			}
			in, problems := engine.Compile(scenario.Scenario{Policies: string(f.Data), Cluster: answer.Cluster})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			r, err := in.Evaluate(context.Background(), engine.Text(answer.Request), engine.Options{})
			if err != nil || r.Outcome.Allowed != (what == "admitted") {
				t.Errorf("%s: %s: %v, %+v\n%s", f.Name, what, err, r.Outcome, answer.Request)
			}
		}
	}
}

const limit = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: object.spec.replicas <= 5}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit, validationActions: [Deny]}
`

// TestDiffers compares two sets.
func TestDiffers(t *testing.T) {
	before, after := compile(t, limit), compile(t, strings.Replace(limit, "<= 5", "<= 3", 1))
	for how, want := range map[ask.Difference]bool{ask.NowDenied: true, ask.NowAdmitted: false, ask.Any: true} {
		answer, err := ask.Differs(context.Background(), before, after, how, 0)
		if err != nil || answer.Found != want {
			t.Errorf("%s: found %v, %v", how, answer.Found, err)
		}
		if how == ask.NowDenied && !strings.Contains(answer.Request, "replicas: 4") && !strings.Contains(answer.Request, "replicas: 5") {
			t.Errorf("%s: %s", how, answer.Request)
		}
	}
	if answer, err := ask.Differs(context.Background(), before, before, ask.Any, 0); err != nil || answer.Found {
		t.Errorf("a set differs from itself: %s, %v", answer.Request, err)
	}
}

// TestParams asks for a request that a value in a param denies: a text that writes a number, and a number.
func TestParams(t *testing.T) {
	const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  matchConditions: [{name: set, expression: has(object.spec.replicas)}]
  validations: [{expression: object.spec.replicas <= int(params.data.max) || object.spec.replicas > int(params.data.max) + 1}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit, validationActions: [Deny], paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}}
`
	const param = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: default}\ndata: {max: '20'}\n"
	for name, s := range map[string]scenario.Scenario{
		"beside the policy": {Policies: policy + "---\n" + param},
		"in the cluster":    {Policies: policy, Cluster: param},
	} {
		c, problems := engine.Compile(s)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		if answer, err := ask.Denied(context.Background(), c, "", 300); err != nil || !strings.Contains(answer.Request, "replicas: 21\n") {
			t.Errorf("%s: %v, %+v", name, err, answer)
		}
	}
}

// TestLimits ends at the number of requests, and with the context.
func TestLimits(t *testing.T) {
	c := compile(t, strings.Replace(limit, "<= 5", ">= 0 || object.metadata.name.matches('^x')", 1))
	answer, err := ask.Denied(context.Background(), c, "limit", 3)
	if err != nil || answer.Found || answer.Tried > 6 {
		t.Errorf("%+v, %v", answer, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ask.Denied(ctx, c, "", 0); err == nil {
		t.Error("a context that ended is no error")
	}
}

// keys reads maps by their keys, and asks for fields that are not in the smallest Pod.
const keys = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: keys}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations:
  - {message: memory, expression: "object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)"}
  - {message: team, expression: "object.metadata.labels['team'] in ['a', 'b']"}
  - {message: path, expression: "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))"}
  - {message: probe, expression: "object.spec.containers.filter(c, !has(c.readinessProbe)).size() == 0"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: keys}
spec: {policyName: keys, validationActions: [Deny]}
`

// TestExamples finds a request for each validation and one that is admitted, none with a part that the API
// validation rejects for being empty.
func TestExamples(t *testing.T) {
	e := ask.NewExamples(compile(t, keys), 400)
	defer e.Stop()
	if done, err := e.Step(func() bool { return false }); !done || err != nil {
		t.Fatal(done, err)
	}
	var denials []string
	for _, a := range e.Denied {
		_, message, _ := strings.Cut(a.Report.Outcome.Message, "denied request: ")
		denials = append(denials, message)
	}
	if want := []string{"memory", "team", "path", "probe"}; !slices.Equal(denials, want) {
		t.Errorf("denied: %q, want %q", denials, want)
	}
	if !e.Admitted.Found {
		t.Errorf("no request is admitted in %d", e.Admitted.Tried)
	}
	for _, a := range append(e.Denied, e.Admitted) {
		if strings.Contains(a.Request, "{}") {
			t.Errorf("an empty part:\n%s", a.Request)
		}
	}
}

// TestExampleOfMutation finds a request that the policy changes, not only one that it leaves alone.
func TestExampleOfMutation(t *testing.T) {
	e := ask.NewExamples(compile(t, strings.NewReplacer("Validating", "Mutating", "limit", "scale",
		"validations: [{expression: object.spec.replicas <= 5}]", `failurePolicy: Fail
  reinvocationPolicy: Never
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "object.spec.replicas > 3 ? Object{spec: Object.spec{replicas: 3}} : Object{}"}}]`,
		", validationActions: [Deny]", "").Replace(limit)), 400)
	defer e.Stop()
	if done, err := e.Step(func() bool { return false }); !done || err != nil {
		t.Fatal(done, err)
	}
	if !strings.Contains(e.Admitted.Request, "replicas: ") || strings.Contains(e.Admitted.Request, "replicas: 3") {
		t.Errorf("not changed:\n%s", e.Admitted.Request)
	}
}
