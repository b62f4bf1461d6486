package typecheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// converted is the expression with the operands of the operator at an offset
// brought to one type: a literal is written in the other's, a text that has
// digits is converted. Empty if neither helps. or is another one that is as likely.
func (a *analysis) converted(at int, args []string) (repaired, or string) {
	c, ok := expressions.ComparisonAt(a.expression.Text, at)
	if !ok || len(args) != 2 {
		return "", ""
	}
	left, right := args[0], args[1]
	equality := c.Operator == "==" || c.Operator == "!="
	switch {
	case !equality && (left == "string" && isNumber(right) && resourceAmount.MatchString(c.Left) || right == "string" && isNumber(left) && resourceAmount.MatchString(c.Right)):
		return a.compareQuantities(c, c.Operator, c.Left, c.Right)
	case !equality && left == "string" && isNumber(right) && !isLiteral(c.Left):
		c.Left = right + "(" + c.Left + ")"
	case !equality && right == "string" && isNumber(left) && !isLiteral(c.Right):
		c.Right = left + "(" + c.Right + ")"
	case expressions.Converted(c.Right, left) != "":
		c.Right = expressions.Converted(c.Right, left)
	case expressions.Converted(c.Left, right) != "":
		c.Left = expressions.Converted(c.Left, right)
	case left == "string" && isNumber(right) && !isLiteral(c.Left):
		c.Left = right + "(" + c.Left + ")"
	case right == "string" && isNumber(left) && !isLiteral(c.Right):
		c.Right = left + "(" + c.Right + ")"
	default:
		return "", ""
	}
	return c.Expression(c.Left + " " + c.Operator + " " + c.Right), ""
}

// resourceAmount is a field of the API that holds quantities.
var resourceAmount = lazy.Regexp{Text: `\.(limits|requests|capacity|allocatable|hard)\b`}

func isLiteral(text string) bool { return strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) }

// quantityText is a quantity with a unit.
var quantityText = lazy.Regexp{Text: `^[0-9]+(\.[0-9]+)?([EPTGMK]i|[EPTGMkm])?$`}

// quantities finds comparisons of a quantity as a text or a number.
func (a *analysis) quantities(e ast.Expr) {
	call := e.AsCall()
	operator := strings.Trim(call.FunctionName(), "_")
	if !slices.Contains([]string{"<", "<=", ">", ">="}, operator) {
		return
	}
	args := call.Args()
	for i, field := range args {
		other, conversion := args[1-i], ""
		if number := field; number.Kind() == ast.CallKind && slices.Contains([]string{"int", "double"}, number.AsCall().FunctionName()) && len(number.AsCall().Args()) == 1 {
			field, conversion = number.AsCall().Args()[0], number.AsCall().FunctionName()
		}
		if other.Kind() != ast.LiteralKind || !a.isQuantity(field) {
			continue
		}
		switch value := other.AsLiteral().(type) {
		case types.String:
			if !quantityText.MatchString(string(value)) {
				continue
			}
		case types.Int, types.Double:
		default:
			continue
		}
		start, end := a.place(e.ID())
		f := finding{code: codes.WrongOperandType, start: start, end: end,
			summary: "a quantity is compared as a text",
			detail:  "Quantities in objects are strings, which CEL compares character by character: '10Gi' is less than '9Gi'. Convert them with quantity(...)."}
		switch _, text := other.AsLiteral().(types.String); {
		case conversion != "":
			f.summary = conversion + "() does not read quantities"
			f.detail = "A quantity may have a unit, such as 500m or 1Gi, and " + conversion + "() reads numbers only. Convert it with quantity(...)."
		case !text:
			f.summary = "a quantity is compared with a number"
			f.detail = "Quantities in objects are strings, so the comparison fails: no such overload. Convert both with quantity(...)."
		}
		if c, ok := expressions.ComparisonAt(a.expression.Text, start); ok {
			f.repaired, f.or = a.compareQuantities(c, operator, withoutConversion(c.Left), withoutConversion(c.Right))
		}
		a.add(f)
	}
}

// withoutConversion is what a whole conversion to a number is of.
func withoutConversion(text string) string {
	for _, function := range []string{"int(", "double("} {
		if inner, ok := strings.CutPrefix(text, function); ok && strings.HasSuffix(inner, ")") {
			return strings.TrimSuffix(inner, ")")
		}
	}
	return text
}

// quantityPairs are the sides of a comparison as quantities. A bare number has the unit that the message
// names with it; where it names none there are two, as likely: nobody means 500 CPUs, or 512 bytes of memory.
func (a *analysis) quantityPairs(left, right string) [][2]string {
	var pairs [][2]string
	switch l, r := strings.Trim(left, `"'`), strings.Trim(right, `"'`); {
	case onlyDigits(r):
		for _, amount := range a.amounts(left, right, r) {
			pairs = append(pairs, [2]string{quantityOf(left), amount})
		}
	case onlyDigits(l):
		for _, amount := range a.amounts(right, left, l) {
			pairs = append(pairs, [2]string{amount, quantityOf(right)})
		}
	default:
		pairs = [][2]string{{quantityOf(left), quantityOf(right)}}
	}
	return pairs
}

// amounts are the quantities that a number compared with a field may mean; written is the number as written.
func (a *analysis) amounts(field, written, number string) []string {
	n, err := strconv.Atoi(number)
	if err != nil {
		return []string{quantityOf(written)}
	}
	const mostCPUs, mostMebibytes, leastBytes = 64, 1 << 17, 1 << 20
	bytes := strings.Contains(field, "memory") || strings.Contains(field, "storage")
	cpus := strings.Contains(field, "cpu")
	var units []string
	switch unit := a.unitSaid(number); {
	case unit != "" && (bytes || cpus && unit == "m"):
		units = []string{unit}
	case cpus && n > mostCPUs:
		units = []string{"m", ""}
	case bytes && n < mostMebibytes && (n < mostCPUs || strings.Contains(field, "storage")):
		units = []string{"Gi", "Mi"}
	case bytes && n < mostMebibytes:
		units = []string{"Mi", "Gi"}
	case bytes && n < leastBytes:
		units = []string{"Ki", ""}
	default:
		return []string{"quantity('" + number + "')"}
	}
	var out []string
	for _, unit := range units {
		out = append(out, "quantity('"+number+unit+"')")
	}
	return out
}

// saidAmount is a number with a unit in a message.
var saidAmount = lazy.Regexp{Text: `\b([0-9]+) ?(?:([KMGTPE]i)B?|([kMGTPE])B?|(m))\b`}

// unitSaid is the unit that the message of a validation has behind a number; empty if it has none, or two.
func (a *analysis) unitSaid(number string) string {
	said := ""
	for _, name := range []string{"message", "messageExpression"} {
		text := fieldpath.As[string](fieldpath.Parse(a.expression.Path).Parent().Child(name).Get(a.Value))
		for _, m := range saidAmount.FindAllStringSubmatch(text, -1) {
			unit := m[2] + m[3] + m[4]
			if m[1] == number && said != "" && said != unit {
				return ""
			} else if m[1] == number {
				said = unit
			}
		}
	}
	return said
}

// compareQuantities is the expression with a comparison of quantities, and another one with the other unit that
// a number may have.
func (a *analysis) compareQuantities(c expressions.Comparison, operator, left, right string) (repaired, or string) {
	pairs := a.quantityPairs(left, right)
	repaired = c.Expression(expressions.CompareQuantities(operator, pairs[0][0], pairs[0][1]))
	if len(pairs) > 1 {
		or = c.Expression(expressions.CompareQuantities(operator, pairs[1][0], pairs[1][1]))
	}
	return repaired, or
}

func onlyDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func quantityOf(text string) string {
	if converted := expressions.Converted(text, "string"); converted != "" {
		text = converted
	}
	return "quantity(" + text + ")"
}

// isQuantity reports whether a part reads a quantity of the API.
func (a *analysis) isQuantity(e ast.Expr) bool {
	var path []string
	for {
		switch {
		case e.Kind() == ast.SelectKind:
			path = append([]string{e.AsSelect().FieldName()}, path...)
			e = e.AsSelect().Operand()
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "_[_]" && e.AsCall().Args()[1].Kind() == ast.LiteralKind:
			path = append([]string{fmt.Sprint(e.AsCall().Args()[1].AsLiteral().Value())}, path...)
			e = e.AsCall().Args()[0]
		default:
			return a.quantityBelow(e, path)
		}
		place, ok := a.checked.PlaceOf(a.checked.AST.NativeRep().GetType(e.ID()))
		if ok {
			return quantityAt(place.Type, path)
		}
	}
}

func (a *analysis) quantityBelow(e ast.Expr, path []string) bool {
	place, ok := a.checked.PlaceOf(a.checked.AST.NativeRep().GetType(e.ID()))
	return ok && quantityAt(place.Type, path)
}

func quantityAt(t *catalog.Type, path []string) bool {
	t = t.At(path...)
	return t != nil && t.Kind == catalog.Custom && strings.HasSuffix(t.Name, "Quantity")
}
