package served

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/generate"
)

var (
	scenarios = flag.Int("scenarios", differential.Served, "how many scenarios to compare")
	first     = flag.Int("first", 0, "number of the first scenario")
	seed      = flag.Uint64("seed", 1, "seed of the generator")
	version   = flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	_         = flag.Bool("update", false, "nothing here: the flags of scripts/conformance go to all of its tests")
)

// maxServed bounds a run with many scenarios: each starts a process.
const maxServed = 2000

// TestServed checks that a client gets the same answer from the server's own policy
// plugins and from preadmit serve called as a webhook.
func TestServed(t *testing.T) {
	reference, err := differential.Build(t.Context(), "../reference", "../build", *version)
	if err != nil {
		t.Fatal(err)
	}
	p, err := build(t.Context(), "../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := min(*scenarios, maxServed)
	r, err := Run(t.Context(), p, reference, generate.Source{Minor: reference.Minor, Seed: *seed}, *first, n, runtime.NumCPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range slices.Sorted(maps.Keys(r.Failures)) {
		var b strings.Builder
		for _, d := range r.Failures[number] {
			fmt.Fprintln(&b, d)
		}
		t.Errorf("scenario %d (to see it: go run ./cmd/generate -kubernetes %s -seed %d -first %d -show; reference: the policy in the server, engine: served)\n%s", number, *version, *seed, number, &b)
	}
	for _, what := range slices.Sorted(maps.Keys(r.Counts)) {
		t.Logf("%6d %s", r.Counts[what], what)
	}
	if n < differential.Served {
		return
	}
	if out := r.Counts[LeftOut]; out > n/10 {
		t.Errorf("%d of %d scenarios are left out: the test says little", out, n)
	}
	reach := []string{"allowed", "denied, 422 Invalid", "causes", "warnings", "audit annotations"}
	if reference.Minor >= 32 { // which has MutatingAdmissionPolicies
		reach = append(reach, "allowed, with a patch")
	}
	for _, what := range reach {
		if r.Counts[what] == 0 {
			t.Errorf("not one scenario has: %s", what)
		}
	}
}
