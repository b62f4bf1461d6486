package growth

import (
	"maps"
	"math"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// value is what is known, without running it, about the value of a part of an
// expression: from which places of the inputs it may come, or what an
// expression builds it of.
type value struct {
	known  bool
	places []place
	// size is that of what the expression builds, items are what it may hold.
	size  uint64
	items []value
}

func from(p place) value { return value{known: true, places: []place{p}} }

func built(size uint64, items ...value) value { return value{known: true, size: size, items: items} }

// maxOrigins is from how many places and parts a value may come. Variables that add one to itself double
// them each time; what comes from more is not known.
const maxOrigins = 1000

// union is one of several values.
func union(list ...value) value {
	out := value{known: len(list) > 0}
	for _, v := range list {
		if len(out.places)+len(v.places)+len(out.items)+len(v.items) > maxOrigins {
			return value{}
		}
		out.known = out.known && v.known
		out.places = append(out.places, v.places...)
		out.size = max(out.size, v.size)
		out.items = append(out.items, v.items...)
	}
	return out
}

// child is what is below: a field, anyItem or anyKey.
func (v value) child(segment string) value {
	if !v.known {
		return value{}
	}
	below := make([]value, 0, len(v.places))
	for _, p := range v.places {
		below = append(below, from(p.child(segment)))
	}
	if segment == anyKey && len(v.items) > 0 {
		return value{} // keys of built maps are not followed
	}
	return union(append(below, v.items...)...)
}

// scope are the variables that macros declare.
type scope map[string]value

func (s scope) with(name string, v value) scope {
	s = maps.Clone(s)
	if s == nil {
		s = scope{}
	}
	s[name] = v
	return s
}

// resolver finds the values of all parts of one checked expression.
type resolver struct {
	checked   *ast.AST
	variables map[string]value // of the policy
	bounds    bounds
	values    map[int64]value
	// escaped says that the names of fields are written as rules write them.
	escaped bool
	// sized are the places whose size counts for the cost.
	sized []place
}

// sizeOf is the largest size that a value may have; false when there is no
// bound.
func (r *resolver) sizeOf(v value) (uint64, bool) {
	if !v.known {
		return 0, false
	}
	size := v.size
	for _, p := range v.places {
		size = max(size, r.bounds.max(p))
	}
	return size, true
}

func (r *resolver) counts(v value) { r.sized = append(r.sized, v.places...) }

func (r *resolver) resolve(e ast.Expr, s scope) value {
	v := r.find(e, s)
	r.values[e.ID()] = v
	return v
}

func (r *resolver) find(e ast.Expr, s scope) value {
	switch e.Kind() {
	case ast.LiteralKind:
		return literal(e)
	case ast.IdentKind:
		return identifier(e.AsIdent(), s)
	case ast.SelectKind:
		return r.selection(e.AsSelect(), s)
	case ast.CallKind:
		return r.call(e, s)
	case ast.ListKind:
		var items []value
		for _, item := range e.AsList().Elements() {
			items = append(items, r.resolve(item, s))
		}
		return built(uint64(len(items)), items...)
	case ast.MapKind:
		var items []value
		for _, entry := range e.AsMap().Entries() {
			r.resolve(entry.AsMapEntry().Key(), s)
			items = append(items, r.resolve(entry.AsMapEntry().Value(), s))
		}
		return built(uint64(len(items)), items...)
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			r.resolve(field.AsStructField().Value(), s)
		}
	case ast.ComprehensionKind:
		return r.comprehension(e.AsComprehension(), s)
	}
	return value{}
}

func literal(e ast.Expr) value {
	switch v := e.AsLiteral().(type) {
	case types.String:
		return built(uint64(utf8.RuneCountInString(string(v))))
	case types.Bytes:
		return built(uint64(len(v)))
	}
	return built(1)
}

func identifier(name string, s scope) value {
	if v, ok := s[name]; ok {
		return v
	}
	switch name {
	case "object", "oldObject", "params", "request", "namespaceObject":
		return from(place{name})
	}
	return value{}
}

func (r *resolver) selection(sel ast.SelectExpr, s scope) value {
	operand := r.resolve(sel.Operand(), s)
	switch {
	case sel.IsTestOnly():
		return built(1)
	case sel.Operand().Kind() == ast.IdentKind && sel.Operand().AsIdent() == "variables":
		return r.variables[sel.FieldName()]
	}
	if r.escaped {
		return operand.child(unescaped(sel.FieldName()))
	}
	return operand.child(sel.FieldName())
}

func (r *resolver) call(e ast.Expr, s scope) value {
	c := e.AsCall()
	var target value
	if c.IsMemberFunction() {
		target = r.resolve(c.Target(), s)
		r.counts(target)
	}
	args := make([]value, len(c.Args()))
	for i, arg := range c.Args() {
		args[i] = r.resolve(arg, s)
		r.counts(args[i])
	}
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		if key := c.Args()[1]; key.Kind() == ast.LiteralKind {
			if name, ok := key.AsLiteral().(types.String); ok {
				return args[0].child(string(name))
			}
		}
		return args[0].child(anyItem)
	case operators.Conditional:
		return union(args[1], args[2])
	case operators.Add:
		return r.sum(args[0], args[1])
	case "orValue", "or":
		return union(target, args[0])
	case "value", "distinct", "sort", "reverse", "lowerAscii", "upperAscii", "trim":
		return target
	case "dyn", "optional.of", "optional.ofNonZeroValue":
		return args[0]
	case "optional.none":
		return built(0)
	case "string":
		return r.text(c.Args()[0], args[0])
	}
	if t := r.checked.GetType(e.ID()); t != nil && scalar(t) {
		return built(1)
	}
	return value{}
}

// sum is a concatenation, or an addition of numbers.
func (r *resolver) sum(a, b value) value {
	x, known := r.sizeOf(a)
	y, both := r.sizeOf(b)
	if !known || !both || x > math.MaxUint64-y {
		return value{}
	}
	return built(x+y, a.child(anyItem), b.child(anyItem))
}

// scalarText is longer than any number, time or duration is as a text.
const scalarText = 64

// text is the result of string().
func (r *resolver) text(arg ast.Expr, v value) value {
	t := r.checked.GetType(arg.ID())
	switch {
	case t == nil:
		return value{}
	case t.Kind() == types.StringKind:
		return v
	case scalar(t):
		return built(scalarText)
	case t.Kind() == types.DynKind:
		return union(v, built(scalarText))
	}
	return value{}
}

func scalar(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.DurationKind, types.TimestampKind, types.NullTypeKind:
		return true
	}
	return false
}

// comprehension is what a macro has become.
func (r *resolver) comprehension(c ast.ComprehensionExpr, s scope) value {
	over := r.resolve(c.IterRange(), s)
	r.counts(over)
	first := r.resolve(c.AccuInit(), s)
	if isBind(c) {
		return r.resolve(c.Result(), s.with(c.AccuVar(), first))
	}
	keys, items := r.iterated(c, over)
	inner := s.with(c.AccuVar(), value{})
	if c.HasIterVar2() {
		inner = inner.with(c.IterVar(), keys).with(c.IterVar2(), items)
	} else {
		inner = inner.with(c.IterVar(), items)
	}
	r.resolve(c.LoopCondition(), inner)
	r.resolve(c.LoopStep(), inner)
	r.resolve(c.Result(), inner)
	size, known := r.sizeOf(over)
	switch c.AccuInit().Kind() {
	case ast.LiteralKind:
		return built(1) // all, exists, exists_one
	case ast.ListKind:
		if item, ok := r.appended(c.LoopStep(), c.AccuVar()); ok && known {
			return built(size, item)
		}
	}
	return value{}
}

// isBind recognises what cel.bind and optMap become: no loop, a variable.
func isBind(c ast.ComprehensionExpr) bool {
	return c.IterRange().Kind() == ast.ListKind && c.IterRange().AsList().Size() == 0 &&
		c.LoopCondition().Kind() == ast.LiteralKind && c.LoopCondition().AsLiteral() == types.False
}

// iterated are the values of the loop's variables: of a list its indices and
// items, of a map its keys and values. With one variable, items are what it
// takes.
func (r *resolver) iterated(c ast.ComprehensionExpr, over value) (keys, items value) {
	kind := types.DynKind
	if t := r.checked.GetType(c.IterRange().ID()); t != nil {
		kind = t.Kind()
	}
	switch {
	case kind == types.ListKind:
		return built(1), over.child(anyItem)
	case kind == types.MapKind && c.HasIterVar2():
		return over.child(anyKey), over.child(anyItem)
	case kind == types.MapKind:
		return value{}, over.child(anyKey)
	case c.HasIterVar2():
		return union(over.child(anyKey), built(1)), over.child(anyItem)
	}
	return value{}, union(over.child(anyItem), over.child(anyKey))
}

// appended is the item that a step of map or filter adds to its result.
func (r *resolver) appended(step ast.Expr, accumulator string) (value, bool) {
	if step.Kind() != ast.CallKind {
		return value{}, false
	}
	args := step.AsCall().Args()
	switch step.AsCall().FunctionName() {
	case operators.Conditional:
		return r.appended(args[1], accumulator)
	case operators.Add:
		if args[0].Kind() == ast.IdentKind && args[0].AsIdent() == accumulator && args[1].Kind() == ast.ListKind && args[1].AsList().Size() == 1 {
			return r.values[args[1].AsList().Elements()[0].ID()], true
		}
	}
	return value{}, false
}
