package engine_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/scripts/hostile/scenarios"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// TestHostileKinds evaluates every kind of hostile scenario, small: each gives a
// report, and none is a mistake of ours. scripts/hostile measures them large.
func TestHostileKinds(t *testing.T) {
	kinds := scenarios.All()
	if len(kinds) < 200 {
		t.Fatalf("there are only %d kinds", len(kinds))
	}
	seen := map[string]bool{}
	for i, k := range kinds {
		if seen[k.Name] || k.Unit == "" {
			t.Errorf("%s is there twice, or says not what it counts", k.Name)
		}
		seen[k.Name] = true
		if !variants.Full() && i%5 != 0 {
			continue
		}
		s := k.Make(k.Small())
		if len(s.Kubernetes) > 0 {
			continue // no version that there is
		}
		o := engine.Everything()
		o.Limits = engine.Limits{Work: 3_000_000, Bytes: 32 << 20}
		r, err := engine.Evaluate(context.Background(), s, o)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: the report cannot be written: %v", k.Name, err)
		}
		if r.Outcome.State == "" {
			t.Errorf("%s: there is no state", k.Name)
		}
		for _, d := range r.Diagnostics {
			if d.Code == codes.Internal {
				t.Errorf("%s: %s", k.Name, d.Summary)
			}
		}
	}
}

// TestHostileKindsEnd evaluates some that would take minutes, or all memory, at their
// full size: they end, undecided, and say where and why.
func TestHostileKindsEnd(t *testing.T) {
	for _, k := range scenarios.All() {
		want := map[string]string{
			"cel-quantity-exponent":     "at validating policy p: arithmetic with a quantity of more than 100000 digits; the API server computes them all, and does not answer for minutes",
			"cel-replace-cubed":         "at validating policy p: a call of replace would create a text of more than 16 MiB; the API server creates it, and may run out of memory",
			"crd-defaults":              "at the request's defaults: more than 128 MiB would be needed",
			"yaml-alias-bytes-policies": "",
		}
		text, ok := want[k.Name]
		if !ok {
			continue
		}
		r, err := engine.Evaluate(context.Background(), k.Make(k.Full), engine.Everything())
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if text == "" {
			if len(r.Diagnostics) == 0 || r.Diagnostics[0].Code != codes.TooManyValues {
				t.Errorf("%s: %s", k.Name, r.Diagnostics)
			}
			continue
		}
		if r.Outcome.State != report.StateUndecided || r.Outcome.StateReason != "stopped "+text || r.Outcome.Allowed || r.ExitCode() != report.ExitWrong {
			t.Errorf("%s: %s: %s", k.Name, r.Outcome.State, r.Outcome.StateReason)
		}
	}
}
