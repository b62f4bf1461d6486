package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/scenario"
)

// measured evaluates a scenario and returns what that took.
func (e *Engine) measured(t *testing.T, s scenario.Scenario) (work int64, compiled int) {
	t.Helper()
	ctx := context.Background()
	b := compile.Budget(ctx, Limits{Work: -1, Bytes: -1})
	c, err := e.store.Compile(b, s)
	if err != nil {
		t.Fatal(err)
	}
	run := evaluate.Begin(ctx, c, Everything(), eval.Options{Trace: true, Budget: b})
	run.Scenario = s
	r, _, err := answer.Of(ctx, run, false)
	if err != nil || r.Request == nil || len(r.Install) > 0 {
		t.Fatalf("%v, %v, %+v", err, r.Diagnostics, r.Install)
	}
	return b.Used(), b.Compiled()
}

// ways is how often one expression is compiled: as the server does when the policy is
// created and when it runs, for the server's warnings about types, and with and
// without types for ours.
const ways = 5

// many is n policies, each with a binding, on Pods.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAME}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  variables:
  - {name: labels, expression: "has(object.metadata.labels) ? object.metadata.labels : {}"}
  validations:
  - expression: "'NAME' in variables.labels"
  - expression: "object.spec.containers.all(c, c.image != 'NAME')"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME, validationActions: [Warn]}
---`, "NAME", fmt.Sprintf("p%03d", i)))
	}
	return b.String()
}

// TestOnlyWhatChangedIsCompiled edits one expression of many, as a key does.
func TestOnlyWhatChangedIsCompiled(t *testing.T) {
	s := scenario.Scenario{Policies: many(20), Request: smallPod, Now: "2026-01-01T00:00:00Z"}
	e := New()
	if _, first := e.measured(t, s); first < 60 {
		t.Fatalf("60 expressions, %d compiled", first)
	}
	if _, again := e.measured(t, s); again != 0 {
		t.Errorf("nothing was changed, %d expressions compiled", again)
	}
	request := s
	request.Request += "\n"
	if _, n := e.measured(t, request); n != 0 {
		t.Errorf("the request was changed, %d expressions compiled", n)
	}
	s.Policies = strings.Replace(s.Policies, "'p007' in", "'p070' in", 1)
	if _, n := e.measured(t, s); n < 1 || n > ways {
		t.Errorf("one expression was changed, %d compiled", n)
	}
	// A variable is part of what the expressions beside it depend on, if its type is
	// another than before.
	s.Policies = strings.Replace(s.Policies, "has(object.metadata.labels) ? object.metadata.labels : {}", "size(object.metadata.labels) > 0 ? object.metadata.labels : {}", 1)
	if _, n := e.measured(t, s); n < 1 || n > ways+1 {
		t.Errorf("one variable was changed, %d expressions compiled", n)
	}
}

// TestGrowthIsLinear evaluates scenarios that are four times as large in one respect:
// what an evaluation counts as work, and what it allocates, may grow so much and little
// more.
func TestGrowthIsLinear(t *testing.T) {
	const small, times = 10, 4
	list := func(n int, item string) string { return strings.Repeat(item, n) }
	numbered := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(item, "NUMBER", fmt.Sprintf("%03d", i)))
		}
		return b.String()
	}
	binding := `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: more-NUMBER}
spec: {policyName: p000, validationActions: [Warn]}
---`
	params := strings.NewReplacer("spec:\n  matchConstraints", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints",
		"validationActions: [Warn]", "paramRef: {selector: {}, parameterNotFoundAction: Deny}, validationActions: [Warn]").Replace(many(1))
	rule := `
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}`
	for name, of := range map[string]func(n int) scenario.Scenario{
		"policies": func(n int) scenario.Scenario { return scenario.Scenario{Policies: many(n), Request: smallPod} },
		"bindings": func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: many(1) + numbered(n, binding), Request: smallPod}
		},
		"params": func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: params, Request: smallPod, Cluster: numbered(n, "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c-NUMBER, namespace: b}\n---")}
		},
		"rules": func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: strings.Replace(many(1), "resourceRules:", "resourceRules:"+list(n, rule), 1), Request: smallPod}
		},
		"object": func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: many(1), Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:" +
				numbered(n, "\n  - {name: c-NUMBER, image: nginx, env: [{name: A, value: b}]}")}
		},
		"properties": func(n int) scenario.Scenario { // of a definition, which a rule reads all
			return scenario.Scenario{Cluster: "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shops.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n" +
				"  names: {plural: shops, kind: Shop}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n" +
				"            x-kubernetes-validations: [{rule: \"true" + numbered(n, " && self.pNUMBER == 0") + "\"}]\n            properties:" + numbered(n, "\n              pNUMBER: {type: integer}") + "\n",
				Request: "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: x, namespace: b}\nspec:" + numbered(n, "\n  pNUMBER: 0")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(n int) (work, allocations float64) {
				s := of(n)
				s.Now = "2026-01-01T00:00:00Z"
				e := New()
				e.measured(t, s) // environments and tables are made once
				s.Policies += "\n"
				s.Cluster += "\n"
				s.Request += "\n"
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				used, _ := e.measured(t, s)
				runtime.ReadMemStats(&after)
				return float64(used), float64(after.Mallocs - before.Mallocs)
			}
			work, allocations := measure(small)
			moreWork, moreAllocations := measure(small * times)
			t.Logf("%.0f and %.0f units of work, %.0f and %.0f allocations", work, moreWork, allocations, moreAllocations)
			const tolerated = 1.15
			if moreWork < work*1.2 {
				t.Errorf("nothing grows: %.0f and %.0f units of work", work, moreWork)
			}
			if moreWork > work*times*tolerated {
				t.Errorf("%d: %.0f units of work, %d: %.0f", small, work, small*times, moreWork)
			}
			if moreAllocations > allocations*times*tolerated {
				t.Errorf("%d: %.0f allocations, %d: %.0f", small, allocations, small*times, moreAllocations)
			}
		})
	}
}
