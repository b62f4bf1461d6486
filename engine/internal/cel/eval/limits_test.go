package eval

import (
	"context"
	"testing"
)

// TestTraceBudget: expressions that cost two million units together are run a
// second time, and not one unit more. Checks of the authorizer, 350,000 units
// each, do not count.
func TestTraceBudget(t *testing.T) {
	traced := func() *Evaluator { return NewEvaluator(context.Background(), Options{Trace: true}) }
	e := traced()
	if !e.spend(1_999_999) || !e.spend(1) {
		t.Error("two million units are too many")
	}
	if e.spend(1) {
		t.Error("more than two million units are spent")
	}
	if traced().spend(2_000_001) {
		t.Error("more than two million units are spent at once")
	}
	if got := Work("authorizer.path('/x').check('get').allowed()", 350_004); got != 4 {
		t.Errorf("the work of a check is %d", got)
	}
}
