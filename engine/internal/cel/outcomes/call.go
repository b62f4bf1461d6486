package outcomes

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// call is the result of an operator or function.
func (r *Run) call(e *Expression, n *values.Node, in scope) value {
	var args []value
	for _, child := range n.Children {
		args = append(args, r.eval(e, child, in))
	}
	if v, ok := r.ofOptional(n.Name, args); ok {
		return v
	}
	if i := slices.IndexFunc(args, func(v value) bool { return v.kind == failed }); i >= 0 {
		return args[i]
	}
	switch n.Name {
	case operators.Equals:
		return result(r.equal(args[0], args[1]))
	case operators.NotEquals:
		switch r.equal(args[0], args[1]) {
		case True:
			return boolOf(false)
		case False:
			return boolOf(true)
		}
		return failure
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return result(r.ordered(n.Name, args[0], args[1]))
	case operators.LogicalNot:
		switch r.condition(args[0]) {
		case True:
			return boolOf(false)
		case False:
			return boolOf(true)
		}
		return failure
	case operators.In, operators.OldIn:
		return result(r.in(args[0], args[1]))
	case operators.Add, operators.Subtract, operators.Multiply, operators.Negate:
		return r.arithmetic(n.Name, args)
	}
	return r.function(n.Name, args)
}

// result is an outcome as a value.
func result(o Outcome) value {
	if o == Failed {
		return failure
	}
	return boolOf(o == True)
}

// ofOptional are the functions of optional values.
func (r *Run) ofOptional(name string, args []value) (value, bool) {
	if len(args) == 0 {
		return failure, false
	}
	of := args[0]
	switch {
	case of.kind != none && of.kind != some:
		return failure, false
	case name == "hasValue" && len(args) == 1:
		return boolOf(of.kind == some), true
	case name == "value" && of.kind == some:
		return *of.inner, true
	case name == "value":
		return failure, true
	case (name == "orValue" || name == "or") && len(args) == 2:
		if of.kind == none {
			return args[1], true
		}
		if name == "or" {
			return of, true
		}
		return *of.inner, true
	}
	return failure, false
}

// arithmetic calculates with known values.
func (r *Run) arithmetic(name string, args []value) value {
	all := func(k kind) bool {
		return !slices.ContainsFunc(args, func(v value) bool { return v.kind != k })
	}
	switch {
	case all(number) && name == operators.Negate:
		return amount(-args[0].n)
	case all(number) && name == operators.Add:
		return amount(args[0].n + args[1].n)
	case all(number) && name == operators.Subtract:
		return amount(args[0].n - args[1].n)
	case all(number) && name == operators.Multiply:
		return amount(args[0].n * args[1].n)
	case all(text) && name == operators.Add:
		return value{kind: text, s: args[0].s + args[1].s}
	case all(list) && name == operators.Add:
		return value{kind: list, items: append(slices.Clone(args[0].items), args[1].items...)}
	}
	shape := args[0].hasShape()
	for _, v := range args[1:] {
		other := v.hasShape()
		switch {
		case shape == anyShape || other == anyShape || shape == otherShape:
			return r.unclear(name, args...)
		case shape != other || shape == boolShape || shape == mapShape:
			return failure
		}
	}
	if name != operators.Add && shape != numberShape {
		return r.unclear(name, args...)
	}
	v := value{kind: unknown, key: name + "(" + names(args) + ")", shape: shape, level: deepest(args...)}
	if shape == listShape && args[0].kind == unknown && args[1].kind == unknown && args[0].typ == args[1].typ {
		v.typ = args[0].typ
	}
	return v
}

// texts are functions of texts that never fail, with the shapes of their results.
var texts = map[string]shape{"lowerAscii": textShape, "upperAscii": textShape, "trim": textShape, "replace": textShape, "split": listShape, "isQuantity": boolShape, "isURL": boolShape, "isIP": boolShape, "isCIDR": boolShape}

// function is the result of a function.
func (r *Run) function(name string, args []value) value {
	if len(args) == 0 {
		return r.unclear(name)
	}
	v := args[0]
	switch name {
	case "dyn":
		return v
	case "size":
		return r.size(v)
	case "startsWith", "endsWith", "contains", "matches":
		if len(args) == 2 && args[1].kind == text {
			return result(r.test(name, v, args[1].s))
		}
	case "lowerAscii", "upperAscii":
		if v.kind == text && name == "lowerAscii" {
			return value{kind: text, s: strings.ToLower(v.s)}
		}
		if v.kind == text {
			return value{kind: text, s: strings.ToUpper(v.s)}
		}
	case "string":
		if v.kind == text || v.kind == unknown && v.shape == textShape {
			return v
		}
		if s := v.hasShape(); s == numberShape || s == boolShape {
			return value{kind: unknown, key: "string(" + v.name() + ")", shape: textShape, level: deepest(v)}
		}
	case "int", "double":
		if v.kind == number && name == "double" || v.kind == unknown && v.shape == numberShape && v.integral {
			return v
		}
	case "quantity":
		return r.quantity(v)
	case "isGreaterThan", "isLessThan":
		if len(args) == 2 && isQuantity(v) && isQuantity(args[1]) {
			return result(r.quantities(map[string]string{"isGreaterThan": operators.Greater, "isLessThan": operators.Less}[name], v, args[1]))
		}
	}
	out := r.known(name, args)
	if out.kind == unknown {
		return out
	}
	out = r.unclear(name, args...)
	if out.kind == unknown && name == "string" {
		out.shape = textShape
	}
	if out.kind == unknown && (name == "int" || name == "double") {
		out.shape, out.integral = numberShape, name == "int"
	}
	return out
}

// known is the result of a function of texts that never fails; nothing for others.
func (r *Run) known(name string, args []value) value {
	shape, ok := texts[name]
	if !ok || slices.ContainsFunc(args, func(v value) bool { return v.hasShape() != textShape }) {
		return failure
	}
	v := value{kind: unknown, key: name + "(" + names(args) + ")", shape: shape, level: deepest(args...)}
	if name == "split" {
		v.typ = listOfTexts
	}
	return v
}

var listOfTexts = &catalog.Type{Kind: catalog.List, Elem: &catalog.Type{Kind: catalog.String}}

// sizeMark begins the keys of sizes.
const sizeMark = "size("

// size is the number of items, keys or characters.
func (r *Run) size(v value) value {
	switch v.kind {
	case text:
		return amount(float64(len([]rune(v.s))))
	case list, mapping:
		return amount(float64(len(v.items)))
	case unknown:
	default:
		return failure
	}
	if v.shape == boolShape || v.shape == numberShape {
		return failure
	}
	if v.shape == anyShape || v.shape == otherShape {
		if of := r.unclear("size", v); of.kind == failed {
			return of
		}
	}
	least := 0.0
	if hasItem(v) {
		least = 1
	}
	out := value{kind: unknown, key: sizeMark + v.key + ")", path: v.path, shape: numberShape, integral: true, level: v.level, least: &least}
	if t := v.typ; t != nil && t.Kind == catalog.Struct && !t.Open {
		most := float64(len(t.Fields()))
		out.most = &most
	}
	return out
}

// quantityMark begins the keys of quantities.
const quantityMark = "quantity "

func isQuantity(v value) bool { return v.kind == unknown && strings.HasPrefix(v.key, quantityMark) }

// quantity is a quantity: of a constant, one whose value is known.
func (r *Run) quantity(v value) value {
	if v.kind == text {
		q, err := resource.ParseQuantity(v.s)
		if err != nil {
			return failure
		}
		exactly := q.AsApproximateFloat64()
		return value{kind: unknown, key: quantityMark + q.String(), shape: otherShape, least: &exactly, most: &exactly}
	}
	out := r.unclear("quantity", v)
	if out.kind == unknown {
		out.key, out.shape, out.path = quantityMark+out.key, otherShape, v.path
	}
	return out
}

// quantities compares two quantities, of which one is known.
func (r *Run) quantities(operator string, a, b value) Outcome {
	if a.least == nil && b.least != nil {
		return r.orderedNumber(operator, asNumber(a), *b.least)
	}
	if a.least != nil && b.least == nil {
		return r.orderedNumber(flipped[operator], asNumber(b), *a.least)
	}
	if a.least != nil {
		return truth(compares(operator, *a.least, *b.least))
	}
	return Outcome(r.choose(deepest(a, b), operator+" "+a.key+","+b.key, int(True), int(False)))
}

// numberMark begins the keys of the numbers of quantities.
const numberMark = "number of "

// asNumber is the number of a quantity.
func asNumber(q value) value {
	return value{kind: unknown, key: numberMark + q.key, shape: numberShape, level: q.level, path: q.path}
}
