package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// evaluate runs a policy with a binding for the creation of a ConfigMap.
func evaluate(t *testing.T, version, spec, action string) *report.Report {
	t.Helper()
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Kubernetes: version,
		Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limits}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  ` + strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ") + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limits}
spec: {policyName: limits, validationActions: [` + action + `]}
`,
		Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\n",
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Diagnostics.HasErrors() {
		t.Fatal(r.Diagnostics.Errors())
	}
	return r
}

// notes are the codes of all notes of the only step.
func notes(r *report.Report) []string {
	var out []string
	add := func(list []report.Note) {
		for _, n := range list {
			out = append(out, n.Code)
		}
	}
	for i := range r.Steps {
		add(r.Steps[i].Notes)
		r.Steps[i].Evaluations(func(e *report.Evaluation) { add(e.Notes) })
	}
	return out
}

// TestPublishedFailures: from 1.37 on the audit annotation has the first 50
// failures of a request (semantics §7.5).
func TestPublishedFailures(t *testing.T) {
	for failures, published := range map[int]int{49: 49, 50: 50, 51: 50} {
		r := evaluate(t, "1.37", "validations:\n"+strings.Repeat("- expression: 'false'\n", failures), "Audit")
		var list []any
		if err := json.Unmarshal([]byte(r.Outcome.AuditAnnotations["validation.policy.admission.k8s.io/validation_failure"]), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != published {
			t.Errorf("%d of %d failures are published, want %d", len(list), failures, published)
		}
		if slices.Contains(notes(r), codes.AnnotationDropped) != (failures > published) {
			t.Errorf("%d failures: the notes are %q", failures, notes(r))
		}
	}
}

// TestPublishedValues: a value is cut to 10240 bytes.
func TestPublishedValues(t *testing.T) {
	for length, published := range map[int]int{10239: 10239, 10240: 10240, 10241: 10240} {
		r := evaluate(t, "1.36", fmt.Sprintf("auditAnnotations:\n- {key: long, valueExpression: \"%s\"}", repeated(length)), "Deny")
		if got := len(r.Outcome.AuditAnnotations["limits/long"]); got != published {
			t.Errorf("%d bytes: %d are published, want %d", length, got, published)
		}
		if slices.Contains(notes(r), codes.AnnotationCut) != (length > published) {
			t.Errorf("%d bytes: the notes are %q", length, notes(r))
		}
	}
}

// TestFailedAnnotation: an annotation that fails denies, whatever the actions are, and its
// step says so; with failurePolicy Ignore it does nothing.
func TestFailedAnnotation(t *testing.T) {
	const broken = "auditAnnotations:\n- {key: broken, valueExpression: \"string(object.none)\"}\n- {key: whole, valueExpression: \"'x'\"}"
	for policy, denied := range map[string]bool{"Fail": true, "Ignore": false} {
		r := evaluate(t, "1.36", "failurePolicy: "+policy+"\n"+broken, "Warn")
		if r.Outcome.Allowed == denied || r.Outcome.AuditAnnotations["limits/whole"] != "x" {
			t.Errorf("%s: %+v", policy, r.Outcome)
		}
		said := strings.Join(r.Steps[0].Messages, "; ")
		if strings.Contains(said, "no such key: none") != denied || strings.Contains(r.Outcome.Message, "no such key: none") != denied {
			t.Errorf("%s: the step says %q, the server %q", policy, said, r.Outcome.Message)
		}
	}
}

// TestMessages: the text of a messageExpression has at most 5120 bytes.
func TestMessages(t *testing.T) {
	for length, used := range map[int]bool{5119: true, 5120: true, 5121: false} {
		r := evaluate(t, "1.36", fmt.Sprintf("validations:\n- {expression: 'false', message: the field, messageExpression: \"%s\"}", repeated(length)), "Deny")
		if got := strings.Contains(r.Outcome.Message, strings.Repeat("x", length)); got != used {
			t.Errorf("%d bytes: used is %v, the message %.80q", length, got, r.Outcome.Message)
		}
		if got := strings.HasSuffix(r.Outcome.Message, "denied request: the field"); got == used {
			t.Errorf("%d bytes: the message is %.80q", length, r.Outcome.Message)
		}
	}
}

// repeated is an expression for a text of x.
func repeated(length int) string {
	return fmt.Sprintf("lists.range(%d).map(i, 'x').join('')", length)
}
