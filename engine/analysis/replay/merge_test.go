package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

const sizes = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
  matchConditions: [{name: not-system, expression: "object.metadata.namespace != 'kube-system'"}]
  validations: [{expression: "object.data.all(k, object.data[k] != 'bad')", message: bad}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: sizes, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: sizes, validationActions: [Warn]}
`

// shard is some of 60 ConfigMaps of three namespaces, a Pod and a line that is none.
func shard(of, i int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 62 {
			request := `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}`
			if n > 0 {
				var data []string
				for k := range r.IntN(6) {
					data = append(data, fmt.Sprintf("%q: %q", string(rune('a'+k)), []string{"good", "good", "bad"}[r.IntN(3)]))
				}
				request = fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c%d", "namespace": %q}, "data": {%s}}`, n, []string{"shop", "kube-system", "other"}[r.IntN(3)], strings.Join(data, ", "))
			}
			if n == 61 {
				request = `{"none": true}`
			}
			if n%of == i && !yield(Record{Line: n + 1, Request: request, Defaulting: true}, nil) {
				return
			}
		}
	}
}

// TestMerge checks that shards, written and read again, add up to what the whole gives,
// however they are cut and in whatever order they come.
func TestMerge(t *testing.T) {
	run := func(records iter.Seq2[Record, error], partial bool) *Summary {
		s, err := Run(context.Background(), scenario.Scenario{Policies: sizes}, records, Options{By: []string{"namespace", "operation"}, Partial: partial})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	written := func(s *Summary) string {
		slices.SortFunc(s.Policies, func(a, b *Policy) int { return strings.Compare(a.Kind+a.Binding, b.Kind+b.Binding) })
		for i := range s.Denials {
			s.Denials[i].Line = 0 // of the first in the first shard
		}
		raw, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	whole := run(shard(1, 0), false)
	if whole.Denied == 0 || whole.Warned == 0 || whole.Unreadable != 1 || len(whole.Groups) != 3 || strings.Contains(written(whole), "counts") {
		t.Fatalf("the test tests nothing: %s", written(whole))
	}
	for _, p := range whole.Policies {
		if p.Policy == "sizes" && (p.Binding == "" || p.Budget == nil || p.Cost.P99 < p.Cost.Median || p.Cost.Max < p.Cost.P99) {
			t.Errorf("got %+v", p)
		}
	}
	want := written(whole)
	for _, of := range []int{1, 2, 3, 7} {
		var parts []*Summary
		for i := range of {
			raw, err := json.Marshal(run(shard(of, i), true))
			if err != nil {
				t.Fatal(err)
			}
			var part Summary
			if err := json.Unmarshal(raw, &part); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, &part)
		}
		slices.Reverse(parts)
		merged, err := Merge(parts...)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(merged); got != want {
			t.Errorf("%d shards give\n%s\nwant\n%s", of, got, want)
		}
	}
	other, err := Run(context.Background(), scenario.Scenario{Policies: sizes, Kubernetes: "1.31"}, shard(1, 0), Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	part := run(shard(1, 0), true)
	for problem, parts := range map[string][]*Summary{"no partial summary": {whole}, "other policies": {part, other}, "nothing to merge": {}} {
		if _, err := Merge(parts...); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("got %v, want %s", err, problem)
		}
	}
	if _, err := Run(context.Background(), scenario.Scenario{Policies: sizes}, shard(1, 0), Options{By: []string{"colour"}}); err == nil {
		t.Error("requests are counted by colour")
	}
}

// TestQuantiles compares ranks with those of a sorted list.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 300; n += 1 + n/7 {
		var d Distribution
		var all []int64
		for range n {
			cost := int64(r.IntN(40))
			d.add(cost)
			all = append(all, cost)
		}
		d.finish()
		slices.Sort(all)
		want := [4]int64{all[0], all[(n-1)/2], all[(n*99+99)/100-1], all[n-1]}
		if got := [4]int64{d.Min, d.Median, d.P99, d.Max}; got != want {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
