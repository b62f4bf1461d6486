package growth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

type object = map[string]any

// repeated is a list of n items, each made by its number.
func repeated(n int, item func(i int) any) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = item(i)
	}
	return out
}

func entries(n int) object {
	out := object{}
	for i := range n {
		out[map[bool]string{true: "key", false: fmt.Sprintf("key-%d", i)}[i == 0]] = "value"
	}
	return out
}

func named(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i)
}

func container(i int) any { return object{"name": named("web", i), "image": "registry/web:1"} }

func podOf(spec object) object {
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "web", "namespace": "default"}, "spec": spec}
}

func text(t *testing.T, documents ...any) string {
	t.Helper()
	var out []string
	for _, d := range documents {
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return strings.Join(out, "\n---\n")
}

// policyFor is a validating policy and its binding; the spec is YAML.
func policyFor(group, resource, spec, bindingSpec string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["%s"], apiVersions: [v1], operations: ["*"], resources: [%s]}]}
  %s
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]%s}
`, group, resource, strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  "), bindingSpec)
}

// variable is an environment variable, named as the search names it.
func variable(i int) any {
	name := []string{"A", "B"}[i%2]
	if i > 1 {
		name = fmt.Sprintf("%s-%d", name, i)
	}
	return object{"name": name}
}

const (
	pairs   = "%[1]s.all(a, %[1]s.exists_one(b, b.name == a.name))"
	triples = "%[1]s.all(a, %[1]s.all(b, %[1]s.exists_one(c, a + b + c == 'x') || true))"
	callErr = "actual cost limit exceeded"
)

func validation(format, list string) string {
	return fmt.Sprintf("validations: [{expression: \""+format+"\"}]", list)
}

// TestConfirmed: a request of the length that is found is rejected for its cost, and
// one that is shorter by one is not.
func TestConfirmed(t *testing.T) {
	// Checks of the authorizer cost much and take no time.
	const checks = "(authorizer.path('/a').check('get').allowed() || authorizer.path('/b').check('get').allowed() || true)"
	three, fourteen := "", ""
	for i := range 14 {
		if i < 3 {
			three += fmt.Sprintf("- {name: c%d, expression: \"%s && %d == %d\"}\n", i, checks, i, i)
		}
		fourteen += fmt.Sprintf("- expression: \"%s && %d == %d\"\n", checks, i, i)
	}
	three += fmt.Sprintf("- {name: unique, expression: \""+pairs+"\"}\n", "object.spec.containers")
	fourteen += fmt.Sprintf("- expression: \""+triples+"\"\n", "object.data")
	configMap := func(n int) object {
		return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "c", "namespace": "default"}, "data": entries(n)}
	}
	for i, test := range []struct {
		name, policies string
		// request and cluster make the texts with a length.
		request, cluster func(n int) []any
		now              int
		of, unit, like   string
		budget           report.Scope // the scope; empty for a single call
		want             string       // the server's error
	}{
		{name: "match conditions", now: 1, of: "object.spec.containers", unit: "items", budget: "matchConditions", want: "running out of cost budget",
			policies: policyFor("", "pods", "matchConditions:\n"+three+"validations: [{expression: \"true\"}]", ""),
			request:  func(n int) []any { return []any{podOf(object{"containers": repeated(n, container)})} }},
		{name: "validations together", now: 1, of: "object.data", unit: "entries", budget: "validations", want: "running out of cost budget",
			policies: policyFor("", "configmaps", "validations:\n"+fourteen, ""),
			request:  func(n int) []any { return []any{configMap(n)} }},
		{name: "a variable", now: 1, of: "object.spec.containers", unit: "items", want: `composited variable "v" fails to evaluate: operation cancelled: ` + callErr,
			policies: policyFor("", "pods", fmt.Sprintf("variables: [{name: v, expression: \""+pairs+"\"}]\nvalidations: [{expression: variables.v}]", "object.spec.containers"), ""),
			request:  func(n int) []any { return []any{podOf(object{"containers": repeated(n, container)})} }},
		{name: "params", now: 1, of: "params.data", unit: "entries", want: callErr,
			policies: policyFor("", "pods", "paramKind: {apiVersion: v1, kind: ConfigMap}\n"+validation(triples, "params.data"), ", paramRef: {name: c, namespace: default, parameterNotFoundAction: Deny}"),
			request:  func(int) []any { return []any{podOf(object{"containers": repeated(1, container)})} },
			cluster:  func(n int) []any { return []any{configMap(n)} }},
		{name: "loops over what items hold", now: 2, of: "object.spec.containers[].env", unit: "items", want: callErr,
			policies: policyFor("", "pods", validation("%[1]s.all(a, a.env.all(e, %[1]s.all(b, b.env.exists_one(f, f.name == e.name) || true)))", "object.spec.containers"), ""),
			request: func(n int) []any {
				return []any{podOf(object{"containers": repeated(2, func(i int) any {
					return object{"name": named("web", i), "image": "i", "env": repeated(n, variable)}
				})})}
			}},
		{name: "one item holds many", now: 2, of: "object.spec.containers[].env", unit: "items", want: callErr,
			policies: policyFor("", "pods", validation("%[1]s.all(a, a.env.all(e, a.env.exists_one(f, f.name == e.name)))", "object.spec.containers"), ""),
			request: func(n int) []any {
				return []any{podOf(object{"containers": []any{object{"name": "web", "image": "i", "env": repeated(n, variable)}}})}
			}},
		{name: "a list inside of the first item", now: 1, of: "object.spec.containers[].args", unit: "items", want: callErr,
			policies: policyFor("", "pods", validation(triples, "object.spec.containers[0].args"), ""),
			request: func(n int) []any {
				return []any{podOf(object{"containers": []any{object{"name": "web", "image": "i", "args": repeated(n, func(i int) any { return named("a", i) })}}})}
			}},
		{name: "the first item ends the loop", now: 2, of: "object.spec.containers", unit: "items", like: "object.spec.containers[1]", want: callErr,
			policies: policyFor("", "pods", validation("%[1]s.all(a, %[1]s.exists_one(b, b.name == a.name) && a.image != 'bad')", "object.spec.containers"), ""),
			request: func(n int) []any {
				return []any{podOf(object{"containers": repeated(n, func(i int) any {
					if n == 2 {
						return object{"name": named("web", i), "image": []string{"bad", "good"}[i]}
					}
					return object{"name": named("web", i), "image": "good"}
				})})}
			}},
		{name: "a text", now: 3, of: "object.data.text", unit: "characters", want: callErr,
			policies: policyFor("", "configmaps", validation("object.data.text.matches('"+strings.Repeat("(a|b|c)", 20)+"%s') || true", "x"), ""),
			request: func(n int) []any {
				return []any{object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "c", "namespace": "default"}, "data": object{"text": strings.Repeat("abc", n/3) + "abc"[:n%3]}}}
			}},
		{name: "an update", now: 2, of: "object.spec.containers oldObject.spec.containers", unit: "items", want: callErr,
			policies: policyFor("", "pods", validation("object.spec.containers.all(a, oldObject.spec.containers.exists_one(b, b.name == a.name)%s)", ""), ""),
			request: func(n int) []any {
				p := podOf(object{"containers": repeated(n, container)})
				return []any{object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": object{"uid": "1", "operation": "UPDATE", "name": "web", "namespace": "default",
					"kind": object{"group": "", "version": "v1", "kind": "Pod"}, "resource": object{"group": "", "version": "v1", "resource": "pods"}, "object": p, "oldObject": p}}}
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			skipMost(t, i, 3)
			with := func(n int) scenario.Scenario {
				s := scenario.Scenario{Kubernetes: "1.37", Policies: test.policies, Request: text(t, test.request(n)...)}
				if test.cluster != nil {
					s.Cluster = text(t, test.cluster(n)...)
				}
				return s
			}
			g := growth(t, search(t, with(test.now)), test.budget)
			t.Logf("%+v", g)
			if strings.Join(g.Of, " ") != test.of || g.Unit != test.unit || g.Now != test.now || !g.Confirmed || g.Like != test.like {
				t.Fatalf("found %+v", g)
			}
			if !evaluatesFound(i) {
				return
			}
			for _, n := range []int{g.From - 1, g.From} {
				r, err := engine.Evaluate(context.Background(), with(n), engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if broken := strings.Contains(r.Outcome.Message, test.want); broken != (n == g.From) {
					t.Errorf("with %d the answer is %q", n, r.Outcome.Message)
				}
			}
		})
	}
}

// growth is what was found first: for a budget, or for any single call.
func growth(t *testing.T, r *report.Report, budget report.Scope) report.Growth {
	t.Helper()
	var found []report.Growth
	if budget != "" {
		i := slices.IndexFunc(r.Budgets, func(b report.Budget) bool { return b.Scope == budget })
		found = r.Budgets[i].Outlook.Growth
	} else {
		for i := range r.Steps {
			r.Steps[i].Evaluations(func(e *report.Evaluation) {
				if e.Outlook != nil {
					found = append(found, e.Outlook.Growth...)
				}
			})
		}
	}
	if len(found) == 0 {
		t.Fatalf("nothing was found: %+v %+v", r.Steps, r.Budgets)
	}
	return found[0]
}

// crd is a custom resource with a list; the schema of the list is YAML.
const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {parts: {type: array, %s items: {type: string, maxLength: 20}}}}}}}
`

// TestCannot: the limits of a schema prove that a limit cannot be broken, but
// only where the server has checked them.
func TestCannot(t *testing.T) {
	const expression = "object.spec.parts.all(a, object.spec.parts.exists_one(b, a == b))"
	mutating := strings.NewReplacer("Validating", "Mutating", ", validationActions: [Deny]", "", "validations: [{", "reinvocationPolicy: Never\n  mutations: [{patchType: JSONPatch, jsonPatch: {", `"}]`, `? [JSONPatch{op: 'add', path: '/a', value: 'b'}] : []"}}]`)
	validating := policyFor("example.com", "widgets", "validations: [{expression: \""+expression+"\"}]", "")
	for i, test := range []struct {
		name, policies, list string
		cannot               bool
	}{
		{"a short list", validating, "maxItems: 40,", true},
		{"a longer list", validating, "maxItems: 4000,", false},
		{"a list without limit", validating, "", false},
		{"before the schema is checked", mutating.Replace(validating), "maxItems: 40,", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			skipMost(t, i, 3)
			s := scenario.Scenario{Kubernetes: "1.37", Policies: test.policies, Cluster: fmt.Sprintf(crd, test.list),
				Request: "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default}, spec: {parts: [a, b]}}"}
			r := search(t, s)
			var e *report.Evaluation
			for i := range r.Steps {
				r.Steps[i].Evaluations(func(found *report.Evaluation) { e = found })
			}
			if e == nil || e.Outlook == nil {
				t.Fatalf("nothing was evaluated: %+v %+v", r.Diagnostics, r.Install)
			}
			t.Log(e.Outlook.Sentence())
			if e.Outlook.Cannot != test.cannot || (len(e.Outlook.Growth) == 0) != test.cannot {
				t.Errorf("found %+v", e.Outlook)
			}
		})
	}
}

// TestSteps: a search that is stopped again and again finds the same.
func TestSteps(t *testing.T) {
	s := scenario.Scenario{Kubernetes: "1.37", Policies: fmt.Sprintf(policy, "object.spec.containers.all(a, object.spec.containers.all(b, object.spec.containers.all(c, a.name + b.name + c.name != 'x')))"), Request: pod}
	whole := search(t, s)
	recorded, err := engine.EvaluateRecorded(context.Background(), s, engine.Options{Safety: true})
	if err != nil {
		t.Fatal(err)
	}
	steps, search := 1, New(recorded, enough)
	for asked := 0; !search.Step(func() bool { asked++; return asked%100 == 0 }); steps++ {
	}
	a, b := growth(t, whole, ""), growth(t, recorded.Report, "")
	if steps < 50 || a.From != b.From {
		t.Errorf("%d steps, %+v instead of %+v", steps, b, a)
	}
	// One that is given up has ended, with what it knows.
	recorded, err = engine.EvaluateRecorded(context.Background(), s, engine.Options{Safety: true})
	if err != nil {
		t.Fatal(err)
	}
	given := New(recorded, enough)
	given.Step(func() bool { return true })
	given.Stop()
	if !given.Step(never) {
		t.Error("the search goes on after it was stopped")
	}
}
