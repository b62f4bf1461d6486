package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
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

// Whatever is read, skipped, unreadable or missing is in the summary, and so is
// what an interruption leaves out.
func TestNothingIsLost(t *testing.T) {
	capture := func(stop func()) iter.Seq2[Record, error] {
		return func(yield func(Record, error) bool) {
			captured(func(r Record, err error) bool {
				if r.Line == 12 && stop != nil {
					stop()
				}
				if r.Line == 5 {
					return yield(Record{Line: 5, File: "a", Bad: "no"}, nil) && yield(Record{}, errors.New("half of it is gone")) && yield(Record{Line: 6, Skip: "why"}, nil)
				}
				return yield(r, err)
			})
		}
	}
	for _, o := range []Options{{Workers: 1}, {Workers: 3}, {InOrder: true}} {
		s, err := Run(context.Background(), scenario.Scenario{}, capture(nil), o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Records != 23 || s.Replayed != 21 || s.Unreadable != 1 || s.Skipped["why"] != 1 || s.Missing != 1 || s.MissingParts[0] != "half of it is gone" || s.Bad[0].Place() != "a:5" {
			t.Errorf("%+v: %+v", o, s)
		}
		ctx, cancel := context.WithCancel(context.Background())
		s, err = Run(ctx, scenario.Scenario{}, capture(cancel), o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Records > 13 || s.Records != s.Replayed+s.Unreadable+s.Skipped["why"] || len(s.MissingParts) == 0 || s.MissingParts[len(s.MissingParts)-1] != fmt.Sprintf("stopped after %d records; later ones were not replayed", s.Records) {
			t.Errorf("%+v: stopped: %+v", o, s)
		}
	}
}

// A reader that waits for more is left where it is when the replay is stopped: what
// came until then has its summary.
func TestStoppedWhileReading(t *testing.T) {
	for _, o := range []Options{{Workers: 1}, {Workers: 3}, {InOrder: true}} {
		ctx, cancel := context.WithCancel(context.Background())
		more := make(chan struct{})
		o.Each = func(r Record, _ *report.Report) error {
			if r.Line == 22 {
				cancel()
			}
			return nil
		}
		s, err := Run(ctx, scenario.Scenario{}, func(yield func(Record, error) bool) {
			captured(yield)
			<-more
		}, o)
		close(more)
		if err != nil {
			t.Fatal(err)
		}
		if s.Replayed != 22 || s.Missing != 1 || s.MissingParts[0] != "stopped after 22 records; later ones were not replayed" {
			t.Errorf("%+v: %d of %d replayed, missing %q", o, s.Replayed, s.Records, s.MissingParts)
		}
	}
}
