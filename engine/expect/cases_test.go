package expect_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
)

const casesPolicies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.data.size != 'large'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit, validationActions: [Deny]}
`

const casesRequest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {size: small, other: x}\n"

// TestCases runs a table whose cases give the request in each way.
func TestCases(t *testing.T) {
	table, err := expect.ParseCases([]byte(`
- {name: as it is, expected: {outcome: {allowed: true}}}
- {name: large, set: {/data/size: large}, expected: {outcome: {allowed: false}}}
- {name: without, remove: [/data/size], expected: {outcome: {allowed: false}}}
- name: another
  request: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default}, data: {size: large}}
  expected:
    outcome: {allowed: true}
    steps: [{policy: limit, validations: [{cost: {atMost: 1}}]}]
- {name: new, set: {/data/size: large}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"another": 2}
	for _, c := range table.List {
		request, err := c.Request(casesRequest)
		if err != nil {
			t.Fatal(err)
		}
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: casesPolicies, Request: request}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Expected != nil {
			differences, err := expect.Compare(c.Expected, r)
			if err != nil || len(differences) != want[c.Name] {
				t.Errorf("%s: %v, %v", c.Name, differences, err)
			}
			for _, d := range differences {
				if d.Line != 8 && d.Line != 9 {
					t.Errorf("%s: line %d", c.Name, d.Line)
				}
			}
		}
		changed, err := c.Update(r)
		if err != nil || changed != (c.Name == "another" || c.Name == "new") {
			t.Errorf("%s: changed %v, %v", c.Name, changed, err)
		}
	}
	text, err := table.YAML()
	if err != nil || !strings.Contains(string(text), "cost: {atMost: 4}") || !strings.Contains(string(text), "verdict: deny") {
		t.Errorf("%v, the table is now\n%s", err, text)
	}
	if _, err := expect.ParseCases(text); err != nil {
		t.Error(err)
	}
}

// TestWrongCases checks that what is wrong has a line and a sentence.
func TestWrongCases(t *testing.T) {
	for text, want := range map[string]string{
		"":        "it has no cases",
		"name: x": "cases.yaml:1: it must be a list",
		"- {expected: {outcome: {allowed: true}}}":                              "cases.yaml:1: the case has no name",
		"- {name: a, nme: b}":                                                   "cases.yaml:1: cases have no field nme",
		"- {name: a}\n- {name: a}":                                              `cases.yaml:2: there are two cases "a"`,
		"- {name: a, expected: {}}":                                             "the case expects nothing",
		"- name: a\n  expected: {outcom: {}}":                                   "cases.yaml:2: reports have no field outcom",
		"- name: a\n  expected: {steps: [{validations: [{cost: {atMst: 1}}]}]}": "must be a single value, or a bound such as {atMost: 100}",
		"- {name: a, file: b.yaml, set: {/a: 1}}":                               "only one of",
		"- {name: a, remove: x}":                                                "a list of JSON Pointers",
	} {
		if _, err := expect.ParseCases([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"- {name: a, remove: [/data/nothing]}":   "has nothing at /data/nothing",
		"- {name: a, set: {/kind/x: 1}}":         "has no place for /kind/x",
		"- {name: a, set: {/metadata/name: b2}}": "",
	} {
		table, err := expect.ParseCases([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		request, err := table.List[0].Request(casesRequest)
		if want == "" {
			if err != nil || !strings.Contains(request, "name: b2") {
				t.Errorf("%s: %v", request, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v", text, err)
		}
	}
	table, _ := expect.ParseCases([]byte("- {name: a, set: {/x: 1}}"))
	if _, err := table.List[0].Request(""); err == nil {
		t.Error("a change of no request is made")
	}
}
