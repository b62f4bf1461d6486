package run_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestParams: what params bindings find, and what comes of those that find none (semantics
// §5.2, §5.3).
func TestParams(t *testing.T) {
	const (
		policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  %s
  paramKind: {%s}
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps, namespaces, nodes]}]}
  validations: [{expression: "false", messageExpression: "string(params.metadata.name)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [%s], paramRef: {%s}}
`
		secrets   = "apiVersion: v1, kind: Secret"
		nodes     = "apiVersion: v1, kind: Node"
		configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}"
		namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"
		node      = "{apiVersion: v1, kind: Node, metadata: {name: n0}}"
		cluster   = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s1, namespace: shop, labels: {a: b}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s2, namespace: shop, labels: {a: b}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s3, namespace: other, labels: {a: b}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {a: b}}}
`
		deny, allow = ", parameterNotFoundAction: Deny", ", parameterNotFoundAction: Allow"
	)
	for _, c := range []struct {
		name, kind, ref, request string
		actions, failure         string // Deny and Fail if they are empty
		want                     string // the refusals by their own words, then the steps that are no evaluation
	}{
		{"by its name, in the namespace of the request", secrets, "name: s1" + deny, configMap, "", "", "s1"},
		{"of a namespace", secrets, "name: s3, namespace: other" + deny, configMap, "", "", "s3"},
		{"not of another", secrets, "name: s3" + deny, configMap, "", "", "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction; errored"},
		{"by a selector, all of them", secrets, "selector: {matchLabels: {a: b}}" + deny, configMap, "", "", "s1, s2"},
		{"by an empty selector", secrets, "selector: {}, namespace: other" + deny, configMap, "", "", "s3"},
		{"of no namespace", nodes, "name: n1" + deny, configMap, "", "", "n1"},
		{"of no namespace, by a selector", nodes, "selector: {matchLabels: {a: b}}" + deny, configMap, "", "", "n1"},
		{"for a request without a namespace", nodes, "name: n1" + deny, node, "", "", "n1"},
		{"in a namespace that is given, for a request without", secrets, "name: s3, namespace: other" + deny, node, "", "", "s3"},
		{"none, and nothing happens", secrets, "name: none" + allow, configMap, "", "", "; skipped"},
		{"none by a selector, and nothing happens", secrets, "selector: {matchLabels: {a: c}}" + allow, configMap, "", "", "; skipped"},
		{"none, and it is refused", secrets, "name: none" + deny, configMap, "", "", "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction; errored"},
		{"refused even where validation only warns", secrets, "name: none" + deny, configMap, "Warn", "", "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction; errored"},
		{"none, and errors are ignored", secrets, "name: none" + deny, configMap, "", "failurePolicy: Ignore", "; errored"},
		{"in no namespace", secrets, "name: s1" + deny, node, "", "", "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources; errored"},
		{"a Namespace is in its own", secrets, "name: s1" + deny, namespace, "", "", "s1"},
		{"a namespace for what has none", nodes, "name: n1, namespace: shop" + deny, configMap, "", "", "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`; errored"},
		{"of a kind that is not there", "apiVersion: example.com/v1, kind: Thing", "name: s1" + deny, configMap, "", "", "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Thing'; errored"},
		{"of a kind that is not there, ignored", "apiVersion: example.com/v1, kind: Thing", "name: s1" + deny, configMap, "", "failurePolicy: Ignore", "; errored"},
	} {
		actions := c.actions
		if actions == "" {
			actions = "Deny"
		}
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: fmt.Sprintf(policy, c.failure, c.kind, actions, c.ref), Cluster: cluster, Request: c.request}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got, other []string
		for _, s := range r.Steps {
			switch s.Status {
			case report.Evaluated:
				got = append(got, s.Messages...)
			default:
				other = append(other, string(s.Status))
				if refused := s.Verdict == report.Deny; refused == r.Outcome.Allowed {
					t.Errorf("%s: the step's verdict is %q", c.name, s.Verdict)
				}
			}
		}
		if _, own, ok := strings.Cut(r.Outcome.Message, " denied request: "); ok && len(got) == 0 {
			got = append(got, own)
		}
		text := strings.Join(got, ", ")
		if len(other) > 0 {
			text += "; " + strings.Join(other, ", ")
		}
		if !strings.EqualFold(text, c.want) {
			t.Errorf("%s: got %q, want %q: %s %v", c.name, text, c.want, r.Outcome.Message, r.Diagnostics)
		}
	}
}
