package rbac

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// TestARoleIsExaminedOnce denies a check of a user with a role of 100 rules, bound once and 21 times:
// more bindings examine no rule again. A rule that allows nothing costs allocations.
func TestARoleIsExaminedOnce(t *testing.T) {
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules:\n" +
		strings.Repeat("- {apiGroups: [''], resources: [secrets], verbs: [get]}\n", 100)
	allocations := func(bindings int) float64 {
		text := role
		for i := range bindings {
			text += fmt.Sprintf("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b%d}\n"+
				"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\n"+
				"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]\n", i)
		}
		rules, q := load(t, "1.37", text), question{isResource: true, resource: "pods", verb: "get"}
		return testing.AllocsPerRun(5, func() {
			var check report.Authorization
			rules.decide(&check, person("jane"), q)
			if check.Allowed || !strings.Contains(check.Explanation, "secrets") {
				t.Fatalf("%+v", check)
			}
		})
	}
	one, many := allocations(1), allocations(21)
	if one < 200 || many > one+100 {
		t.Errorf("%.0f allocations for one binding, %.0f for 21", one, many)
	}
}
