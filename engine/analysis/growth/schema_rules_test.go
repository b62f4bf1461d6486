package growth

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// teams defines Teams, in which no member and no name of a group may occur twice. The
// server takes it, but one call may exceed its limit, and so may all together.
const teams = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: teams.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Team, plural: teams}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: SPEC}}}
`

// deep is a policy whose search takes all the work that a test gives.
const deep = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: deep}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.spec.containers.all(a, object.spec.containers.all(b, object.spec.containers.exists(c, c.name == a.name)))"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: deep}
spec: {policyName: deep, validationActions: [Deny]}
`

// spec is the schema with members of at most so many, and groups.
func spec(members, groups int) string {
	return fmt.Sprintf(`{
  type: object,
  properties: {
    members: {type: array, maxItems: %d, items: {type: string, maxLength: 20}},
    groups: {type: array, maxItems: %d, items: {type: object, properties: {"the-names": {type: array, maxItems: 200, items: {type: string, maxLength: 20}}},
      x-kubernetes-validations: [{rule: "self.the__dash__names.all(m, self.the__dash__names.exists_one(n, n == m))"}]}}},
  x-kubernetes-validations: [{rule: "self.members.all(m, self.members.exists_one(n, n == m))", message: twice}]}`, members, groups)
}

func teamOf(members, groups int, names ...string) object {
	group := func(int) any {
		var list []any
		for _, name := range names {
			list = append(list, name)
		}
		return object{"the-names": list}
	}
	return object{"members": repeated(members, func(i int) any { return named("m", i) }), "groups": repeated(groups, group)}
}

// TestRulesGrow finds the length that breaks the call of a rule, for a custom resource and
// for a schema without a definition, and asks whether that is so.
func TestRulesGrow(t *testing.T) {
	asked := func(members int) scenario.Scenario {
		whole := teamOf(members, 1, "a", "b")
		return scenario.Scenario{Cluster: strings.Replace(teams, "SPEC", strings.ReplaceAll(spec(700, 5), "\n", "\n    "), 1),
			Request: text(t, object{"apiVersion": "example.com/v1", "kind": "Team", "metadata": object{"name": "t"}, "spec": whole})}
	}
	alone := func(members int) scenario.Scenario {
		return scenario.Scenario{ExpressionContext: scenario.RuleContext,
			Expression: "schema: " + strings.ReplaceAll(spec(700, 5), "\n", "\n  ") + "\nself: " + text(t, teamOf(members, 1, "a", "b"))}
	}
	r := search(t, asked(1))
	if !r.Outcome.Allowed {
		t.Fatalf("%+v", r.Outcome)
	}
	a, _ := searched(t, alone(1), 1_000_000) // it is calculated
	if a.Rules == nil || a.Rules.State != report.RulesValid {
		t.Fatalf("%+v %v", a.Rules, a.Diagnostics)
	}
	beside := alone(1)
	beside.Policies, beside.Request = deep, text(t, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "p"}, "spec": object{"containers": []any{object{"name": "a", "image": "b"}}}})
	if b, _ := searched(t, beside, 600_000); b.Rules == nil || !reflect.DeepEqual(a.Rules.Validations, b.Rules.Validations) {
		t.Errorf("beside policies it is\n%+v", b.Rules)
	}
	growth := func(list []report.Validation, of string) report.Growth {
		t.Helper()
		for _, v := range list {
			if v.Outlook != nil && len(v.Outlook.Growth) > 0 && v.Outlook.Growth[0].Of[0] == of {
				return v.Outlook.Growth[0]
			}
		}
		t.Fatalf("nothing grows %s: %+v", of, list)
		return report.Growth{}
	}
	one, other := growth(r.Steps[0].Validations, "spec.members"), growth(a.Rules.Validations, "self.members")
	if !one.Confirmed || one.Now != 1 || other.From < one.From-5 || other.From > one.From+5 {
		t.Fatalf("%+v, %+v", one, other)
	}
	for n, breaks := range map[int]bool{one.From: true, one.From - 1: false} {
		// Members of a search are m, m-1, m-2 and so on, as here.
		r, err := engine.Evaluate(t.Context(), asked(n), engine.Options{})
		if err != nil || r.Outcome.Allowed == breaks || breaks && !strings.Contains(r.Outcome.Message, "call cost exceeds limit") {
			t.Errorf("%d: %v %s", n, err, r.Outcome.Message)
		}
	}
}

// TestRulesTogether finds how many items break the budget of an object: no call of a rule
// breaks its limit, and no rule alone may.
func TestRulesTogether(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, named("n", i))
	}
	const rule = `{rule: "self.the__dash__names.all(m, self.the__dash__names.exists_one(n, n == m))"}`
	schema := strings.ReplaceAll(spec(10, 75), "maxItems: 200", "maxItems: 100")
	schema = strings.Replace(schema, rule, strings.Repeat(rule+", ", 5)+rule, 1)
	asked := func(groups int) scenario.Scenario {
		return scenario.Scenario{Cluster: strings.Replace(teams, "SPEC", strings.ReplaceAll(schema, "\n", "\n    "), 1),
			Request: text(t, object{"apiVersion": "example.com/v1", "kind": "Team", "metadata": object{"name": "t"}, "spec": teamOf(1, groups, names...)})}
	}
	of := func(groups int, work int64) report.Budget {
		r, _ := searched(t, asked(groups), work)
		i := slices.IndexFunc(r.Budgets, func(b report.Budget) bool { return b.Scope == report.RulesScope })
		if i < 0 {
			t.Fatalf("%+v %+v", r.Outcome, r.Install)
		}
		return r.Budgets[i]
	}
	one, two := of(1, 9_000_000), of(2, 0)
	if one.Outlook == nil || len(one.Outlook.Growth) == 0 {
		t.Fatalf("%+v", one.Outlook)
	}
	// Each group costs as much as the one before.
	each := two.Used - one.Used
	want := (one.Limit-one.Used)/each + 2
	if g := one.Outlook.Growth[0]; g.Of[0] != "spec.groups" || int64(g.From) != want {
		t.Errorf("%d groups, %+v", want, g)
	}
}
