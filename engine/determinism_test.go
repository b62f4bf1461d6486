package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// mapMakers are ways to make a map of several keys.
var mapMakers = []string{
	"{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5}",
	"{'a': object.n, 'b': 2, 'c': 3, 'd': 4, 'e': 5}",
	"object.metadata.labels",
	"object.metadata.labels.transformMap(k, v, v + 'x')",
	"object.metadata.labels.transformMap(k, v, k != 'a', v + 'x')",
	"object.metadata.labels.transformMapEntry(k, v, {v: k})",
	"{'a': 1, 'b': 2, 'c': 3, 'd': 4}.transformMap(k, v, v * 2)",
	"{3: 'a', 1: 'b', 2: 'c', 5: 'd'}.transformMapEntry(k, v, {v: {v: k, k: v, 'z': v}})",
	"['a', 'b', 'c', 'd', 'e'].transformMap(i, v, v)",
	"[object.metadata.labels.transformMap(k, v, v)][0]",
	"dyn(object.metadata.labels.transformMap(k, v, v))",
	"optional.of({'a': 1, 'b': 2, 'c': 3, 'd': 4}).value()",
}

// mapUses are what an expression may do with a map M that depends on the order of its keys.
var mapUses = []string{
	"M", "M.map(k, k)", "M.map(k, string(k) + '!')", "M.filter(k, true)", "M.transformList(k, v, [k, v])", "M.exists(k, v, false)",
	"M.exists(k, string(k) > 'b')", "M.all(k, string(k) < 'c')", "M.exists(k, M[k] == 'nope' || k == 'd')", "M.map(k, M.map(l, [k, l]))",
	"M.map(k, k)[0]", "string(M.map(k, string(k)))", "'%s'.format([M])", "M.map(k, string(k)).join(',')", "M.transformMap(k, v, [v]).map(k, k)",
	"M.transformMapEntry(k, v, {'same': v})", "M.all(k, M.noSuchField == k)", "[M, M].map(m, m.map(k, k))",
}

// TestSameBytes evaluates expressions several times, each in a new engine: every byte
// of the report is the same.
func TestSameBytes(t *testing.T) {
	times, generated := 3, uint64(30)
	if !variants.Full() {
		times, generated = 2, 5
	}
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, labels: {a: p, b: q, c: r, d: s, e: t, f: u}}\n"
	raw, err := json.Marshal(celgen.Object())
	if err != nil {
		t.Fatal(err)
	}
	var scenarios []scenario.Scenario
	for _, use := range mapUses {
		expressions := ""
		for i, m := range mapMakers {
			expressions += fmt.Sprintf("  - {name: v%d, expression: %q}\n", i, replaceM(use, m))
		}
		used := ""
		for i := range mapMakers {
			used += fmt.Sprintf("  - {expression: %q}\n", fmt.Sprintf("variables.v%d != 'x'", i))
		}
		scenarios = append(scenarios, scenario.Scenario{Policies: loops(expressions, used), Request: object, Now: fuzzNow})
	}
	for seed := range generated {
		g := celgen.New(seed + 10_000)
		e := "{'a': 1, 'b': 2, 'c': 3}.transformMap(k, v, " + g.Bool(3) + ").map(k, k).size() > 0 || " + g.Bool(4)
		scenarios = append(scenarios, scenario.Scenario{Expression: e, Request: "{apiVersion: example.com/v1, kind: X, " + string(raw[1:]), Now: fuzzNow})
	}
	for _, s := range scenarios {
		var first []byte
		for range times {
			r, err := New().Evaluate(context.Background(), s, Everything())
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !bytes.Equal(first, got) {
				at := 0
				for at < min(len(first), len(got)) && first[at] == got[at] {
					at++
				}
				t.Errorf("%s%s\ndiffers: %s\nnow:     %s", s.Policies, s.Expression, first[max(0, at-200):min(len(first), at+100)], got[max(0, at-200):min(len(got), at+100)])
				break
			}
		}
	}
}

func replaceM(use, m string) string {
	out := ""
	for i := range len(use) {
		if use[i] == 'M' && (i+1 == len(use) || use[i+1] != 'a') {
			out += "(" + m + ")"
		} else {
			out += use[i : i+1]
		}
	}
	return out
}

// loops is a policy with variables and validations, each a line.
func loops(variables, validations string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}\n  variables:\n" + variables +
		"  validations:\n" + validations +
		"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
}
