package webhooks

import (
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/generate"
)

var (
	scenarios = flag.Int("scenarios", differential.Webhooks, "how many scenarios to compare")
	first     = flag.Int("first", 0, "number of the first scenario")
	seed      = flag.Uint64("seed", 1, "seed of the generator")
	version   = flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	update    = flag.Bool("update", false, "write the tables of docs/fidelity.md and conformance/compared.md")
)

// TestWebhooks is TestDifferential for scenarios with webhooks.
func TestWebhooks(t *testing.T) {
	reference, err := differential.Build(t.Context(), "../reference", "../build", *version)
	if err != nil {
		t.Fatal(err)
	}
	// More than there are processors: some webhooks answer too late.
	result, err := Test(generate.Source{Minor: reference.Minor, Seed: *seed}, *first, *scenarios).Run(t.Context(), reference, 2*runtime.NumCPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range result.Describe(20, fmt.Sprintf("go run ./cmd/generate -kubernetes %s -webhooks -seed %d", *version, *seed)) {
		t.Error(text)
	}
	t.Log("\n" + result.Table())
	checkReach(t, result)
	if !*update {
		return
	}
	if err := result.WriteRow(filepath.FromSlash("../../docs/fidelity.md"), reference, "webhooks"); err != nil {
		t.Fatal(err)
	}
	if reference.Minor == differential.Recorded {
		if err := differential.WriteBetween(filepath.FromSlash("../compared.md"), beginMark, endMark, result.Table()); err != nil {
			t.Fatal(err)
		}
	}
}

// conformance/compared.md has the table between these lines.
const (
	beginMark = "<!-- begin: written by the test of webhooks -->"
	endMark   = "<!-- end: written by the test of webhooks -->"
)

// checkReach fails when the generator no longer reaches what it is there for.
func checkReach(t *testing.T, r *differential.Result) {
	t.Helper()
	if r.Scenarios < 1000 {
		return
	}
	for _, what := range []string{
		"outcome: allowed, mutated", "outcome: denied, 400 ", "outcome: denied, 403 Forbidden", "outcome: denied, 404 NotFound", "outcome: denied, 500 InternalError",
		"warnings", "audit annotations", "calls of webhooks", "calls with another version than the request's", "reviews of webhooks",
		"calls made again", "rejections by several validating webhooks", "webhooks: notMatched", "webhooks: excluded", "webhooks: skipped", "webhooks: errored", "webhooks: notCalled",
		"requests: CONNECT pods/exec", "requests: UPDATE deployments/scale", "requests: UPDATE gadgets/scale", "requests: CREATE Event",
	} {
		if r.Counts[what] == 0 {
			t.Errorf("not one scenario has: %s", what)
		}
	}
}

// TestDeterministic: a difference must be reproducible from its seed and number.
func TestDeterministic(t *testing.T) {
	for number := range 40 {
		source := generate.Source{Minor: 36, Seed: 1}
		if a, b := source.Webhooks(number), source.Webhooks(number); !reflect.DeepEqual(a, b) {
			t.Fatalf("scenario %d differs from run to run", number)
		}
	}
}
