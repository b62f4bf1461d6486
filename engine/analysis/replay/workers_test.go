package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

const onlyProduction = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`

// captured are ten pods, an update that makes their namespace one of production,
// and the same ten pods again.
func captured(yield func(Record, error) bool) {
	line := 0
	for range 2 {
		for i := range 10 {
			line++
			if !yield(Record{Line: line, Defaulting: true, Request: fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: shop}, spec: {containers: [{name: a, image: a}]}}", i)}, nil) {
				return
			}
		}
		line++
		update := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Namespace"},"resource":{"group":"","version":"v1","resource":"namespaces"},"name":"shop","namespace":"shop","operation":"UPDATE","userInfo":{"username":"jane"},` +
			`"object":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{"env":"prod"}}},"oldObject":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{"env":"test"}}}}}`
		if !yield(Record{Line: line, Request: update}, nil) {
			return
		}
	}
}

// Requests do not see what others store, however many are evaluated at a time;
// in order they do.
func TestWorkers(t *testing.T) {
	run := func(o Options) *Summary {
		s, err := Run(context.Background(), scenario.Scenario{Policies: onlyProduction}, iter.Seq2[Record, error](captured), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var first string
	for _, workers := range []int{1, 2, 4, 8} {
		s := run(Options{Workers: workers})
		if s.Denied != 20 {
			t.Errorf("%d workers: %d denied, want 20", workers, s.Denied)
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(raw)
		} else if first != string(raw) {
			t.Errorf("%d workers:\n%s\none:\n%s", workers, raw, first)
		}
	}
	if s := run(Options{InOrder: true, Workers: 4}); s.Denied != 10 || s.Records != 22 {
		t.Errorf("in order: %d of %d denied, want 10 of 22", s.Denied, s.Records)
	}
}
