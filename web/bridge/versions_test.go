package bridge

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestVersions(t *testing.T) {
	var got report.Versions
	if msg := callWith(t, "versions", example(t, "first-look"), &got); msg != "" {
		t.Fatal(msg)
	}
	if len(got.Rows) != len(scenario.Versions()) {
		t.Fatalf("%d rows, want one for each of %v", len(got.Rows), scenario.Versions())
	}
	// The example has a MutatingAdmissionPolicy in v1.
	if last := got.Rows[len(got.Rows)-1]; len(last.Refused) > 0 {
		t.Errorf("refused on %s: %v", last.Version, last.Refused)
	}
	if first := got.Rows[0]; len(first.Refused) == 0 {
		t.Errorf("nothing is refused on %s", first.Version)
	}
}

// TestPageVersions: the page, which opens links before it has the engine, knows
// the same versions.
func TestPageVersions(t *testing.T) {
	protocol, err := os.ReadFile("../app/protocol.ts")
	if err != nil {
		t.Fatal(err)
	}
	newestFirst := scenario.Versions()
	slices.Reverse(newestFirst)
	want := `VERSIONS: readonly string[] = ["` + strings.Join(newestFirst, `", "`) + `"]`
	if !strings.Contains(string(protocol), want) {
		t.Errorf("web/app/protocol.ts does not have %s", want)
	}
}
