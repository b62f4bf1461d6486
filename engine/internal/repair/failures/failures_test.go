package failures_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {app: web, tier: "3"}}
spec:
  priority: 7
  containers:
  - {name: a, image: "registry/a"}
  - {name: b, image: "docker.io/b", ports: [{containerPort: 80}]}
`

const head = `
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
`

// validating is a policy with one validation, whose YAML is given.
func validating(validation string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:" + head +
		"  validations:\n  - " + validation + "\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
}

func mutating(mutation string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec:" + head + "  reinvocationPolicy: Never\n" +
		"  mutations:\n  - " + mutation + "\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p}\n"
}

func evaluate(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	s.Options.Plugins = scenario.Exactly() // the pods here are not meant to run
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// apply makes the edits of a fix, the last one first.
func apply(text string, f diag.Fix) string {
	edits := slices.Clone(f.Edits)
	slices.SortStableFunc(edits, func(a, b diag.Edit) int { return b.Span.Start - a.Span.Start })
	// Insertions at one place were listed in their order.
	for i, e := range edits {
		if i > 0 && e.Span.Start == edits[i-1].Span.Start && e.Span.End == e.Span.Start {
			panic("two edits at one place")
		}
		text = text[:e.Span.Start] + e.New + text[e.Span.End:]
	}
	return text
}

func find(r *report.Report, codes ...string) *diag.Diagnostic {
	for i, d := range r.Diagnostics {
		if slices.Contains(codes, d.Code) && d.Severity != diag.Info {
			return &r.Diagnostics[i]
		}
	}
	return nil
}

// TestFixes applies every fix of a failing validation and evaluates again: the
// problem is gone, and the validation decides as it says here.
func TestFixes(t *testing.T) {
	for _, test := range []struct {
		yaml, summary, detail string
		// fixes are the expressions after each fix; a leading + admits.
		fixes []string
	}{
		{`expression: object.metadata.labels.team == 'x'`, "no such key: team", "object.metadata.labels has app, tier.", []string{
			"-has(object.metadata.labels) && has(object.metadata.labels.team) && object.metadata.labels.team == 'x'",
			"+!has(object.metadata.labels) || !has(object.metadata.labels.team) || object.metadata.labels.team == 'x'",
			"-object.metadata.?labels.?team.orValue('') == 'x'"}},
		{`expression: "object.metadata.labels['team'] == \"x\""`, "no such key: team", "", []string{
			`-has(object.metadata.labels) && 'team' in object.metadata.labels && object.metadata.labels['team'] == "x"`,
			`+!has(object.metadata.labels) || !('team' in object.metadata.labels) || object.metadata.labels['team'] == "x"`,
			`-object.metadata.?labels[?'team'].orValue('') == "x"`}},
		{`expression: 'object.metadata.label.app != ''x'''`, "undefined field 'label'", `Did you mean "labels"?`, []string{
			"+object.metadata.labels.app != 'x'"}},
		{"expression: >-\n      object.spec.priority > 3 &&\n      !object.spec.hostPID", "no such key: hostPID", "", []string{
			"+object.spec.priority > 3 && !(has(object.spec.hostPID) && object.spec.hostPID)",
			// Where a missing hostPID is true, none is false: the server leaves that out.
			"+object.spec.priority > 3 && !object.spec.?hostPID.orValue(false)"}},
		{"expression: |-\n      object.spec.containers.all(c,\n        c.ports.all(p, p.containerPort < 1024))", "no such key: ports", "c has image", []string{
			"+object.spec.containers.all(c,\n  !has(c.ports) || c.ports.all(p, p.containerPort < 1024))",
			"-object.spec.containers.all(c,\n  has(c.ports) && c.ports.all(p, p.containerPort < 1024))",
			"+object.spec.containers.all(c,\n  c.?ports.orValue([]).all(p, p.containerPort < 1024))"}},
		{`expression: "object.metadata.annotations['x'] != 'skip'"`, "no such key: annotations", "", []string{
			"+!has(object.metadata.annotations) || !('x' in object.metadata.annotations) || object.metadata.annotations['x'] != 'skip'",
			"-has(object.metadata.annotations) && 'x' in object.metadata.annotations && object.metadata.annotations['x'] != 'skip'",
			"+object.metadata.?annotations['x'].orValue('') != 'skip'"}},
		{`expression: object.spec.containers[2].name == 'x' || object.spec.priority == 1`, "index out of bounds: 2", "object.spec.containers has items 0 to 1.", []string{
			"-size(object.spec.containers) > 2 && object.spec.containers[2].name == 'x' || object.spec.priority == 1",
			"+size(object.spec.containers) <= 2 || object.spec.containers[2].name == 'x' || object.spec.priority == 1",
			"-object.spec.containers[?2].name.orValue('') == 'x' || object.spec.priority == 1"}},
		{`expression: oldObject.spec.priority == object.spec.priority`, "no such key: spec", "oldObject is null. Only updates", []string{
			"+oldObject == null || oldObject.spec.priority == object.spec.priority",
			"-oldObject != null && oldObject.spec.priority == object.spec.priority",
			"-oldObject.?spec.priority.orValue(0) == object.spec.priority"}},
		{`expression: "request.subResource == ''"`, "no such key: subResource", "omits fields that are empty strings", []string{
			"+!has(request.subResource) || request.subResource == ''",
			"-has(request.subResource) && request.subResource == ''",
			"+request.?subResource.orValue('') == ''"}},
		{`expression: "object.spec.priority * 1.5 > 10.0"`, "no such overload", "There is no * for int and double.", []string{"+double(object.spec.priority) * 1.5 > 10.0"}},
		{`expression: "'p' + object.spec.priority == 'p7'"`, "applied to '(string, int)'", "", []string{"+'p' + string(object.spec.priority) == 'p7'"}},
		{`expression: "has(object.spec.securityContext.runAsUser)"`, "", "", nil}, // the server fills in securityContext
		{`expression: "(object.spec.hostIPC ? 1 : 2) == 2"`, "no such key: hostIPC", "", []string{
			"+(has(object.spec.hostIPC) && object.spec.hostIPC ? 1 : 2) == 2",
			"+(object.spec.?hostIPC.orValue(false) ? 1 : 2) == 2"}},
		{`expression: "object.spec.priority.max == 1"`, "type 'int' does not support field selection", "A value of this type has no fields.", nil},
		// Of what does not compile.
		{`expression: object.spec.hostNetwork`, "must evaluate to bool but got dyn", "", nil},
		{`{expression: "quantity(dyn(object.spec.priority)).compareTo(quantity('2')) > 0"}`, "no such overload: quantity(int)", "", []string{"+quantity(string(dyn(object.spec.priority))).compareTo(quantity('2')) > 0"}},
		{`{expression: "quantity('1').sign() == 1"}`, "found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'", "", []string{"+sign(quantity('1')) == 1"}},
	} {
		t.Run(test.yaml, func(t *testing.T) {
			s := scenario.Scenario{Kubernetes: "1.37", Policies: validating(test.yaml), Request: pod}
			d := find(evaluate(t, s), codes.CELRuntime, codes.TypeChecking, "cel-compile", "cel-return-type")
			if d == nil {
				if test.summary != "" {
					t.Fatal("no diagnostic")
				}
				return
			}
			if !strings.HasSuffix(d.Summary, test.summary) || !strings.Contains(d.Detail, test.detail) {
				t.Errorf("%s\n%s", d.Summary, d.Detail)
			}
			if test.summary == "must evaluate to bool but got dyn" {
				return
			}
			if len(d.Fixes) != len(test.fixes) {
				t.Fatalf("%d fixes, want %d: %+v", len(d.Fixes), len(test.fixes), d.Fixes)
			}
			for i, f := range d.Fixes {
				checkFix(t, s, f, test.fixes[i])
			}
		})
	}
}

func checkFix(t *testing.T, s scenario.Scenario, f diag.Fix, want string) {
	t.Helper()
	s.Policies = apply(s.Policies, f)
	r := evaluate(t, s)
	if d := find(r, codes.CELRuntime, "cel-compile", "cel-return-type", "yaml-syntax"); d != nil {
		t.Errorf("%s: %s\n%s", f.Title, d.Summary, s.Policies)
		return
	}
	got := "-"
	if r.Outcome.Allowed {
		got = "+"
	}
	for _, step := range r.Steps {
		for _, v := range step.Validations {
			got += v.Expression
		}
	}
	if got != want {
		t.Errorf("%s: %s\nwant %s", f.Title, got, want)
	}
}

// TestMutationFixes applies the fixes of mutations and messages.
func TestMutationFixes(t *testing.T) {
	for _, test := range []struct{ policies, code, want string }{
		{mutating(`{patchType: JSONPatch, jsonPatch: {expression: "[]"}}`), "cel-return-type",
			"false ? [JSONPatch{op: 'add', path: '/metadata/labels/example', value: 'true'}] : []"},
		{mutating("patchType: JSONPatch\n    jsonPatch:\n      expression: \"[JSONPatch{op: 'add', path: '/metadata/labels/a.b/c', value: 'x'}]\""), codes.UnescapedKey,
			"[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.b/c'), value: 'x'}]"},
		{mutating("patchType: JSONPatch\n    jsonPatch:\n      expression: \"[JSONPatch{op: 'add', path: '/metadata/annotations/a', value: 'x'}]\""), codes.MissingParent,
			"(has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) + [JSONPatch{op: 'add', path: '/metadata/annotations/a', value: 'x'}]"},
		{mutating("patchType: JSONPatch\n    jsonPatch:\n      expression: \"true ? [JSONPatch{op: 'add', path: '/metadata/annotations/a', value: 'x'}] : []\""), codes.MissingParent,
			"(has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) + (true ? [JSONPatch{op: 'add', path: '/metadata/annotations/a', value: 'x'}] : [])"},
		{mutating("patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: \"{'metadata': {'labels': {'a': 'b'}}}\""), "cel-return-type",
			"Object{metadata: Object.metadata{labels: {'a': 'b'}}}"},
		{mutating("patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: \"Object{metadata: {'labels': {'a': 'b'}}}\""), "literal-nested-map",
			"Object{metadata: Object.metadata{labels: {'a': 'b'}}}"},
		{validating("expression: object.spec.priority < 5\n    messageExpression: object.metadata.name"), "cel-return-type", "string(object.metadata.name)"},
		{validating("expression: object.spec.priority < 5\n    messageExpression: \"'priority ' + object.spec.priority\""), codes.TypeChecking, "'priority ' + string(object.spec.priority)"},
	} {
		t.Run(test.want, func(t *testing.T) {
			s := scenario.Scenario{Kubernetes: "1.37", Policies: test.policies, Request: pod}
			r := evaluate(t, s)
			d := find(r, test.code)
			if d == nil || len(d.Fixes) == 0 {
				t.Fatalf("no fix: %+v", r.Diagnostics)
			}
			s.Policies = apply(s.Policies, d.Fixes[0])
			after := evaluate(t, s)
			if again := find(after, test.code); again != nil {
				t.Errorf("still %s\n%s", again.Summary, s.Policies)
			}
			found := false
			for i := range after.Steps {
				after.Steps[i].Evaluations(func(e *report.Evaluation) { found = found || e.Expression == test.want && e.Error == "" })
			}
			if !found {
				t.Errorf("got\n%s", s.Policies)
			}
		})
	}
}

// TestStyles fixes the same expression in every kind of YAML scalar.
func TestStyles(t *testing.T) {
	const expression = "object.metadata.labels.team != \"\" // é"
	for _, yaml := range []string{
		"expression: " + expression,
		"{expression: " + expression + "}",
		"expression: '" + expression + "'",
		`expression: "` + strings.ReplaceAll(expression, `"`, `\"`) + `"`,
		"expression: |\n      " + expression,
		"expression: >-\n\n      " + expression + "\n",
	} {
		s := scenario.Scenario{Kubernetes: "1.37", Policies: validating(yaml), Request: pod}
		d := find(evaluate(t, s), codes.CELRuntime)
		if d == nil {
			t.Fatalf("%s: no diagnostic", yaml)
		}
		for _, f := range d.Fixes {
			fixed := s
			fixed.Policies = apply(s.Policies, f)
			if again := find(evaluate(t, fixed), codes.CELRuntime, "yaml-syntax", "cel-compile"); again != nil {
				t.Errorf("%s: %s: %s\n%s", yaml, f.Title, again.Summary, fixed.Policies)
			}
		}
	}
}

// TestNotes checks the notes on rules that surprise.
func TestNotes(t *testing.T) {
	conditions := func(list string) string {
		return strings.Replace(validating("expression: object.spec.priority > 0"), "  validations:", "  matchConditions:\n"+list+"\n  validations:", 1)
	}
	for _, test := range []struct{ policies, request, code string }{
		{conditions("  - {name: a, expression: namespaceObject == null}"), pod, "namespace-in-condition"},
		{conditions("  - {name: a, expression: object.nope == 1}\n  - {name: b, expression: 'false'}"), pod, "false-beats-error"},
		{validating("expression: request.subResource == 'x'"), pod, "empty-request-field"},
		{validating("expression: oldObject.spec == object.spec"), pod, "null-old-object"},
		{validating("expression: namespaceObject.metadata.UID == ''"), pod, "namespace-metadata"},
		{validating("expression: namespaceObject.metadata.creationTimestamp.getFullYear() > 0"), pod, "namespace-metadata"},
		{strings.Replace(validating("expression: object.spec.priority > 0"), "  validations:", "  auditAnnotations:\n  - {key: a, valueExpression: \"authorizer.path('/x').check('get').allowed() ? 'a' : 'b'\"}\n  validations:", 1), pod, "authorizer-not-bound"},
		{strings.Replace(validating("expression: object.spec.priority > 9\n    messageExpression: variables.may"), "  validations:", "  variables:\n  - {name: may, expression: \"authorizer.path('/x').check('get').allowed() ? 'a' : 'b'\"}\n  validations:", 1), pod, "authorizer-not-bound"},
		{validating("expression: lists.range(2000).all(a, a * object.spec.priority >= 0)"), pod, "costly-expression"},
	} {
		t.Run(test.code, func(t *testing.T) {
			r := evaluate(t, scenario.Scenario{Kubernetes: "1.37", Policies: test.policies, Request: test.request,
				Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: default, uid: u, creationTimestamp: \"2026-01-01T00:00:00Z\"}"})
			var codes []string
			for i := range r.Steps {
				step := &r.Steps[i]
				for _, n := range step.Notes {
					codes = append(codes, n.Code)
				}
				step.Evaluations(func(e *report.Evaluation) {
					for _, n := range e.Notes {
						codes = append(codes, n.Code+": "+n.Text)
					}
				})
			}
			if !strings.Contains(fmt.Sprint(codes), test.code) {
				t.Errorf("notes %v, diagnostics %+v", codes, r.Diagnostics)
			}
		})
	}
}
