package eval

import (
	"context"
	"testing"
)

// TestTraceBudget: expressions that cost two million units together are run a
// second time, and not one unit more. Checks of the authorizer, 350,000 units
// each, do not count.
func TestTraceBudget(t *testing.T) {
	ctx := WithTrace(context.Background(), true)
	if !spend(ctx, 1_999_999) || !spend(ctx, 1) {
		t.Error("two million units are too many")
	}
	if spend(ctx, 1) {
		t.Error("more than two million units are spent")
	}
	if spend(WithTrace(context.Background(), true), 2_000_001) {
		t.Error("more than two million units are spent at once")
	}
	if spend(WithTrace(context.Background(), false), 0) {
		t.Error("units are spent without a trace")
	}
	if got := Work("authorizer.path('/x').check('get').allowed()", 350_004); got != 4 {
		t.Errorf("the work of a check is %d", got)
	}
}
