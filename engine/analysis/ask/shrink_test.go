package ask

import (
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// TestSameObject: two evaluations in different seconds are no difference.
func TestSameObject(t *testing.T) {
	with := func(created, owner string) *report.Report {
		return &report.Report{Mutated: map[string]any{"metadata": map[string]any{"creationTimestamp": created, "labels": map[string]any{"owner": owner}}}}
	}
	first := with("2026-01-01T00:00:00Z", "jane")
	if !sameObject(first, with("2026-01-01T00:00:01Z", "jane")) {
		t.Error("a second makes a difference")
	}
	if sameObject(first, with("2026-01-01T00:00:00Z", "bob")) || sameObject(first, &report.Report{}) {
		t.Error("another label, or no object, makes no difference")
	}
}
