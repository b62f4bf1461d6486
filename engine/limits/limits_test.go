package limits

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
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

func TestFind(t *testing.T) {
	for _, test := range []struct{ name, expression, list, growth string }{
		{"pairs", "variables.containers.all(a, variables.containers.exists_one(b, b.name == a.name))", "object.spec.containers", "with the square of"},
		{"triples", "object.spec.containers.all(a, object.spec.containers.all(b, object.spec.containers.exists_one(c, a.name + b.name + c.image != 'x') || true))", "object.spec.containers", "with the third power of"},
		{"one loop", "object.spec.containers.all(a, a.image.startsWith('registry/'))", "", ""},
		{"no loop", "object.spec.containers.size() < 5 || true", "", ""},
		{"something else grows", "object.spec.containers.all(a, a.name != 'x') && has(object.spec)", "", ""},
		{"a map", "object.metadata.labels.all(k, object.metadata.labels.all(l, object.metadata.labels.exists_one(m, k + l + m == 'x') || true))", "object.metadata.labels", "with the third power of"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scenario.Scenario{Kubernetes: "1.37", Policies: fmt.Sprintf(policy, test.expression), Request: pod}
			found, err := Find(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if test.list == "" {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			if len(found) != 1 || !strings.HasSuffix(found[0].Summary, "items in "+test.list) || !strings.Contains(found[0].Detail, "grow "+test.growth) {
				t.Fatalf("found %+v", found)
			}
			var n int
			if _, err := fmt.Sscanf(found[0].Summary, "validation 1 exceeds the cost limit from %d items", &n); err != nil {
				t.Fatalf("%s: %v", found[0].Summary, err)
			}
			t.Logf("%s. %s", found[0].Summary, found[0].Detail)
			checkLimit(t, s, test.list, n)
		})
	}
}

// checkLimit evaluates the request as a user would who has that many items.
func checkLimit(t *testing.T, s scenario.Scenario, list string, n int) {
	t.Helper()
	for _, items := range []int{n - 1, n} {
		s.Request = podWith(list, items)
		r, err := engine.Evaluate(engine.WithoutExplanations(context.Background()), s)
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
	var containers, labels []string
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
	}
	if list == "object.metadata.labels" {
		return strings.Replace(pod, "app: web", strings.Join(labels, ", "), 1)
	}
	return pod[:strings.Index(pod, "spec:")] + "spec: {containers: [" + strings.Join(containers, ", ") + "]}\n"
}
