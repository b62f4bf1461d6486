package bridge

import (
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
	// The example has a v1 MutatingAdmissionPolicy.
	if last := got.Rows[len(got.Rows)-1]; len(last.Refused) > 0 {
		t.Errorf("refused on %s: %v", last.Version, last.Refused)
	}
	if first := got.Rows[0]; len(first.Refused) == 0 {
		t.Errorf("nothing is refused on %s", first.Version)
	}
}
