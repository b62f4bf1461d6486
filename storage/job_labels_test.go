package storage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestSharedLabels checks that the validating phase sees a Job without labels with those that storage adds
// to its template, where the template has a map of labels, even without any in it.
func TestSharedLabels(t *testing.T) {
	const policy = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
 matchConstraints: {resourceRules: [{apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}]},
 validations: [{expression: "false", messageExpression: "'labels: ' + string(has(object.metadata.labels) ? size(object.metadata.labels) : 0)"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}`
	for metadata, want := range map[string]string{"{}": "labels: 0", "{labels: {}}": "labels: 4", "{labels: {a: b}}": "labels: 5"} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policy, Request: `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default},
 spec: {template: {metadata: ` + metadata + `, spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}`}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(r.Outcome.Message, want) {
			t.Errorf("%s: %s", metadata, r.Outcome.Message)
		}
	}
}
