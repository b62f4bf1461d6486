package typecheck

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// This file takes the parts out of an expression that objects of one kind never
// reach: in object.kind != 'Pod' || object.spec.containers.all(...) a Deployment
// never reaches what is right of the ||.

// A known value is what a part evaluates to for every object of a kind. The zero
// value is not known.
type knownValue struct {
	value ref.Val
	// guard says that the kind decides the value: a constant holds nothing back.
	guard bool
}

func (k knownValue) is(b types.Bool) bool { return k.value == b }

// span is a range of an expression in code points.
type span struct{ start, end int }

// pruner prunes one expression for one kind.
type pruner struct {
	facts     map[string]ref.Val    // values of the request by how they are read
	variables map[string]knownValue // of the policy
	tests     map[int64]presence    // has() that tell kinds from each other, by their node
	items     map[string]ref.Val    // of the variables of macros over literals

	info    *ast.SourceInfo
	tokens  *source.Tokens
	factory ast.ExprFactory
	next    int64
	bound   []string        // variables of the macros around
	renamed map[int64]int64 // nodes by the node whose place they took
	cut     []span
}

// prune takes out what the kind does not reach, in place, and returns what is known of
// the result.
func (p *pruner) prune(parsed *ast.AST, text string) knownValue {
	p.info, p.tokens, p.factory = parsed.SourceInfo(), source.NewTokens(text), ast.NewExprFactory()
	p.next, p.renamed = ast.MaxID(parsed), map[int64]int64{}
	return p.value(parsed.Expr())
}

// original is the node of the whole expression that a node stands for.
func (p *pruner) original(id int64) int64 {
	if was, ok := p.renamed[id]; ok {
		return was
	}
	return id
}

func (p *pruner) value(e ast.Expr) knownValue {
	switch e.Kind() {
	case ast.LiteralKind:
		return knownValue{value: e.AsLiteral()}
	case ast.IdentKind:
		return knownValue{value: p.items[e.AsIdent()]}
	case ast.SelectKind:
		return p.selected(e)
	case ast.ListKind:
		return p.list(e.AsList().Elements())
	case ast.CallKind:
		return p.call(e)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		if v := p.quantified(c); v.value != nil {
			return v
		}
		p.value(c.IterRange())
		depth := len(p.bound)
		p.bound = append(p.bound, c.IterVar(), c.IterVar2(), c.AccuVar())
		for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			p.value(part)
		}
		p.bound = p.bound[:depth]
	default:
		for _, operand := range source.Operands(e) {
			p.value(operand)
		}
	}
	return knownValue{}
}

// quantified is all() or exists() over a list of literals: ['Job', 'CronJob'].all(k, object.kind != k).
func (p *pruner) quantified(c ast.ComprehensionExpr) knownValue {
	step := c.LoopStep()
	if c.HasIterVar2() || c.IterRange().Kind() != ast.ListKind || step.Kind() != ast.CallKind || len(step.AsCall().Args()) != 2 {
		return knownValue{}
	}
	deciding := types.False
	switch step.AsCall().FunctionName() {
	case operators.LogicalAnd:
	case operators.LogicalOr:
		deciding = types.True
	default:
		return knownValue{}
	}
	items, _ := p.value(c.IterRange()).value.(traits.Lister)
	if items == nil {
		return knownValue{}
	}
	out := knownValue{value: !deciding}
	for it := items.Iterator(); it.HasNext() == types.True; {
		try := *p // what is taken out for one item is not taken out of the expression
		try.items = maps.Clone(p.items)
		if try.items == nil {
			try.items = map[string]ref.Val{}
		}
		try.items[c.IterVar()] = it.Next()
		v := try.value(p.factory.CopyExpr(step.AsCall().Args()[1]))
		if v.is(deciding) {
			return v
		}
		if v.value == nil {
			return knownValue{}
		}
		out.guard = out.guard || v.guard
	}
	return out
}

func (p *pruner) selected(e ast.Expr) knownValue {
	sel := e.AsSelect()
	p.value(sel.Operand())
	text := written(e)
	root, name, _ := strings.Cut(text, ".")
	switch {
	case slices.Contains(p.bound, root):
	case sel.IsTestOnly():
		switch p.tests[p.original(e.ID())] {
		case lacks, without:
			return knownValue{types.False, true}
		case always:
			return knownValue{types.True, true}
		}
	case root == "variables":
		return p.variables[name]
	default:
		if v, ok := p.facts[text]; ok {
			return knownValue{v, true}
		}
	}
	return knownValue{}
}

// list is a list of literals. One of lists is not known: variables share their items, and a short
// expression may have more of them than can be compared.
func (p *pruner) list(elements []ast.Expr) knownValue {
	values, guard := p.all(elements)
	if values == nil && len(elements) > 0 || slices.ContainsFunc(values, func(v ref.Val) bool { _, nested := v.(traits.Lister); return nested }) {
		return knownValue{}
	}
	return knownValue{types.NewRefValList(types.DefaultTypeAdapter, values), guard}
}

// all are the values of some parts; nil if one is not known.
func (p *pruner) all(parts []ast.Expr) (values []ref.Val, guard bool) {
	known := true
	for _, part := range parts {
		v := p.value(part)
		known = known && v.value != nil
		guard = guard || v.guard
		values = append(values, v.value)
	}
	if !known {
		return nil, false
	}
	return values, guard
}

func (p *pruner) call(e ast.Expr) knownValue {
	call := e.AsCall()
	args := source.Operands(e)
	switch call.FunctionName() {
	case operators.LogicalOr:
		return p.logical(args, types.True)
	case operators.LogicalAnd:
		return p.logical(args, types.False)
	case operators.Conditional:
		return p.conditional(e, args)
	}
	values, guard := p.all(args)
	if values == nil {
		return knownValue{}
	}
	if v := result(call.FunctionName(), values); v != nil {
		return knownValue{v, guard}
	}
	return knownValue{}
}

// logical is an || or an &&, which the given value of one side decides whatever
// the other side is: even where that fails.
func (p *pruner) logical(args []ast.Expr, deciding types.Bool) knownValue {
	left, right := p.value(args[0]), p.value(args[1])
	for i, side := range []knownValue{left, right} {
		if side.is(deciding) {
			if side.guard {
				p.takeOut(args[1-i], !deciding)
			}
			return side
		}
	}
	if left.value == !deciding && right.value == !deciding {
		return knownValue{!deciding, left.guard || right.guard}
	}
	return knownValue{}
}

func (p *pruner) conditional(e ast.Expr, args []ast.Expr) knownValue {
	condition := p.value(args[0])
	one, other := 1, 2
	switch {
	case condition.is(types.True):
	case condition.is(types.False):
		one, other = 2, 1
	default:
		p.value(args[1])
		p.value(args[2])
		return knownValue{}
	}
	value := p.value(args[one])
	if !condition.guard {
		p.value(args[other])
		return value
	}
	p.cut = append(p.cut, p.rangeOf(args[other]))
	branch := args[one]
	p.renamed[e.ID()] = p.original(branch.ID())
	if offsets, ok := p.info.GetOffsetRange(branch.ID()); ok {
		p.info.SetOffsetRange(e.ID(), offsets)
	}
	if macro, ok := p.info.GetMacroCall(branch.ID()); ok {
		p.info.SetMacroCall(e.ID(), macro)
	}
	e.SetKindCase(branch)
	return knownValue{value.value, value.value != nil}
}

// takeOut puts a value in the place of a part that is not reached.
func (p *pruner) takeOut(e ast.Expr, value types.Bool) {
	p.cut = append(p.cut, p.rangeOf(e))
	p.next++
	e.SetKindCase(p.factory.NewLiteral(p.next, value))
}

// rangeOf is the range of the tokens of a part.
func (p *pruner) rangeOf(e ast.Expr) span {
	first, last := -1, -1
	add := func(part ast.Expr) {
		offsets, ok := p.info.GetOffsetRange(part.ID())
		if !ok {
			return
		}
		if first < 0 || int(offsets.Start) < first {
			first = int(offsets.Start)
		}
		last = max(last, int(offsets.Start))
	}
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		add(part)
		if macro, ok := p.info.GetMacroCall(part.ID()); ok {
			ast.PreOrderVisit(macro, ast.NewExprVisitor(add))
		}
	}))
	i := p.tokens.Starting(last)
	if i < len(p.tokens.List) && p.tokens.Is(i, ".") {
		i++ // a selection is at its dot
	}
	if first < 0 || i >= len(p.tokens.List) {
		return span{}
	}
	for j := p.tokens.Starting(first); j <= i; j++ {
		i = max(i, p.tokens.Partner[j]) // a macro's arguments may have no place
	}
	return span{first, p.tokens.List[i].End}
}

// result is what a function returns for known values; nil where that is not known.
func result(function string, values []ref.Val) ref.Val {
	switch function {
	case operators.LogicalNot:
		if b, ok := values[0].(types.Bool); ok {
			return !b
		}
	case operators.Equals:
		return types.Equal(values[0], values[1])
	case operators.NotEquals:
		if equal, ok := types.Equal(values[0], values[1]).(types.Bool); ok {
			return !equal
		}
	case operators.In:
		if list, ok := values[1].(traits.Container); ok {
			return list.Contains(values[0])
		}
	}
	texts := make([]string, len(values))
	for i, v := range values {
		text, ok := v.(types.String)
		if !ok {
			return nil
		}
		texts[i] = string(text)
	}
	if v := resultOfTexts(function, texts); v != nil {
		return v
	}
	return nil
}

func resultOfTexts(function string, texts []string) ref.Val {
	if len(texts) == 1 {
		switch function {
		case "lowerAscii":
			return types.String(strings.ToLower(texts[0]))
		case "upperAscii":
			return types.String(strings.ToUpper(texts[0]))
		}
	}
	if len(texts) != 2 {
		return nil
	}
	switch function {
	case operators.Add:
		return types.String(texts[0] + texts[1])
	case "startsWith":
		return types.Bool(strings.HasPrefix(texts[0], texts[1]))
	case "endsWith":
		return types.Bool(strings.HasSuffix(texts[0], texts[1]))
	case "contains":
		return types.Bool(strings.Contains(texts[0], texts[1]))
	case "matches":
		if pattern, err := regexp.Compile(texts[1]); err == nil {
			return types.Bool(pattern.MatchString(texts[0]))
		}
	}
	return nil
}
