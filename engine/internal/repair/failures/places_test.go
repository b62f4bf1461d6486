package failures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const podReview = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: u
  operation: UPDATE
  kind: {group: "", version: v1, kind: Pod}
  resource: {group: "", version: v1, resource: pods}
  name: web
  namespace: default
  userInfo: {username: jane}
  object:
    metadata: {name: web, namespace: default, labels: {app: web}}
    spec: {containers: [{name: a, image: a}, {name: b, image: b}]}
  oldObject:
    metadata: {name: web, namespace: default}
    spec: {containers: [{name: a, image: a}, {name: b, image: b}]}
`

// TestRelated: a failing expression points at what it read.
func TestRelated(t *testing.T) {
	const cluster = `apiVersion: v1
kind: Namespace
metadata: {name: default, labels: {stage: dev}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits, namespace: default}
data: {max: "3"}
`
	policies := func(expression string) string {
		text := validating("expression: \"" + expression + "\"")
		text = strings.Replace(text, "failurePolicy: Fail", "failurePolicy: Fail\n  paramKind: {apiVersion: v1, kind: ConfigMap}", 1)
		return strings.Replace(text, "validationActions: [Deny]", "validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}", 1)
	}
	for _, test := range []struct{ request, expression, want string }{
		{pod, "object.metadata.labels.team == 'x'", `request "labels" metadata.labels.team: team is missing here`},
		{pod, "object.metadata.label.app == 'x'", `request "labels" metadata.labels: labels is here`},
		{pod, "object.spec.containers.all(c, c.ports.all(p, p.containerPort < 90))", `request "{name: a, image: \"registry/a\"}" spec.containers[0].ports: ports is missing here`},
		{pod, "object.spec.containers.all(c, c.image != '' && c.stdin)", `request "{name: a, image: \"registry/a\"}" spec.containers[0].stdin: stdin is missing here`},
		{pod, "object.spec.containers.exists(i, c, i == 1 && c.ports[1].containerPort == 1)", `request "ports" spec.containers[1].ports[1]: 1 is missing here`},
		{pod, "object.metadata.labels.all(k, v, v.size.x == 1)", `request "app" metadata.labels.app.size: size is missing here`},
		{pod, "object.spec.?priority.optMap(p, p.x).orValue(1) == 1", `request "priority" spec.priority.x: x is missing here`},
		{pod, "'p' + object.spec.priority == ''", `request "7" spec.priority: a value of the type int`},
		{pod, "params.data.min == '1'", `cluster "data" data.min: min is missing here`},
		{pod, "namespaceObject.metadata.labels.team == ''", `cluster "labels" metadata.labels.team: team is missing here`},
		{podReview, "object.metadata.annotations.x == ''", `request "metadata" request.object.metadata.annotations: annotations is missing here`},
		{podReview, "oldObject.metadata.labels.app == ''", `request "metadata" request.oldObject.metadata.labels: labels is missing here`},
		{pod, "oldObject.spec.x == 1", ""},
		{pod, "[object][0].nope == 1", ""},
	} {
		s := scenario.Scenario{Policies: policies(test.expression), Cluster: cluster, Request: test.request}
		d := find(evaluate(t, s), codes.CELRuntime, codes.TypeChecking)
		if d == nil {
			t.Errorf("%s does not fail", test.expression)
			continue
		}
		got := ""
		for _, r := range d.Related {
			if r.Text == diag.Policies {
				continue // where a problem that was told before fails
			}
			text := map[diag.Text]string{diag.Request: s.Request, diag.Cluster: s.Cluster}[r.Text]
			got += fmt.Sprintf("%s %q %s: %s", r.Text, text[r.Span.Start:r.Span.End], r.Path, r.Summary)
		}
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.expression, got, test.want)
		}
	}
}
