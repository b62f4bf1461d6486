package typecheck

import (
	"fmt"
	"strings"
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
	if d := found[0]; !strings.HasPrefix(d.Detail, unreached) || d.Severity != diag.Info || len(d.Fixes) > 0 || len(d.Related) != 1 {
		t.Errorf("not one line without a repair: %+v", d)
	}
	if d := found[1]; d.Severity != diag.Warning || len(d.Fixes) != 1 || text[d.Span.Start:d.Span.End] != "imag" {
		t.Errorf("not a warning about imag: %+v", d)
	}

	// the first kind with the warning reaches the part
	found = problemsOf(t, guarded("  validations:\n  - expression: \"object.kind != 'Pod' || object.spec.containers.all(c, has(c.resources.requests.cpu))\"\n"), "")
	if len(found) != 1 || !strings.HasPrefix(found[0].Detail, unknownTypes) {
		t.Errorf("quantities behind a test of the kind: %+v", found)
	}

	text = quantitiesPolicy
	found = problemsOf(t, text, "")
	if len(found) != 1 || found[0].Summary != `works, but status.typeChecking will say "undefined field 'limits'"` || !strings.HasPrefix(found[0].Detail, unknownTypes) || found[0].Severity != diag.Info || len(found[0].Related) != 1 {
		t.Errorf("quantities: %+v", found)
	}
}

// TestNullFields: the API writes some empty lists as null. There a comparison with null is right, and no has() takes its
// place.
func TestNullFields(t *testing.T) {
	for expression, want := range map[string]int{
		"object.rules == null || object.rules.all(r, size(r.verbs) > 0)": 0,
		"object.metadata.labels != null":                                 1,
	} {
		fixes := 0
		for _, d := range problemsOf(t, fmt.Sprintf(header, "Validating", "rbac.authorization.k8s.io", "clusterroles")+"  validations:\n  - expression: \""+expression+"\"\n", "") {
			fixes += len(d.Fixes)
		}
		if fixes != want {
			t.Errorf("%s: %d repairs, want %d", expression, fixes, want)
		}
	}
}

// TestCauses: findings say why, where the compiler's words do not.
func TestCauses(t *testing.T) {
	for _, c := range []struct{ field, expression, want string }{
		{"matchConditions", "request.operation == 'DELETE'", "The condition is always false, so the policy never runs."},
		{"validations", "request.operation == 'DELETE'", "Its values are CREATE."},
		{"validations", "object.spec.containers.exists(c, i, c.name == 'main')", "has the item's index first"},
		{"validations", "object.spec.containers.exists(i, c, i.name == 'main')", "has the item's index first"},
		{"validations", "object.spec.priority.max > 1", "A value of this type has no fields."},
		{"validations", "(object.spec.containers + object.spec.?initContainers.orValue([])).all(c, c.image != '')", "will say \"found no matching overload for '_+_'\""},
		{"validations", "object.spec.containers.all(c, c.?securityContext.orValue({}).?privileged.orValue(false) == false)", "'orValue'\"\nThe server's"},
		{"validations", "object.spec.?nodeName.or(optional.of(3)).hasValue()", "'or'\"\nThe server's"},
		{"validations", "object.metadata.?finalizers.orValue([]).indexOf(1) < 0", "may work at run time"},
		{"validations", "sets.intersects(object.metadata.?finalizers.orValue([]), [1])", "may work at run time"},
		{"validations", "object.spec.containers.map(c, c.name).sum() > 1", "fails here at run time: no such overload"},
		{"validations", "object.spec.containers['a'].name == 'x'", "The expression fails here at run time.\n"},
		{"validations", "1 in object.metadata.?labels.orValue({'a': 'b'})", "The expression fails here at run time.\n"},
		{"validations", "!has(object.spec.template) || object.spec.template.spec.hostNetwork != true", "Pod has no field spec.template, and the expression tests for it"},
	} {
		text := strings.Split(quantitiesPolicy, "  validations:")[0] + "  " + c.field + ":\n  - {name: n, expression: \"" + c.expression + "\"}\n"
		if c.field == "validations" {
			text = strings.Replace(text, "name: n, ", "", 1)
		} else {
			text += "  validations: [{expression: 'object != null'}]\n"
		}
		if strings.Contains(c.expression, "template") { // of another kind that the policy matches
			text = strings.Replace(text, "  "+c.field, "    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}\n  "+c.field, 1)
		}
		var said strings.Builder
		for _, d := range problemsOf(t, text, "") {
			said.WriteString(d.Summary + "\n" + d.Detail + "\n")
		}
		if got := said.String(); !strings.Contains(got, c.want) || c.field == "validations" && strings.Contains(got, "never runs") {
			t.Errorf("%s: %q, want %q", c.expression, got, c.want)
		}
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
