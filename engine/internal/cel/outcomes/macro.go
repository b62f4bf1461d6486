package outcomes

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// macro is the result of a macro.
func (r *Run) macro(e *Expression, n *values.Node, in scope) value {
	switch n.Name {
	case "has":
		return r.has(e, n, in)
	case "all", "exists":
		if len(n.Children) == 3 {
			return r.quantifier(e, n, in)
		}
	case "exists_one", "existsOne", "filter", "map":
		return r.loop(e, n, in)
	case "bind":
		if declared := declaredIn(n); declared >= 0 && len(n.Children) == declared+3 {
			v := r.eval(e, n.Children[declared+1], in)
			if v.kind == failed {
				return failure // it may be one that is never used
			}
			return r.eval(e, n.Children[declared+2], in.with(n.Children[declared].Name, v))
		}
	}
	return r.opaque(e, n, in)
}

func declaredIn(n *values.Node) int {
	return slices.IndexFunc(n.Children, func(c *values.Node) bool { return c.Kind == values.Declared })
}

// opaque is the result of a part that is not understood.
func (r *Run) opaque(e *Expression, n *values.Node, in scope) value {
	v := value{kind: unknown, key: "text:" + string(e.text[n.Start:n.End]), level: 0}
	for _, name := range sortedNames(in) {
		v.key += "|" + name + "=" + in[name].name()
		v.level = max(v.level, deepest(in[name]))
	}
	if r.choose(v.level, "fails "+v.key, 0, 1) == 1 {
		return failure
	}
	return v
}

func sortedNames(in scope) []string {
	var out []string
	for name := range in {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// has is has(a.b).
func (r *Run) has(e *Expression, n *values.Node, in scope) value {
	if n.Expr == nil || n.Expr.Kind() != ast.SelectKind || len(n.Children) != 1 {
		return r.opaque(e, n, in)
	}
	name := n.Expr.AsSelect().FieldName()
	if c := n.Children[0]; c.Kind == values.Ident && c.Name == "variables" {
		return r.opaque(e, n, in)
	}
	of := r.eval(e, n.Children[0], in)
	switch of.kind {
	case mapping:
		return boolOf(slices.Contains(of.keys, name))
	case unknown:
		if of.shape != mapShape && of.shape != anyShape {
			return failure
		}
		if of.shape == anyShape && r.choose(of.level, "no fields "+of.key, 0, 1) == 1 {
			return failure
		}
		if known, ok := r.ofRequest(of, name); ok {
			return boolOf(known.kind != failed)
		}
		return boolOf(r.present(of, name))
	case none, some:
		return r.opaque(e, n, in)
	}
	return failure
}

// quantified is a loop over a list that has an outcome in this case.
type quantified struct {
	of       *Expression
	body     *values.Node
	variable string
	in       scope
	all      bool // all, or exists
	outcome  Outcome
	over     value
}

// quantifier is all and exists.
func (r *Run) quantifier(e *Expression, n *values.Node, in scope) value {
	of := r.eval(e, n.Children[0], in)
	q := quantified{of: e, body: n.Children[2], variable: n.Children[1].Name, in: in, all: n.Name == "all", over: of}
	switch of.kind {
	case list, mapping:
		return r.overKnown(q, of)
	case unknown:
	default:
		return failure
	}
	if of.shape != listShape && of.shape != mapShape {
		if of.shape != anyShape || r.choose(of.level, "no loop "+of.key, 0, 1) == 1 {
			return failure
		}
	}
	var options []int
	for _, q.outcome = range []Outcome{True, False, Failed} {
		if r.possible(of, q) {
			options = append(options, int(q.outcome))
		}
	}
	if len(options) == 0 {
		return failure
	}
	q.outcome = Outcome(r.pick(deepest(append([]value{of}, values0(in)...)...), options...))
	if r.plain(of, in) {
		l := r.levels[0]
		l.quantifiers[of.key] = append(slices.Clone(l.quantifiers[of.key]), q)
	}
	return result(q.outcome)
}

func values0(in scope) []value {
	var out []value
	for _, v := range in {
		out = append(out, v)
	}
	return out
}

// plain reports whether a loop is in no other one: then it is remembered.
func (r *Run) plain(of value, in scope) bool {
	return of.level == 0 && len(r.levels) == 1 && len(in) == 0
}

// overKnown goes through a list whose items are known.
func (r *Run) overKnown(q quantified, of value) value {
	items := of.items
	if of.kind == mapping {
		items = nil
		for _, key := range of.keys {
			items = append(items, value{kind: text, s: key})
		}
	}
	decides, res := True, False
	if q.all {
		decides, res = False, True
	}
	for _, item := range items {
		switch r.condition(r.eval(q.of, q.body, q.in.with(q.variable, item))) {
		case decides:
			return boolOf(decides == True)
		case Failed:
			res = Failed
		}
	}
	return result(res)
}

// item is an item of a list, or a key of a map, of which nothing is known. It may be another one than the items of the
// same list that loops around it go over.
func (r *Run) item(of value, in scope) value {
	v := value{kind: unknown, key: of.key + "[*]", level: len(r.levels) - 1}
	around := 0
	for _, outer := range in {
		if strings.TrimRight(outer.key, "'") == v.key {
			around++
		}
	}
	v.key += strings.Repeat("'", around)
	if of.path != nil && around == 0 {
		v.path = append(of.path[:len(of.path):len(of.path)], "*")
	}
	if of.shape == mapShape {
		v.shape = textShape
		v.path = nil
		return v
	}
	if of.typ != nil && of.typ.Kind == catalog.List {
		v.typ = of.typ.Elem
		v.shape = r.shapeOf(v.typ)
		v.integral = v.typ != nil && v.typ.Kind == catalog.Integer
	}
	return v
}

// possible reports whether a loop may have an outcome, next to those that loops over the same
// list have already. All of them are true of the items of one list.
func (r *Run) possible(of value, q quantified) bool {
	every := []quantified{q}
	if r.plain(of, q.in) {
		every = append(every, r.levels[0].quantifiers[of.key]...)
	}
	met := make([]bool, len(every))
	for i, one := range every { // an empty list meets these
		met[i] = !hasItem(of) && (one.all && one.outcome == True || !one.all && one.outcome == False)
	}
	if !slices.Contains(met, false) {
		return true
	}
	r.each(func() bool {
		item := r.item(of, q.in)
		outcomes := make([]Outcome, len(every))
		for i, one := range every {
			outcomes[i] = r.condition(r.eval(one.of, one.body, one.in.with(one.variable, item)))
			if !one.allows(outcomes[i]) {
				return true // no item of the list is like this
			}
		}
		for i, one := range every {
			met[i] = met[i] || outcomes[i] == one.outcome
		}
		return slices.Contains(met, false)
	})
	return !slices.Contains(met, false)
}

// hasItem reports whether API validation demands an item of a list, before policies see it: a Pod has containers.
func hasItem(of value) bool {
	return len(of.path) > 0 && of.path[len(of.path)-1] == "containers" && of.typ != nil && of.typ.Kind == catalog.List && of.typ.Elem.ID == "core/v1.Container"
}

// allows reports whether an item may have an outcome where the whole loop has its own.
func (q quantified) allows(item Outcome) bool {
	decides := True
	if q.all {
		decides = False
	}
	switch q.outcome {
	case decides:
		return true
	case Failed:
		return item != decides
	}
	return item != decides && item != Failed
}

// loop is filter, map and exists_one: of the result only the type is known.
func (r *Run) loop(e *Expression, n *values.Node, in scope) value {
	of := r.eval(e, n.Children[0], in)
	if of.kind == failed || of.kind == null {
		return failure
	}
	v := r.opaque(e, n, in)
	if v.kind == failed {
		return v
	}
	v.shape = listShape
	switch n.Name {
	case "exists_one", "existsOne":
		v.shape = boolShape
	case "filter":
		if of.kind == unknown && of.shape == listShape {
			v.typ = of.typ
		}
	case "map":
		if len(n.Children) == 3 && n.Children[1].Kind == values.Declared && of.kind == unknown {
			v.typ = r.mapped(e, n, of, in)
		}
	}
	return v
}

// mapped is the type of the list that map makes, where it picks a field.
func (r *Run) mapped(e *Expression, n *values.Node, of value, in scope) *catalog.Type {
	if of.typ == nil || of.typ.Kind != catalog.List {
		return nil
	}
	at, steps := n.Children[2], []string{}
	for at.Kind == values.Select && !isCall(at, "_?._") {
		steps = append([]string{at.Name}, steps...)
		at = at.Children[0]
	}
	if at.Kind != values.Ident || at.Name != n.Children[1].Name {
		return nil
	}
	if t := of.typ.Elem.At(steps...); t != nil {
		return &catalog.Type{Kind: catalog.List, Elem: t}
	}
	return nil
}
