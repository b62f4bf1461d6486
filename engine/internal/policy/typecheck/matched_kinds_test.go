package typecheck

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// guarded is a policy for Pods, Deployments and CronJobs.
func guarded(spec string) string {
	return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
    - {apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [cronjobs]}
` + spec
}

// TestGuards: the condition is about the kinds that reach a part, not about all that the
// policy matches. Audit annotations are not in the server's own type check.
func TestGuards(t *testing.T) {
	const template = `object.spec.template.spec.containers.all(c, !has(c.securityContext.priviliged))`
	typo := []string{`unknown-object-field "priviliged" -> privileged`}
	for _, tc := range []struct {
		expression string
		want       []string
	}{
		{`object.kind != 'Pod' || object.spec.containers.size() > 0 ? 'a' : 'b'`, nil},
		{`object.kind == 'Pod' && object.spec.containers.size() > 0 ? 'a' : 'b'`, nil},
		{`object.spec.containers.size() > 0 && object.kind == 'Pod' ? 'a' : 'b'`, nil},
		{`(object.kind == 'Pod' ? object.spec.containers : object.kind == 'CronJob' ? object.spec.jobTemplate.spec.template.spec.containers : object.spec.template.spec.containers).size() > 0 ? 'a' : 'b'`, nil},
		{`object.kind == 'Deployment' && ` + template + ` ? 'a' : 'b'`, typo},
		{`request.kind.kind != 'Deployment' || ` + template + ` ? 'a' : 'b'`, typo},
		{`request.resource.resource != 'deployments' || ` + template + ` ? 'a' : 'b'`, typo},
		{`object.apiVersion == 'apps/v1' && ` + template + ` ? 'a' : 'b'`, typo},
		{`request.resource.group == 'apps' && ` + template + ` ? 'a' : 'b'`, typo},
		{`object.kind in ['Deployment', 'DaemonSet'] && ` + template + ` ? 'a' : 'b'`, typo},
		{`!(object.kind in ['Pod', 'CronJob']) && ` + template + ` ? 'a' : 'b'`, typo},
		{`object.kind.matches('^(Deployment|StatefulSet)$') && ` + template + ` ? 'a' : 'b'`, typo},
		{`has(object.spec.template) && ` + template + ` ? 'a' : 'b'`, typo},
		{`!has(object.spec.template) && !has(object.spec.jobTemplate) && object.spec.containers.size() > 0 ? 'a' : 'b'`, nil},
		{`['Deployment', 'CronJob'].all(k, object.kind != k) && object.spec.containers.size() > 0 ? 'a' : 'b'`, nil},
		{`['Deployment', 'CronJob'].exists(k, object.kind == k) || object.spec.containers.size() > 0 ? 'a' : 'b'`, nil},
		// No kind of the policy reaches the branch.
		{`object.kind == 'Job' && ` + template + ` ? 'a' : 'b'`, nil},
		// A constant is no guard, and a macro's variable is not the object.
		{`true || ` + strings.Replace(template, "spec.template", "metadata.nothing", 1) + ` ? 'a' : 'b'`, []string{`unknown-object-field "nothing"`}},
		// Without a guard it is a problem for some: no repair may break the others.
		{`object.spec.containers.size() > 0 ? 'a' : 'b'`, []string{`?unknown-object-field "containers"`}},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			text := guarded(fmt.Sprintf("  auditAnnotations:\n  - key: k\n    valueExpression: |\n      %s\n", tc.expression))
			if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestGuardsElsewhere: what holds a kind back may be in a variable or a match condition.
func TestGuardsElsewhere(t *testing.T) {
	for name, tc := range map[string]struct {
		spec string
		want []string
	}{
		"a test in a variable": {`  variables:
  - {name: isPod, expression: "object.kind == 'Pod'"}
  auditAnnotations:
  - {key: k, valueExpression: "variables.isPod && object.spec.containers.size() > 0 ? 'a' : 'b'"}
`, nil},
		"a list in a variable": {`  variables:
  - {name: kinds, expression: "['Pod']"}
  auditAnnotations:
  - {key: k, valueExpression: "object.kind in variables.kinds && object.spec.containers.size() > 0 ? 'a' : 'b'"}
`, nil},
		"a variable that one kind reads": {`  variables:
  - {name: containers, expression: "object.spec.containers"}
  auditAnnotations:
  - {key: k, valueExpression: "object.kind == 'Pod' && variables.containers.size() > 0 ? 'a' : 'b'"}
`, nil},
		"the value of a variable by kind": {`  variables:
  - {name: spec, expression: "object.kind == 'Pod' ? object.spec : object.kind == 'CronJob' ? object.spec.jobTemplate.spec.template.spec : object.spec.template.spec"}
  auditAnnotations:
  - {key: k, valueExpression: "variables.spec.containers.all(c, c.imag != '') ? 'a' : 'b'"}
`, []string{`unknown-object-field "imag" -> image`}},
		"a match condition": {`  matchConditions:
  - {name: c, expression: "request.kind.kind == 'Pod'"}
  auditAnnotations:
  - {key: k, valueExpression: "object.spec.containers.size() > 0 ? 'a' : 'b'"}
`, nil},
		"a condition that keeps all away": {`  matchConditions:
  - {name: c, expression: "object.kind == 'Job'"}
  auditAnnotations:
  - {key: k, valueExpression: "object.metadata.nam == '' ? 'a' : 'b'"}
`, []string{`unknown-object-field "nam" -> name`}},
	} {
		t.Run(name, func(t *testing.T) {
			text := guarded(tc.spec)
			if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}
