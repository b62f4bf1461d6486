package differential

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var (
	scenarios = flag.Int("scenarios", Policies, "how many scenarios to compare")
	first     = flag.Int("first", 0, "number of the first scenario")
	seed      = flag.Uint64("seed", 1, "seed of the generator")
	version   = flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	update    = flag.Bool("update", false, "write the tables of docs/fidelity.md and conformance/compared.md")
)

// fidelityDocument has a row for each version, comparedDocument the counts.
const (
	fidelityDocument = "../../docs/fidelity.md"
	comparedDocument = "../compared.md"
)

// TestDifferential tests the project's promise: the engine responds as the API server's own
// packages do. A difference is a failure, or an explained entry in Exceptions.
func TestDifferential(t *testing.T) {
	reference, err := Build(t.Context(), "../reference", "../build", *version)
	if err != nil {
		t.Fatal(err)
	}
	// More than there are processors: the server's plugins look for their policies every 100 ms, and
	// wait in between.
	result, err := Run(t.Context(), reference, *seed, *first, *scenarios, 8*runtime.NumCPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range result.Describe(20, fmt.Sprintf("go run ./cmd/generate -kubernetes %s -seed %d", *version, *seed)) {
		t.Error(text)
	}
	t.Log("\n" + result.Table())
	checkReach(t, result, reference.Minor)
	if !*update {
		return
	}
	if err := result.WriteRow(filepath.FromSlash(fidelityDocument), reference, "policies"); err != nil {
		t.Fatal(err)
	}
	if reference.Minor == Recorded {
		if err := WriteTable(filepath.FromSlash(comparedDocument), result.Table()); err != nil {
			t.Fatal(err)
		}
	}
}

// checkReach fails if the generator no longer covers what it should: a comparison of nothing would
// pass too.
func checkReach(t *testing.T, r *Result, minor int) {
	t.Helper()
	if r.Scenarios < 1000 {
		return
	}
	reach := []string{
		"outcome: denied, 422 Invalid", "errors of expressions", "warnings", "audit annotations",
		"documents refused at installation", "warnings at installation", "runs: matchConditions", "runs: validations", "runs: messages", "runs: auditAnnotations",
	}
	if r.Scenarios >= 5000 || minor >= 32 { // mutations exceed it more often
		reach = append(reach, "runs that broke their budget")
	}
	if minor >= 32 { // these have MutatingAdmissionPolicies
		reach = append(reach, "outcome: allowed, mutated", "outcome: denied, 403 Invalid", "outcome: denied, 403 Forbidden", "outcome: denied, 500 InternalError", "runs: mutation")
	}
	if minor == Recorded {
		reach = append(reach, "outcome: the server panics")
	}
	for _, what := range reach {
		if r.Counts[what] == 0 {
			t.Errorf("not one scenario has: %s", what)
		}
	}
}

// TestDocument: the document quotes the actual numbers.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile(filepath.FromSlash(fidelityDocument))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), InCI()) {
		t.Errorf("%s lacks the sentence %q", fidelityDocument, InCI())
	}
}

func TestWriteTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fidelity.md")
	before := "# Title\n\n" + beginMark + "\nold\n" + endMark + "\n\nafter\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(path, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Title\n\n" + beginMark + "\n\nnew\n\n" + endMark + "\n\nafter\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.WriteFile(path, []byte("no marks"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(path, "new"); err == nil {
		t.Error("a document without marks was accepted")
	}
}

func TestWriteRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fidelity.md")
	const head = "| Kubernetes | policies | webhooks | custom resources | built-in plugins |\n|---|---:|---:|---:|---:|\n"
	before := "before\n" + beginVersions + "\n\n" + head + "| 1.30.1 | 1 of 1 | none | none | 4 of 4 |\n| 1.33.1 | 1 of 1 | none | none | none |\n\n" + endVersions + "\nafter\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		minor int
		what  string
	}{{33, "policies"}, {33, "webhooks"}, {31, "policies"}} {
		result := &Result{Scenarios: 5, Failures: make([]Failure, 1), Excepted: map[string]int{"known": 2}}
		if err := result.WriteRow(path, &Reference{Minor: r.minor, Release: fmt.Sprintf("1.%d.9", r.minor)}, r.what); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + beginVersions + "\n\n" + head + "| 1.30.1 | 1 of 1 | none | none | 4 of 4 |\n" +
		"| 1.31.9 | 2 of 5 (2 known) | none | none | none |\n" +
		"| 1.33.9 | 2 of 5 (2 known) | 2 of 5 (2 known) | none | none |\n\n" + endVersions + "\nafter\n"
	if string(data) != want {
		t.Errorf("got %s\nwant %s", data, want)
	}
}

func TestSameText(t *testing.T) {
	const prefix = "policy 'm' with binding 'b' denied request: error applying patch: failed to convert original object to typed object: "
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"x", "x", true},
		{"x", "y", false},
		{`no kind "K" in scheme "a.go:1"`, `no kind "K" in scheme "b.go:2"`, true},
		{`no kind "K" in scheme "a.go:1"`, `no kind "L" in scheme "a.go:1"`, false},
		{prefix + "errors:\n  .a: x\n  .b: y", prefix + "errors:\n  .b: y\n  .a: x", true},
		{prefix + "errors:\n  .a: x\n  .b: y", prefix + "errors:\n  .a: x\n  .c: y", false},
		{prefix + ".n: field not declared in schema", prefix + "errors:\n  .n: field not declared in schema\n  .b: y", true},
		{prefix + ".b: y", prefix + "errors:\n  .a: x\n  .b: y", false},
		{"one " + prefix + ".a: x", "two " + prefix + ".a: x", false},
	} {
		if got := sameText(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %t", test.a, test.b, got)
		}
	}
}
