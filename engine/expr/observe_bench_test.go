package expr

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/celgen"
)

// BenchmarkTrace compares the evaluation of expressions without and with a
// trace: a trace costs less than as much again as the evaluation, twice.
func BenchmarkTrace(b *testing.B) {
	environments, err := ForVersion("1.37")
	if err != nil {
		b.Fatal(err)
	}
	compiler := environments.NewCompiler(Run, false, true)
	for name, expression := range map[string]string{
		"comparison": "object.n <= 5 && object.name != 'x'",
		"loop":       "object.items.all(i, has(i.tags) ? i.tags.size() < 5 : i.n >= 0) && object.list.map(x, x * 2).exists(x, x == 6)",
		"long loop":  "lists.range(10000).all(i, i >= 0 && i < object.n * 10000)",
	} {
		c := compiler.Compile(expression, Condition)
		if !c.OK() {
			b.Fatal(c.Err)
		}
		for _, trace := range []bool{false, true} {
			ctx := WithTrace(context.Background(), trace)
			b.Run(name+map[bool]string{false: "/plain", true: "/traced"}[trace], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p := NewPass(ctx, Inputs{Object: celgen.Object()}, nil, Budget)
					if r := p.Run(c); r.Err != "" || (r.Trace != nil) != trace {
						b.Fatal(r.Err)
					}
				}
			})
		}
	}
}
