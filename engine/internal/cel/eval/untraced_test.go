package eval

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
)

// A loop over a map that is written in the expression, or made by one of its loops, goes the same way every time, so
// that the values that are shown are the same.
func TestMapLiteralsHaveAnOrder(t *testing.T) {
	for expression, want := range map[string]string{
		"{'d': 1, 'a': 2, 'c': 3, 'e': 4, 'b': 5, 'f': 6}.map(k, k).join('')":                                     "abcdef",
		"{'d': size(object), 'a': 2, 'c': 3, 'e': 4, 'b': 5, 'f': 6}.map(k, k).join('')":                          "abcdef",
		"{30: 'a', 4: 'b', 100: 'c', -1: 'd', 7: 'e'}.map(k, string(k)).join(' ')":                                "-1 4 7 30 100",
		"{dyn(true): 'a', dyn(1): 'b', dyn('x'): 'c', dyn(2u): 'd', dyn(false): 'e'}.map(k, string(k)).join(' ')": "false true 1 x 2",
		"{'b': {'d': 1, 'c': 2}, 'a': {'f': 1, 'e': 2}}.transformList(k, v, k + v.map(l, l).join('')).join()":     "aefbcd",
		"lists.range(12).transformMapEntry(i, v, {v: v}).map(k, string(k)).join(' ')":                             "0 1 2 3 4 5 6 7 8 9 10 11",
		"{'c': 1, 'a': 2, 'b': 3}.transformMap(k, v, v).map(k, k).join('')":                                       "abc",
	} {
		for range 5 {
			c := environments(t, "1.37").NewCompiler(Run, false, true).Compile(expression, VariableValue)
			r := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{Object: celgen.Object()}, nil, Budget).Run(c)
			if r.Err != "" || r.Value.Value() != want || r.Untraced != "" {
				t.Fatalf("%s: %v, %s, %q", expression, r.Value, r.Err, r.Untraced)
			}
		}
	}
}

// What cannot be traced says why.
func TestUntraced(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
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
