package outcomes

import (
	"slices"

	"github.com/google/cel-go/common/operators"
)

func (r *Run) equal(a, b value) Outcome {
	switch {
	case a.kind == failed || b.kind == failed:
		return Failed
	case a.kind != unknown && b.kind != unknown:
		return r.equalKnown(a, b)
	case a.kind == unknown && b.kind == unknown:
		return r.equalUnknown(a, b)
	case b.kind == unknown:
		a, b = b, a
	}
	switch b.kind {
	case boolean, number, text:
		return r.equalConstant(a, b)
	}
	if x, y := a.hasShape(), b.hasShape(); x != anyShape && y != otherShape && x != y {
		return False
	}
	if b.kind == null && len(a.path) == 1 {
		return False // a variable that is null is none of the unknown values
	}
	return Outcome(r.choose(deepest(a, b), "equal "+a.name()+","+b.name(), int(True), int(False)))
}

func (r *Run) equalKnown(a, b value) Outcome {
	if a.kind != b.kind {
		return False
	}
	switch a.kind {
	case boolean, number, text, null, none:
		return truth(same(a, b))
	case list:
		if len(a.items) != len(b.items) {
			return False
		}
		result := True
		for i := range a.items {
			switch r.equal(a.items[i], b.items[i]) {
			case False:
				return False
			case Failed:
				result = Failed
			}
		}
		return result
	}
	if a.name() == b.name() {
		return True
	}
	return Outcome(r.choose(deepest(a, b), "equal "+a.name()+","+b.name(), int(True), int(False)))
}

func (r *Run) equalUnknown(a, b value) Outcome {
	if a.key == b.key {
		return True
	}
	if a.shape != anyShape && b.shape != anyShape && a.shape != b.shape {
		return False
	}
	if r.relation(a, b) == 0 {
		return True
	}
	return False
}

// relation says which of two unknown values is greater: -1, 0 or 1. Of values that have no order
// 0 says that they are equal.
func (r *Run) relation(a, b value) int {
	x, y, sign := a.name(), b.name(), 1
	if x > y {
		x, y, sign = y, x, -1
	}
	return sign * r.choose(deepest(a, b), "relation "+x+","+y, 0, 1, -1)
}

func (r *Run) equalConstant(v, c value) Outcome {
	if v.shape != anyShape && v.shape != c.hasShape() {
		return False
	}
	f := r.facts(v)
	yes, no := f.allows(c), f.excludes(c)
	switch {
	case yes && !no:
		return True
	case !yes:
		return False
	}
	if Outcome(r.pick(v.level, int(True), int(False))) == True {
		f.equal, f.shape = &c, c.hasShape()
		return True
	}
	f.unequal = append(slices.Clone(f.unequal), c)
	return False
}

// flipped are the operators with the sides exchanged, opposite those that are true where one is false.
var (
	flipped  = map[string]string{operators.Less: operators.Greater, operators.LessEquals: operators.GreaterEquals, operators.Greater: operators.Less, operators.GreaterEquals: operators.LessEquals}
	opposite = map[string]string{operators.Less: operators.GreaterEquals, operators.LessEquals: operators.Greater, operators.Greater: operators.LessEquals, operators.GreaterEquals: operators.Less}
)

// ordered decides a comparison by order.
func (r *Run) ordered(operator string, a, b value) Outcome {
	switch {
	case a.kind == failed || b.kind == failed:
		return Failed
	case a.kind == number && b.kind == number:
		return truth(compares(operator, a.n, b.n))
	case a.kind == text && b.kind == text:
		return truth(compares(operator, float64(order(a.s, b.s)), 0))
	case a.kind == unknown && b.kind == number:
		return r.orderedNumber(operator, a, b.n)
	case a.kind == number && b.kind == unknown:
		return r.orderedNumber(flipped[operator], b, a.n)
	}
	x, y := a.hasShape(), b.hasShape()
	sure := x != anyShape && y != anyShape
	if sure && (x != y || x == listShape || x == mapShape) {
		return Failed
	}
	if a.kind == unknown && b.kind == unknown {
		if !sure && r.choose(deepest(a, b), "no order "+a.name()+","+b.name(), 0, 1) == 1 {
			return Failed
		}
		if a.key == b.key {
			return truth(compares(operator, 0, 0))
		}
		return truth(compares(operator, float64(r.relation(a, b)), 0))
	}
	options := []int{int(True), int(False)}
	if !sure {
		options = append(options, int(Failed))
	}
	return Outcome(r.choose(deepest(a, b), operator+" "+a.name()+","+b.name(), options...))
}

func order(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// orderedNumber compares an unknown value with a number.
func (r *Run) orderedNumber(operator string, v value, n float64) Outcome {
	if v.shape != anyShape && v.shape != numberShape {
		return Failed
	}
	f := r.facts(v)
	yes, mayHold := f.narrowed(operator, n)
	no, mayFail := f.narrowed(opposite[operator], n)
	var options []int
	if mayHold {
		options = append(options, int(True))
	}
	if mayFail {
		options = append(options, int(False))
	}
	if f.shape == anyShape || len(options) == 0 {
		options = append(options, int(Failed))
	}
	picked := Outcome(r.pick(v.level, options...))
	switch picked {
	case True:
		*f = yes
	case False:
		*f = no
	case Failed:
		f.not = append(slices.Clone(f.not), numberShape)
	}
	return picked
}

// test decides a function of a text and a constant.
func (r *Run) test(function string, v value, argument string) Outcome {
	t := test{function: function, argument: argument}
	if v.kind == text {
		return truth(t.of(v.s))
	}
	if v.kind != unknown || v.shape != anyShape && v.shape != textShape {
		return Failed
	}
	f := r.facts(v)
	var options []int
	for _, t.holds = range []bool{true, false} {
		if f.answers(t) {
			options = append(options, int(truth(t.holds)))
		}
	}
	if f.shape == anyShape || len(options) == 0 {
		options = append(options, int(Failed))
	}
	picked := Outcome(r.pick(v.level, options...))
	if picked == Failed {
		f.not = append(slices.Clone(f.not), textShape)
		return Failed
	}
	t.holds, f.shape = picked == True, textShape
	f.tests = append(slices.Clone(f.tests), t)
	return picked
}

// in decides whether a value is an item of a list, or a key of a map.
func (r *Run) in(v, of value) Outcome {
	switch {
	case v.kind == failed || of.kind == failed || of.kind == null:
		return Failed
	case of.kind == mapping:
		of.items = nil
		for _, key := range of.keys {
			of.items = append(of.items, value{kind: text, s: key})
		}
		fallthrough
	case of.kind == list:
		result := False
		for _, item := range of.items {
			switch r.equal(v, item) {
			case True:
				return True
			case Failed:
				result = Failed
			}
		}
		return result
	case of.kind != unknown:
		return Failed
	case of.shape == mapShape && v.kind == text:
		return truth(r.present(of, v.s))
	case of.shape == listShape && of.typ != nil && of.typ.Elem != nil:
		x, y := v.hasShape(), r.shapeOf(of.typ.Elem)
		if x != anyShape && y != anyShape && x != otherShape && x != y {
			return False
		}
	case of.shape != mapShape && of.shape != listShape && of.shape != anyShape:
		return Failed
	}
	options := []int{int(True), int(False)}
	if of.shape == anyShape {
		options = append(options, int(Failed))
	}
	return Outcome(r.choose(deepest(v, of), v.name()+" in "+of.name(), options...))
}
