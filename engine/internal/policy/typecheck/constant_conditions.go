package typecheck

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// This file finds conditions with the same result for every value: two comparisons of
// one thing that exclude each other, such as x != 'a' || x != 'b', which is true
// whatever x is.

// A term is one part of a chain of && or of ||.
type term struct {
	expr ast.Expr
	// of is what is compared, operator how, and value with what. of is empty for
	// what is no comparison with a literal.
	of, operator string
	value        ref.Val
	literal      ast.Expr // that of the value; nil for a term that is a condition itself
}

// negated are the comparisons that are true where another is false.
var negated = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// turned are the comparisons with their sides exchanged.
var turned = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func termOf(e ast.Expr) term {
	out := term{expr: e}
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		operator := strings.Trim(call.FunctionName(), "_")
		switch args := call.Args(); {
		case call.FunctionName() == "!_":
			out.of, out.operator, out.value = written(args[0]), "==", types.False
			return out
		case negated[operator] == "" || len(args) != 2:
		case args[1].Kind() == ast.LiteralKind && args[0].Kind() != ast.LiteralKind:
			out.of, out.operator, out.value, out.literal = written(args[0]), operator, args[1].AsLiteral(), args[1]
			return out
		case args[0].Kind() == ast.LiteralKind && args[1].Kind() != ast.LiteralKind:
			out.of, out.operator, out.value, out.literal = written(args[1]), turned[operator], args[0].AsLiteral(), args[0]
			return out
		}
	}
	if e.Kind() != ast.LiteralKind {
		out.of, out.operator, out.value = written(e), "==", types.True
	}
	return out
}

// negative is the term that is true where this one is false.
func (t term) negative() term {
	if b, ok := t.value.(types.Bool); ok && (t.operator == "==" || t.operator == "!=") {
		t.value = !b
		return t
	}
	t.operator = negated[t.operator]
	return t
}

// String is the term as it is written, or much like it.
func (t term) String() string {
	switch {
	case t.literal != nil:
		return t.of + " " + t.operator + " " + written(t.literal)
	case t.value == types.False:
		return "!" + t.of
	}
	return t.of
}

// excludes reports whether no value makes both terms true.
func (t term) excludes(other term) bool {
	if t.of == "" || t.of != other.of {
		return false
	}
	order, ok := ordered(t.value, other.value)
	switch {
	case !ok:
		return false
	case t.operator == "==":
		return !holds(order, other.operator)
	case other.operator == "==":
		return !holds(-order, t.operator)
	case t.operator[0] == '<' && other.operator[0] == '>': // below one value, above another
		return order < 0 || order == 0 && (t.operator == "<" || other.operator == ">")
	case t.operator[0] == '>' && other.operator[0] == '<':
		return other.excludes(t)
	}
	return false
}

// holds reports whether a comparison is true of two values in this order.
func holds(order int, operator string) bool {
	switch operator {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// ordered compares two literals of the same type, or two numbers.
func ordered(a, b ref.Val) (int, bool) {
	if f, ok := a.(types.Double); ok && math.IsNaN(float64(f)) {
		return 0, false
	}
	comparer, ok := a.(traits.Comparer)
	if !ok {
		return 0, false
	}
	order, ok := comparer.Compare(b).(types.Int)
	return int(order), ok
}

// fixed looks at all chains, and at comparisons of sizes.
func (a *analysis) fixed(root ast.Expr) {
	inner := map[int64]bool{}
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch function := e.AsCall().FunctionName(); function {
		case "_&&_", "_||_":
			if !inner[e.ID()] {
				c := &chain{function: function, inner: inner}
				c.add(e)
				a.chain(c)
			}
		default:
			a.size(e)
		}
	}))
}

// chain is one of && or ||, with its operators between the terms.
type chain struct {
	function  string
	terms     []term
	operators []int64
	inner     map[int64]bool // the parts of this and other chains that are chains themselves
}

func (c *chain) add(e ast.Expr) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != c.function {
		c.terms = append(c.terms, termOf(e))
		return
	}
	c.inner[e.ID()] = true
	args := e.AsCall().Args()
	c.add(args[0])
	c.operators = append(c.operators, e.ID())
	c.add(args[1])
}

// chain reports the first two terms that exclude each other, or, of a chain of ||, of
// which one is always true.
func (a *analysis) chain(c *chain) {
	for j := range c.terms {
		for i := range j {
			one, other := c.terms[i], c.terms[j]
			if c.function == "_||_" {
				one, other = one.negative(), other.negative()
			}
			if !one.excludes(other) {
				continue
			}
			start, end := a.place(c.operators[j-1])
			f := finding{code: codes.FixedResult, start: start, end: end, repaired: a.exchanged(c, i, j)}
			if swapped := a.turnedRange(c, i, j); swapped != "" {
				f.repaired, f.or = swapped, f.repaired
			}
			if c.function == "_&&_" {
				f.summary = fmt.Sprintf("never true: %s && %s", c.terms[i], c.terms[j])
				f.detail = "No value is both."
			} else {
				f.summary = fmt.Sprintf("always true: %s || %s", c.terms[i], c.terms[j])
				f.detail = "Every value is one or the other, so this checks nothing."
			}
			if f.repaired != "" && !c.ranges(i, j) {
				f.detail += " Between the two, " + map[string]string{"_&&_": "|| (or)", "_||_": "&& (and)"}[c.function] + " is likely meant."
			}
			a.add(f)
			return
		}
	}
}

// ranges reports whether two terms that exclude each other are the ends of a range with their
// signs the wrong way round: x <= 2 && x >= 5.
func (c *chain) ranges(i, j int) bool {
	one, other := c.terms[i], c.terms[j]
	return c.function == "_&&_" && one.literal != nil && other.literal != nil && strings.Contains("<>", one.operator[:1]) && strings.Contains("<>", other.operator[:1])
}

// turnedRange is the expression with the signs of such a range turned round: who joins them
// with && means what is between them. Empty for others.
func (a *analysis) turnedRange(c *chain, i, j int) string {
	if !c.ranges(i, j) {
		return ""
	}
	var edits []spanEdit
	for _, t := range []term{c.terms[i], c.terms[j]} {
		start, end := a.place(t.expr.ID())
		edits = append(edits, spanEdit{start, end, turned[a.source.Slice(start, end)]})
	}
	return a.edited(edits)
}

// exchanged is the expression with the other operator between the terms that compare the
// same thing as the terms i and j. It is empty when others are between them.
func (a *analysis) exchanged(c *chain, i, j int) string {
	same := func(k int) bool { return c.terms[k].of == c.terms[i].of && c.terms[k].literal != nil }
	first, last := i, j
	for k := i; k <= j; k++ {
		if !same(k) {
			return ""
		}
	}
	for first > 0 && same(first-1) {
		first--
	}
	for last < len(c.terms)-1 && same(last+1) {
		last++
	}
	operator := map[string]string{"_&&_": "||", "_||_": "&&"}[c.function]
	var edits []spanEdit
	for _, id := range c.operators[first:last] {
		start, end := a.place(id)
		edits = append(edits, spanEdit{start, end, operator})
	}
	if operator == "||" && last-first < len(c.terms)-1 { // || binds less than the && around it
		if a.begin(c.terms[last].literal) == a.begin(c.terms[last].expr) {
			return "" // where the term ends is not known
		}
		begin := a.begin(c.terms[first].expr)
		_, end := a.place(c.terms[last].literal.ID())
		edits = append(edits, spanEdit{begin, begin, "("}, spanEdit{end, end, ")"})
	}
	return a.edited(edits)
}

// spanEdit puts a text in the place of a part of the expression.
type spanEdit struct {
	start, end int
	text       string
}

// replaced is the expression with a text in the place of a part.
func (a *analysis) replaced(start, end int, text string) string {
	runes := []rune(a.expression.Text)
	return string(runes[:start]) + text + string(runes[end:])
}

// edited is the expression with the edits; empty where they overlap, or when it does not
// parse then.
func (a *analysis) edited(edits []spanEdit) string {
	slices.SortFunc(edits, func(x, y spanEdit) int { return cmp.Compare(x.start, y.start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			return ""
		}
		out.WriteString(a.source.Slice(at, e.start) + e.text)
		at = e.end
	}
	_, whole := a.source.Whole()
	out.WriteString(a.source.Slice(at, whole))
	if parsed, issues, err := a.checker.Parse(out.String(), a.view); err != nil || source.Failed(issues) || parsed == nil {
		return ""
	}
	return out.String()
}

// begin is where a part begins.
func (a *analysis) begin(e ast.Expr) int {
	begin := math.MaxInt
	info := a.checked.AST.NativeRep().SourceInfo()
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		if offsets, ok := info.GetOffsetRange(part.ID()); ok {
			begin = min(begin, int(offsets.Start))
		}
	}))
	return begin
}

// size reports comparisons of a size with 0 that every size passes, or none.
func (a *analysis) size(e ast.Expr) {
	t := termOf(e)
	if t.literal == nil || !strings.HasPrefix(t.of, "size(") && !strings.HasSuffix(t.of, ".size()") {
		return
	}
	every := term{of: t.of, operator: ">=", value: types.IntZero}
	start, end := a.place(e.ID())
	switch f := (finding{code: codes.FixedResult, start: start, end: end, detail: "A size is never less than 0."}); {
	case t.excludes(every):
		f.summary = "never true: " + t.String()
		a.add(f)
	case t.negative().excludes(every):
		f.summary = "always true: " + t.String()
		if a.source.Slice(start, end) == ">=" && t.value.Equal(types.IntZero) == types.True {
			f.repaired = a.edited([]spanEdit{{start, end, ">"}})
			f.detail += " > checks whether it is not empty."
		}
		a.add(f)
	}
}

// written is an expression in one form, whatever blanks and quotes it has; empty for
// macros, which may mean something else where they stand.
func written(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.LiteralKind:
		if s, ok := e.AsLiteral().(types.String); ok {
			return strconv.Quote(string(s))
		}
		return fmt.Sprint(e.AsLiteral().Value())
	case ast.SelectKind:
		operand := written(e.AsSelect().Operand())
		switch text := operand + "." + e.AsSelect().FieldName(); {
		case operand == "":
			return ""
		case e.AsSelect().IsTestOnly():
			return "has(" + text + ")"
		default:
			return text
		}
	case ast.CallKind:
		return writtenCall(e.AsCall())
	}
	return ""
}

func writtenCall(call ast.CallExpr) string {
	var args []string
	for _, arg := range call.Args() {
		text := written(arg)
		if text == "" {
			return ""
		}
		args = append(args, text)
	}
	name := call.FunctionName()
	switch {
	case call.IsMemberFunction():
		target := written(call.Target())
		if target == "" {
			return ""
		}
		return target + "." + name + "(" + strings.Join(args, ", ") + ")"
	case name == "_[_]":
		return args[0] + "[" + args[1] + "]"
	case strings.HasPrefix(name, "_") && len(args) == 2:
		return "(" + args[0] + " " + strings.Trim(name, "_") + " " + args[1] + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
