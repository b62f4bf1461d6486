package outcomes

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// facts are what the choices of a case say about an unknown value.
type facts struct {
	shape   shape   // anyShape while nothing says it
	not     []shape // which it is not
	integer bool
	equal   *value
	unequal []value
	in      []string // one of these texts; nil is any

	low, high         float64
	lowOpen, highOpen bool
	tests             []test
}

// test is a function of a text with its answer.
type test struct {
	function, argument string
	holds              bool
}

// facts are those of an unknown value.
func (r *Run) facts(v value) *facts {
	l := r.levels[v.level]
	f := l.facts[v.key]
	if f == nil {
		f = &facts{shape: v.shape, integer: v.integral, low: math.Inf(-1), high: math.Inf(1)}
		if v.least != nil {
			f.low = *v.least
		}
		if v.most != nil {
			f.high = *v.most
		}
		if set, ok := r.world.Texts[v.key]; ok {
			f.in = set.In
			for _, not := range set.NotIn {
				f.unequal = append(f.unequal, value{kind: text, s: not})
			}
		}
		l.facts[v.key] = f
		if v.path != nil {
			l.paths[v.key] = v.path
		}
	}
	return f
}

// allows reports whether the value may be this one.
func (f *facts) allows(v value) bool {
	shape := v.hasShape()
	switch {
	case f.shape != anyShape && f.shape != shape, slices.Contains(f.not, shape):
		return false
	case f.equal != nil:
		return same(*f.equal, v)
	case slices.ContainsFunc(f.unequal, func(u value) bool { return same(u, v) }):
		return false
	}
	switch v.kind {
	case number:
		return v.n >= f.low && (v.n > f.low || !f.lowOpen) && v.n <= f.high && (v.n < f.high || !f.highOpen) && (!f.integer || v.n == math.Trunc(v.n))
	case text:
		if f.in != nil && !slices.Contains(f.in, v.s) {
			return false
		}
		for _, t := range f.tests {
			if t.of(v.s) != t.holds {
				return false
			}
		}
	}
	return true
}

// same reports whether two known scalars are equal.
func same(a, b value) bool {
	return a.kind == b.kind && a.b == b.b && a.n == b.n && a.s == b.s && a.kind != list && a.kind != mapping
}

// excludes reports whether the value may be another one than this.
func (f *facts) excludes(v value) bool {
	if f.equal != nil {
		return !same(*f.equal, v)
	}
	if f.shape == boolShape {
		return f.allows(value{kind: boolean, b: !v.b || v.kind != boolean})
	}
	if f.in != nil {
		return slices.ContainsFunc(f.in, func(s string) bool { return (v.kind != text || s != v.s) && f.allows(value{kind: text, s: s}) })
	}
	if f.shape == numberShape && v.kind == number {
		next := *f
		next.unequal = append(slices.Clone(f.unequal), v)
		return next.someNumber()
	}
	return true
}

func (f *facts) someNumber() bool {
	if f.low > f.high || f.low == f.high && (f.lowOpen || f.highOpen) {
		return false
	}
	if !f.integer {
		return f.low < f.high || f.allows(value{kind: number, n: f.low})
	}
	if math.IsInf(f.low, 0) || math.IsInf(f.high, 0) {
		return true
	}
	for n := math.Ceil(f.low); n <= f.high; n++ {
		if f.allows(value{kind: number, n: n}) {
			return true
		}
		if n-f.low > float64(len(f.unequal)+2) {
			return true // more of them than values that it is not
		}
	}
	return false
}

// narrowed are the facts with a comparison that holds.
func (f *facts) narrowed(operator string, n float64) (facts, bool) {
	out := *f
	if f.equal != nil {
		return out, f.equal.kind == number && compares(operator, f.equal.n, n)
	}
	if f.shape != anyShape && f.shape != numberShape || slices.Contains(f.not, numberShape) {
		return out, false
	}
	switch operator {
	case "_<_":
		if n < out.high || n == out.high && !out.highOpen {
			out.high, out.highOpen = n, true
		}
	case "_<=_":
		if n < out.high {
			out.high, out.highOpen = n, false
		}
	case "_>_":
		if n > out.low || n == out.low && !out.lowOpen {
			out.low, out.lowOpen = n, true
		}
	case "_>=_":
		if n > out.low {
			out.low, out.lowOpen = n, false
		}
	}
	if out.integer {
		out.whole()
	}
	out.shape = numberShape
	return out, out.someNumber()
}

// whole moves open bounds to the next integer.
func (f *facts) whole() {
	if !math.IsInf(f.low, 0) {
		if low := math.Ceil(f.low); f.lowOpen && low == f.low {
			f.low = low + 1
		} else {
			f.low = low
		}
		f.lowOpen = false
	}
	if !math.IsInf(f.high, 0) {
		if high := math.Floor(f.high); f.highOpen && high == f.high {
			f.high = high - 1
		} else {
			f.high = high
		}
		f.highOpen = false
	}
}

func compares(operator string, a, b float64) bool {
	switch operator {
	case "_<_":
		return a < b
	case "_<=_":
		return a <= b
	case "_>_":
		return a > b
	}
	return a >= b
}

// of is the answer of a test for a text.
func (t test) of(s string) bool {
	switch t.function {
	case "startsWith":
		return strings.HasPrefix(s, t.argument)
	case "endsWith":
		return strings.HasSuffix(s, t.argument)
	case "contains":
		return strings.Contains(s, t.argument)
	}
	re, err := regexp.Compile(t.argument)
	return err == nil && re.MatchString(s)
}

// answers reports whether a test may have an answer.
func (f *facts) answers(t test) bool {
	if f.equal != nil {
		return f.equal.kind == text && t.of(f.equal.s) == t.holds
	}
	if f.in != nil {
		return slices.ContainsFunc(f.in, func(s string) bool { return f.allows(value{kind: text, s: s}) && t.of(s) == t.holds })
	}
	if f.shape != anyShape && f.shape != textShape {
		return false
	}
	return !slices.ContainsFunc(f.tests, func(known test) bool { return known.forbids(t) || t.forbids(known) })
}

// forbids reports whether a test that has its answer rules out another one's.
func (t test) forbids(other test) bool {
	if t.function == other.function && t.argument == other.argument {
		return t.holds != other.holds
	}
	if !t.holds {
		return false
	}
	switch {
	case t.function == "startsWith" && other.function == "startsWith" && other.holds:
		return !strings.HasPrefix(t.argument, other.argument) && !strings.HasPrefix(other.argument, t.argument)
	case t.function == "endsWith" && other.function == "endsWith" && other.holds:
		return !strings.HasSuffix(t.argument, other.argument) && !strings.HasSuffix(other.argument, t.argument)
	case other.holds:
		return false
	case t.function == "startsWith" && other.function == "startsWith":
		return strings.HasPrefix(t.argument, other.argument)
	case t.function == "endsWith" && other.function == "endsWith":
		return strings.HasSuffix(t.argument, other.argument)
	case t.function != "matches" && other.function == "contains":
		return strings.Contains(t.argument, other.argument)
	}
	return false
}
