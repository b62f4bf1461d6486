package eval

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
)

// What cannot be traced says why.
func TestUntraced(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	// Sixty keys in random order: no run is like another.
	random := c.Compile("lists.range(60).transformMapEntry(i, v, {v: v}).map(k, k) != []", Condition)
	order := c.Compile("lists.range(60).transformMapEntry(i, v, {v: v}).map(k, string(k)).join('')", VariableValue)
	for range 3 {
		p := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{}, nil, Budget)
		if r := p.Run(random); r.Trace == nil || r.Untraced != "" {
			t.Errorf("%s: %q, error %q", random.Expression, r.Untraced, r.Err)
		}
		if r := p.Run(order); r.Trace != nil || r.Untraced != OtherOrder {
			t.Errorf("%s: %q, error %q", order.Expression, r.Untraced, r.Err)
		}
	}
	expensive := c.Compile("lists.range(1000).all(a, lists.range(200).all(b, a + b >= 0))", Condition)
	p := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{Object: celgen.Object()}, nil, Budget)
	last := Untraced("")
	for range 3 {
		last = p.Run(expensive).Untraced
	}
	if last != TooExpensive {
		t.Errorf("after %d: %q", p.Remaining, last)
	}
}
