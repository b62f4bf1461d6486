package eval

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// BenchmarkTrace compares runs with and without a trace. What is traced is
// evaluated twice; both together should take less than three times as long as
// the run without a trace. The two alternate and their medians are compared
// (metric "times"), so that a busy machine disturbs both alike.
func BenchmarkTrace(b *testing.B) {
	environments, err := NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		b.Fatal(err)
	}
	compiler := environments.NewCompiler(Run, false, true)
	for _, kind := range []struct{ name, expression string }{
		{"comparison", "object.n <= 5 && object.name != 'x'"},
		{"has", "has(object.spec) && has(object.spec.nope) || object.?nope.orValue(0) == 0"},
		{"strings", "object.name.startsWith('a') || object.name.matches('^[a-z]+$') || 'x' + object.name != ''"},
		{"loop", "object.items.all(i, has(i.tags) ? i.tags.size() < 5 : i.n >= 0) && object.list.map(x, x * 2).exists(x, x == 6)"},
		{"literals", "object.n in [1, 2, 3] ? {'a': object.n}.a > 0 : [1, object.n == 3 ? 2 : 3] != [1]"},
		{"long loop", "lists.range(300).all(i, i >= 0 && i < object.n * 10000)"},
	} {
		c := compiler.Compile(kind.expression, Condition)
		if !c.OK() {
			b.Fatal(kind.name, c.Err)
		}
		b.Run(kind.name, func(b *testing.B) {
			var took [2][]time.Duration
			for b.Loop() {
				for i, trace := range []bool{false, true} {
					p := NewEvaluator(context.Background(), Options{Trace: trace}).NewListRun(Inputs{Object: celgen.Object()}, nil, Budget)
					began := time.Now()
					r := p.Run(c)
					took[i] = append(took[i], time.Since(began))
					if r.Err != "" || (r.Trace != nil) != trace {
						b.Fatal(r.Err, r.Trace)
					}
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			plain, traced := took[0][len(took[0])/2], took[1][len(took[1])/2]
			b.ReportMetric(float64(plain.Nanoseconds()), "plain-ns")
			b.ReportMetric(float64(traced.Nanoseconds()), "traced-ns")
			b.ReportMetric(float64(traced)/float64(plain), "times")
		})
	}
}
