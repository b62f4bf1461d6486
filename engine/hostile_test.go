package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file has small texts that take large amounts of memory or time where
// nothing bounds them.

const smallPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: b}]}\n"

// validating is a policy with variables, one name and expression in turn.
func validating(validation string, variables ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}\n  variables:\n")
	for i := 0; i < len(variables); i += 2 {
		fmt.Fprintf(&b, "  - {name: %s, expression: %q}\n", variables[i], variables[i+1])
	}
	fmt.Fprintf(&b, "  validations:\n  - {expression: %q}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n", validation)
	return b.String()
}

func hostile(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	r, err := Evaluate(context.Background(), s, Everything())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 8<<20 {
		t.Errorf("the report has %d bytes", len(raw))
	}
	return r
}

// A list that is nested in itself again and again costs nearly nothing, and is
// never written out as a whole.
func TestSharedValues(t *testing.T) {
	variables := []string{"v0", "[1]"}
	for i := 1; i <= 40; i++ {
		variables = append(variables, fmt.Sprintf("v%d", i), fmt.Sprintf("[variables.v%d, variables.v%[1]d]", i-1))
	}
	r := hostile(t, scenario.Scenario{Policies: validating("variables.v40.size() == 2", variables...), Request: smallPod})
	if !r.Outcome.Allowed {
		t.Errorf("denied: %s", r.Outcome.Message)
	}
	cut := 0
	i := slices.IndexFunc(r.Steps, func(step report.Step) bool { return step.Policy == "p" })
	if i < 0 {
		t.Fatalf("no step of the policy: %s", r.Diagnostics)
	}
	for _, v := range r.Steps[i].Variables {
		for _, n := range v.Notes {
			if n.Code == codes.ValueCut {
				cut++
			}
		}
	}
	// Lists count too: v11 has 6,143 parts, v12 has 12,287.
	if cut != 29 {
		t.Errorf("%d of 41 values are cut, want 29", cut)
	}
	r = hostile(t, scenario.Scenario{Expression: "[[1,2]]" + strings.Repeat(".map(a, [a,a])", 30), Request: smallPod})
	if r.Expression == nil || r.Expression.Error != "" || r.Expression.Result == nil {
		t.Errorf("the expression gives %+v", r.Expression)
	}
}

// The copies of one patch add at most 3 MiB, in the server's words.
func TestCopiesOfAPatch(t *testing.T) {
	policy := func(copies int) string {
		operations := strings.Repeat("JSONPatch{op: 'copy', from: '/spec/containers', path: '/spec/containers/-'}, ", copies)
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec:\n" +
			"  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*']}]}\n  reinvocationPolicy: Never\n  mutations:\n" +
			"  - {patchType: JSONPatch, jsonPatch: {expression: \"[" + operations + "]\"}}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: m}\nspec: {policyName: m}\n"
	}
	r := hostile(t, scenario.Scenario{Policies: policy(26), Request: smallPod})
	const want = "JSON Patch: Unable to complete the copy, the accumulated size increase of copy is "
	if r.Outcome.Allowed || !strings.Contains(r.Outcome.Message, want) || !strings.HasSuffix(r.Outcome.Message, ", exceeding the limit 3145728") {
		t.Errorf("allowed %v: %s", r.Outcome.Allowed, r.Outcome.Message)
	}
}

// A trace without names, as the page's engine has it, is not shown: it would hide what to do.
func TestTraceWithoutNames(t *testing.T) {
	d := answer.AsDiagnostic(&InternalError{Reason: "a reason", Stack: "goroutine 8 [running]:\n?:0 +0xa"})
	if strings.Contains(d.Detail, "goroutine") || !strings.HasSuffix(d.Detail, "if they are not secret.") || !strings.Contains(d.Summary, "a reason") {
		t.Errorf("%+v", d)
	}
}

// A mistake of ours never crosses the border of the library as a panic. The engine
// for the browser has no names of files in its stacks.
func TestPanics(t *testing.T) {
	broken := &Engine{} // without its caches
	_, problems := broken.Compile(scenario.Scenario{})
	if len(problems) != 1 || problems[0].Code != codes.Internal || !strings.Contains(problems[0].Detail, "(*Engine)") {
		t.Errorf("Compile: %+v", problems)
	}
	failed := func(what string, r *report.Report, err error, at string) {
		t.Helper()
		if err != nil || len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != codes.Internal || !strings.Contains(r.Diagnostics[0].Detail, at) ||
			!strings.Contains(r.Diagnostics[0].Detail, codes.ReportAddress) || r.Outcome.State != report.StateUndecided || r.ExitCode() != report.ExitBug {
			t.Errorf("%s: %v, %+v", what, err, r)
		}
	}
	r, err := broken.Evaluate(context.Background(), scenario.Scenario{}, Options{})
	failed("Evaluate of an engine", r, err, "(*Engine)")
	c, _ := Compile(scenario.Scenario{})
	of := *c.of
	of.Compiled = &compile.Compiled{}
	damaged := Configuration{&of}
	r, err = damaged.Evaluate(context.Background(), Text(smallPod), Options{})
	failed("Evaluate of a configuration", r, err, "(*Configuration)")
	r, after, err := damaged.Apply(context.Background(), Text(smallPod), Options{})
	if failed("Apply", r, err, "(*Configuration)"); after != &damaged {
		t.Error("Apply: another configuration")
	}
}
