package changes_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/analysis/changes"
	"github.com/preadmit/preadmit/engine/scenario"
)

func compiled(t *testing.T, expression, message string) *engine.Configuration {
	t.Helper()
	c, problems := engine.New().Compile(scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: size}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "` + expression + `", message: "` + message + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: size}
spec: {policyName: size, validationActions: [Deny]}
`})
	if c == nil {
		t.Fatal(problems)
	}
	return c
}

func captured(lines ...string) iter.Seq2[capture.Record, error] {
	return func(yield func(capture.Record, error) bool) {
		for record, err := range capture.Read(strings.NewReader(strings.Join(lines, "\n"))) {
			if !yield(record, err) {
				return
			}
		}
		yield(capture.Record{}, errors.New("the rest is gone"))
	}
}

func configMap(name, data string) string {
	return `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "` + name + `", "namespace": "default"}, "data": {` + data + `}}`
}

func TestRun(t *testing.T) {
	before, after := compiled(t, "object.data.size() <= 2", "too many"), compiled(t, "object.data.size() <= 1", "at most one")
	records := captured(
		configMap("one", `"a": "a"`),
		configMap("two", `"a": "a", "b": "b"`),
		configMap("two-more", `"a": "a", "b": "b"`),
		configMap("three", `"a": "a", "b": "b", "c": "c"`),
		`{"nothing": 1}`,
	)
	s, err := changes.Run(context.Background(), before, after, records, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Records != 5 || s.Compared != 4 || s.Same != 1 || len(s.Missing) != 1 || len(s.Skipped) != 1 || len(s.Changes) != 2 {
		t.Fatalf("got %+v", s)
	}
	c := s.Changes[0]
	if c.Old != "admitted" || c.New != "denied by size" || c.Count != 2 || len(c.Samples) != 1 || c.Samples[0].Name != "two" || c.Samples[0].Line != 2 {
		t.Errorf("got %+v", c)
	}
	c = s.Changes[1]
	if c.Old != c.New || strings.Join(c.What, " ") != "message" || !strings.HasSuffix(c.Samples[0].NewMessage, "at most one") {
		t.Errorf("got %+v", c)
	}
	s, err = changes.Run(context.Background(), before, before, captured(configMap("two", `"a": "a", "b": "b"`)), 1)
	if err != nil || len(s.Changes) != 0 || s.Same != 1 {
		t.Errorf("a set of policies differs from itself: %+v, %v", s, err)
	}
}
