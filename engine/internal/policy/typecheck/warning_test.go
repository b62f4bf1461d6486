package typecheck

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestFalseAlarms: warnings of the server about correct validations are one line for each
// kind of false alarm, without a repair; one that is right stays a warning.
func TestFalseAlarms(t *testing.T) {
	text := guarded(`  validations:
  - expression: "object.kind != 'Pod' || object.spec.containers.all(c, c.image != '')"
  - expression: "object.kind != 'Deployment' || object.spec.template.spec.containers.all(c, c.image != '')"
  - expression: "object.kind != 'Pod' || object.spec.containers.all(c, c.imag != '')"
`)
	found := problemsOf(t, text, "")
	if len(found) != 2 {
		t.Fatalf("%d findings: %v", len(found), short(text, found))
	}
	if d := found[0]; d.Summary != unreadGuard || d.Severity != diag.Info || len(d.Fixes) > 0 || len(d.Related) != 1 {
		t.Errorf("not one line without a repair: %+v", d)
	}
	if d := found[1]; d.Severity != diag.Warning || len(d.Fixes) != 1 || text[d.Span.Start:d.Span.End] != "imag" {
		t.Errorf("not a warning about imag: %+v", d)
	}

	text = quantitiesPolicy
	found = problemsOf(t, text, "")
	if len(found) != 1 || found[0].Summary != unknownTypes || found[0].Severity != diag.Info || len(found[0].Related) != 1 {
		t.Errorf("quantities: %+v", found)
	}
}

// quantitiesPolicy reads quantities in two correct validations.
const quantitiesPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: "object.spec.containers.all(c, has(c.resources.limits) && 'cpu' in c.resources.limits)"
  - expression: "object.spec.containers.all(c, !has(c.resources.requests) || 'memory' in c.resources.requests)"
`
