package growth

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: unique}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  variables:
  - {name: containers, expression: object.spec.containers}
  validations:
  - expression: %q
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: unique}
spec: {policyName: unique, validationActions: [Deny]}
`

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {app: web}}
spec: {containers: [{name: a, image: "registry/a:1"}, {name: b, image: "registry/b:1"}]}
`

const enough = 100_000_000

func never() bool { return false }

// search evaluates a scenario, without built-in plugins, and searches to the end.
func search(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	r, ended := searched(t, s, enough)
	if !ended {
		t.Fatal("the search has not ended")
	}
	return r
}

// searched is search with so much work, and whether that is enough.
func searched(t *testing.T, s scenario.Scenario, work int64) (r *report.Report, ended bool) {
	t.Helper()
	s.Options.Plugins = scenario.Exactly()
	recorded, err := engine.EvaluateRecorded(t.Context(), s, engine.Options{Safety: true})
	if err != nil {
		t.Fatal(err)
	}
	search := New(recorded, work)
	defer search.Stop()
	return recorded.Report, search.Step(never)
}

func TestValidation(t *testing.T) {
	for i, test := range []struct{ name, expression, list string }{
		{"pairs", "variables.containers.all(a, variables.containers.exists_one(b, b.name == a.name))", "object.spec.containers"},
		{"triples", "object.spec.containers.all(a, object.spec.containers.all(b, object.spec.containers.exists_one(c, a.name + b.name + c.image != 'x') || true))", "object.spec.containers"},
		{"through an optional", "object.?spec.?containers.orValue([]).all(a, object.?spec.containers.orValue([]).exists_one(b, b.name == a.name))", "object.spec.containers"},
		{"one loop", "object.spec.containers.all(a, a.image.matches('^(registry|another|third|fourth|fifth|sixth|seventh)/[a-z0-9._-]+(:[a-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$'))", "object.spec.containers"},
		{"a map", "object.metadata.labels.all(k, object.metadata.labels.all(l, object.metadata.labels.exists_one(m, k + l + m == 'x') || true))", "object.metadata.labels"},
		{"an empty list", "object.spec.?tolerations.orValue([]).all(a, object.spec.tolerations.all(b, object.spec.tolerations.all(c, true)))", "object.spec.tolerations"},
		{"no loop", "object.spec.containers.size() < 5 || true", ""},
		{"the first decides", "!object.spec.containers.all(a, object.spec.containers.all(b, a.name == 'x'))", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			skipMost(t, i, 5)
			s := scenario.Scenario{Kubernetes: "1.37", Policies: fmt.Sprintf(policy, test.expression), Request: pod}
			v := search(t, s).Steps[0].Validations[0]
			if test.list == "" {
				if len(v.Outlook.Growth) > 0 {
					t.Errorf("found %+v", v.Outlook.Growth)
				}
				return
			}
			if len(v.Outlook.Growth) != 1 || v.Outlook.Growth[0].Of[0] != test.list || !v.Outlook.Growth[0].Confirmed {
				t.Fatalf("found %+v", v.Outlook.Growth)
			}
			t.Log(v.Outlook.Sentence())
			if evaluatesFound(i) {
				checkLimit(t, s, test.list, v.Outlook.Growth[0].From)
			}
		})
	}
}

// checkLimit evaluates the request as a user would who has that many items, and has
// lifted the limits of one evaluation: they end one of a Pod with 17,000 containers.
func checkLimit(t *testing.T, s scenario.Scenario, list string, n int) {
	t.Helper()
	for _, items := range []int{n - 1, n} {
		s.Request = podWith(list, items)
		r, err := engine.Evaluate(context.Background(), s, engine.Options{Limits: engine.Limits{Work: -1, Bytes: -1}})
		if err != nil {
			t.Fatal(err)
		}
		v := r.Steps[len(r.Steps)-1].Validations[0]
		if over := strings.Contains(v.Error, "actual cost limit exceeded"); over != (items == n) {
			t.Errorf("with %d items it costs %d: %s", items, v.Cost, v.Error)
		}
	}
}

// podWith is pod with more items, made as a person would: copied.
func podWith(list string, n int) string {
	var containers, labels, tolerations []string
	for i := range n {
		name, label := string(rune('a'+i%2)), "app"
		if i > 1 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		if i > 0 {
			label = fmt.Sprintf("app-%d", i)
		}
		containers = append(containers, fmt.Sprintf("{name: %s, image: \"registry/%c:1\"}", name, 'a'+i%2))
		labels = append(labels, label+": web")
		tolerations = append(tolerations, "{operator: Exists}")
	}
	switch list {
	case "object.metadata.labels":
		return strings.Replace(pod, "app: web", strings.Join(labels, ", "), 1)
	case "object.spec.tolerations":
		return strings.Replace(pod, "spec: {", "spec: {tolerations: ["+strings.Join(tolerations, ", ")+"], ", 1)
	}
	return pod[:strings.Index(pod, "spec:")] + "spec: {containers: [" + strings.Join(containers, ", ") + "]}\n"
}
