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
		s, err := Run(context.Background(), scenario.Scenario{Policies: sizes}, records, Options{By: []string{"namespace", "operation"}, Partial: partial, Samples: 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	written := func(s *Summary) string {
		raw, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	whole := run(shard(1, 0), false)
	if whole.Denied == 0 || whole.Warned == 0 || whole.Unreadable != 1 || len(whole.Groups) != 3 || len(whole.Samples) < 6 || strings.Contains(written(whole), "counts") {
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
		for seed := range uint64(3) {
			if got := written(tree(t, rand.New(rand.NewPCG(seed, 1)), parts)); got != want {
				t.Errorf("%d shards, merged in pairs by seed %d, give\n%s\nwant\n%s", of, seed, got, want)
			}
		}
	}
	other, err := Run(context.Background(), scenario.Scenario{Policies: sizes, Kubernetes: "1.31"}, shard(1, 0), Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	part := run(shard(1, 0), true)
	for problem, parts := range map[string][]*Summary{"not a partial summary": {whole}, "different policies": {part, other}, "nothing to merge": {}} {
		if _, err := Merge(parts...); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("got %v, want %s", err, problem)
		}
	}
	if _, err := Run(context.Background(), scenario.Scenario{Policies: sizes}, shard(1, 0), Options{By: []string{"colour"}}); err == nil {
		t.Error("requests are counted by colour")
	}
}

// tree merges two of the parts at a time, any two, and every sum is written and read
// again, until all are one.
func tree(t *testing.T, r *rand.Rand, parts []*Summary) *Summary {
	t.Helper()
	parts = slices.Clone(parts)
	for len(parts) > 1 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		sum, err := MergePartial(parts[0], parts[1])
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(sum)
		if err != nil {
			t.Fatal(err)
		}
		var read Summary
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatal(err)
		}
		parts = append(parts[2:], &read)
	}
	merged, err := Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

// TestMergeLaws adds up made-up parts that overflow every table: the sum of a and b is
// that of b and a, and it does not matter which two of three are added first.
func TestMergeLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	part := func() *Summary {
		s := &Summary{Partial: true, By: []string{"namespace"}, SamplesOf: 4}
		p := s.samePolicy(&Policy{Kind: "ValidatingAdmissionPolicy", Policy: "p", Binding: "b"})
		for range 2 * maxTally {
			s.addDenial(Denial{Message: fmt.Sprint("m", r.IntN(5*maxTally)), Count: 1 + r.IntN(5), File: fmt.Sprint(r.IntN(9)), Line: r.IntN(9)})
			p.reason(fmt.Sprint("r", r.IntN(5*maxTally)), 1+r.IntN(5))
		}
		for range maxGroups {
			s.addGroup(Group{Keys: []string{fmt.Sprint("n", r.IntN(2*maxGroups))}, Replayed: 1 + r.IntN(5)})
		}
		for range 2 * maxBad {
			s.bad(Record{File: fmt.Sprint(r.IntN(9)), Line: r.IntN(99)}, "no")
			s.missing(fmt.Errorf("part %d", r.IntN(999)))
			s.samplesOf(&Samples{What: "denied"}).add(4, Sample{Request: fmt.Sprint(r.IntN(999)), Line: r.IntN(9)})
		}
		p.share(Share{Scope: "call", Used: int64(r.IntN(3)), Limit: 100})
		p.sameExpression("x", "validation", "spec.validations[0].expression").error(fmt.Sprint("e", r.IntN(99)))
		s.finish()
		return s
	}
	sum := func(parts ...*Summary) *Summary {
		s, err := MergePartial(parts...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b, c := part(), part(), part()
	want := sum(a, b, c)
	if len(want.Denials) != maxTally || len(want.Policies[0].Reasons) != maxTally || len(want.Groups) != maxGroups+1 || len(want.Bad) != maxBad || len(want.MissingParts) != maxBad || len(want.Samples[0].Requests) != 4 {
		t.Fatal("the parts do not overflow the tables")
	}
	counted := 0
	for _, g := range want.Groups {
		counted += g.Replayed
	}
	for _, p := range []*Summary{a, b, c} {
		for _, g := range p.Groups {
			counted -= g.Replayed
		}
	}
	if counted != 0 {
		t.Errorf("%d requests of groups were lost", -counted)
	}
	for name, got := range map[string]*Summary{"c+b+a": sum(c, b, a), "(a+b)+c": sum(sum(a, b), c), "a+(b+c)": sum(a, sum(b, c)), "(c+a)+b": sum(sum(c, a), b)} {
		if exported(t, got) != exported(t, want) {
			x, y := exported(t, got), exported(t, want)
			at := 0
			for at < min(len(x), len(y)) && x[at] == y[at] {
				at++
			}
			t.Errorf("%s differs from a+b+c: %.200s, not %.200s", name, x[max(0, at-60):], y[max(0, at-60):])
		}
	}
}

// exported is a summary as it is written.
func exported(t *testing.T, s *Summary) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
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
