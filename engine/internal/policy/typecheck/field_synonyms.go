package typecheck

import (
	"fmt"
	"strconv"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// otherWord is the field of a type that a word means which no other field is near to: what
// kind an object or a reference is of, and the labels of a selector. Empty for none.
func otherWord(t *catalog.Type, name string) string {
	labels := t.Field("matchLabels")
	switch {
	case (name == "type" || name == "Type") && t.Field("kind") != nil:
		return "kind"
	case labels != nil && labels.Type.Kind == catalog.Map && t.Field("matchExpressions") != nil:
		return "matchLabels." + name
	}
	return ""
}

// nameOfStruct compares the name of an object, where the object itself is compared with a text:
// object.roleRef != 'admin'. Empty where it has none.
func (a *analysis) nameOfStruct(at int, args []string) string {
	c, ok := expressions.ComparisonAt(a.expression.Text, at)
	switch {
	case !ok:
		return ""
	case isStruct(args[0]) && args[1] == "string" && isLiteral(c.Right) && plainChain(c.Left):
		c.Left += ".name"
	case isStruct(args[1]) && args[0] == "string" && isLiteral(c.Left) && plainChain(c.Right):
		c.Right += ".name"
	default:
		return ""
	}
	return a.better(c.Expression(c.Left + " " + c.Operator + " " + c.Right))
}

// plainChain reports whether an operand is names with points between them.
func plainChain(text string) bool {
	tokens := source.NewTokens(text)
	return len(tokens.List) > 0 && oneChain(tokens, 0, len(tokens.List)-1)
}

var quotedNumber = lazy.Regexp{Text: `^[0-9]{1,9}$`}

// numberInText finds a comparison of a field that takes a number or a text with a number in
// quotes: the texts of such fields are names of ports, which have a letter, and percentages.
func (a *analysis) numberInText(field, literal ast.Expr, text string) bool {
	if field.Kind() != ast.SelectKind || field.AsSelect().IsTestOnly() || !quotedNumber.MatchString(text) {
		return false
	}
	sel := field.AsSelect()
	place, ok := a.checked.PlaceOf(a.checked.AST.NativeRep().GetType(sel.Operand().ID()))
	if !ok {
		return false
	}
	of := place.Type.Field(sel.FieldName())
	if of == nil || of.Type.Name != "intstr.IntOrString" {
		return false
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return false
	}
	start, end := a.place(literal.ID())
	a.add(finding{code: codes.NeverEqual, start: start, end: end, replacement: strconv.Itoa(number),
		summary: fmt.Sprintf("%s.%s is never %q", readable(place.Name), sel.FieldName(), text),
		detail:  "Write numbers without quotes: this field accepts only names and percentages as strings."})
	return true
}
