package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const keptAway = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {env: prod}, matchExpressions: [{key: zone, operator: Exists}]}
    objectSelector: {matchExpressions: [{key: checked, operator: Exists}]}
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [UPDATE], resources: [configmaps], resourceNames: [other]}
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
    excludeResourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}
    - {apiGroups: [''], apiVersions: ['*'], operations: ['*'], resources: [configmaps]}
  matchConditions:
  - {name: first, expression: "has(object.data)"}
  - {name: second, expression: "object.metadata.name != 'c'"}
  validations: [{expression: "object.metadata.name != ''"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: a, validationActions: [Deny], matchResources: {objectSelector: {matchLabels: {b: c}}, resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [configmaps]}]}}
`

// TestAllReasons repairs, in any order, a policy that does not match for many reasons. Each repair removes its own
// reason and no other. After the last one the policy is evaluated.
func TestAllReasons(t *testing.T) {
	repairs := []struct{ reason, from, to string }{
		{"namespaceSelector wants env=prod", "{env: prod}", "{}"},
		{"namespaceSelector wants a label zone", "[{key: zone, operator: Exists}]", "[]"},
		{"objectSelector wants a label checked", "objectSelector: {matchExpressions: [{key: checked, operator: Exists}]}", "objectSelector: {}"},
		{"resourceRules[0] wants operations UPDATE", "[UPDATE]", "[CREATE]"},
		{"resourceRules[0] wants resourceNames other", ", resourceNames: [other]", ""},
		{"excludeResourceRules[0] excludes v1 configmaps", "operations: ['*'], resources: [configmaps]}\n    - ", "operations: ['*'], resources: [secrets]}\n    - "},
		{"excludeResourceRules[1] excludes v1 configmaps", "apiVersions: ['*'], operations: ['*'], resources: [configmaps]}", "apiVersions: ['*'], operations: ['*'], resources: [secrets]}"},
		{"binding a: objectSelector wants b=c", "{objectSelector: {matchLabels: {b: c}}, ", "{"},
		{"binding a: no rule matches: resourceRules[0] wants operations DELETE", "[DELETE]", "['*']"},
		{`match condition "first" is false`, "has(object.data)", "true"},
		{`match condition "second" is false`, "object.metadata.name != 'c'", "object.metadata.name == 'c'"},
	}
	reasons := func(policies string) (status report.Status, all []string) {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policies, Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n"}, engine.Options{Explain: true})
		if err != nil || len(r.Steps) != 1 {
			t.Fatal(err, r.Diagnostics)
		}
		s := r.Steps[0]
		for _, m := range []*report.Match{s.Match, s.BindingMatch} {
			if m != nil && !m.Matched {
				for _, reason := range append([]string{m.Reason}, m.Also...) {
					all = append(all, reason)
					if m == s.BindingMatch && !strings.HasPrefix(reason, "match condition") {
						all = append(all, "binding a: "+reason)
					}
				}
			}
		}
		for _, e := range s.Conditions {
			if e.Result == false {
				all = append(all, `match condition "`+e.Name+`" is false`)
			}
		}
		return s.Status, all
	}
	for first := range repairs {
		policies := keptAway
		for i := range repairs {
			done := repairs[(first+i)%len(repairs)]
			_, before := reasons(policies)
			for j, repair := range repairs {
				is := slices.ContainsFunc(before, func(reason string) bool { return strings.Contains("; "+reason, repair.reason) })
				if repaired := (j-first+len(repairs))%len(repairs) < i; is == repaired {
					t.Fatalf("after %d repairs from %d on, %q is %v in %q", i, first, repair.reason, is, before)
				}
			}
			if strings.Count(policies, done.from) != 1 {
				t.Fatalf("%q is not once in %s", done.from, policies)
			}
			policies = strings.Replace(policies, done.from, done.to, 1)
		}
		if status, left := reasons(policies); status != report.Evaluated {
			t.Fatalf("%s: %q", status, left)
		}
	}
}
