package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// values finds comparisons of a field with texts that it never holds.
func (a *analysis) values(e ast.Expr) {
	a.neverSeen(e)
	a.alwaysThere(e)
	a.escapedKey(e)
	if e.Kind() != ast.CallKind {
		return
	}
	a.quantities(e)
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case "_==_", "_!=_":
		a.compared(args[0], args[1])
		a.compared(args[1], args[0])
	case "@in":
		if args[1].Kind() == ast.ListKind {
			for _, element := range args[1].AsList().Elements() {
				a.compared(args[0], element)
			}
		}
		if text, ok := source.StringOf(args[0]); ok {
			a.requestText(args[1], args[0], text)
		}
	}
}

// compared checks one comparison of a field with a literal. The empty text is
// left alone: it asks whether the field is set.
func (a *analysis) compared(field, literal ast.Expr) {
	if literal.Kind() != ast.LiteralKind {
		return
	}
	text, ok := literal.AsLiteral().(types.String)
	if !ok {
		a.dryRunOption(field, literal)
	}
	if !ok || text == "" {
		return
	}
	if a.requestText(field, literal, string(text)) || a.numberInText(field, literal, string(text)) {
		return
	}
	allowed, what := a.valuesOf(field)
	if len(allowed) == 0 || slices.Contains(allowed, string(text)) {
		return
	}
	start, end := a.place(literal.ID())
	f := finding{
		code: codes.NeverEqual, start: start, end: end,
		summary: fmt.Sprintf("%s is never %q", what, string(text)),
		detail:  "Its values are " + strings.Join(allowed, ", ") + ".",
	}
	best, ok := suggest.Of(allowed, string(text))
	if other := otherOperations[strings.ToUpper(string(text))]; !ok && what == "request.operation" && slices.Contains(allowed, other) {
		best, ok = other, true
	}
	if !ok && !strings.ContainsAny(string(text), "|,") {
		best, ok = suggest.Word(allowed, string(text))
	}
	if ok {
		f.replacement = a.requote(start, end, best)
		f.detail = fmt.Sprintf("Did you mean %q? %s", best, f.detail)
	}
	if e := a.expression; e.Place == model.MatchCondition && what == "request.operation" && onlyComparison.MatchString(strings.TrimSpace(e.Text)) {
		f.detail += " The condition is always false, so the policy never runs."
	}
	a.add(f)
}

// onlyComparison is an expression that compares the operation with one text, and no more.
var onlyComparison = lazy.Regexp{Text: `^request\.operation\s*==\s*['"]\w*['"]$`}

// otherOperations are words that others have for the operations.
var otherOperations = map[string]string{"MODIFY": "UPDATE", "PATCH": "UPDATE", "PUT": "UPDATE", "EDIT": "UPDATE", "CHANGE": "UPDATE", "APPLY": "UPDATE",
	"POST": "CREATE", "ADD": "CREATE", "INSERT": "CREATE", "NEW": "CREATE", "REMOVE": "DELETE", "DESTROY": "DELETE", "EXEC": "CONNECT"}

// requote writes a text in the quotes of the literal that it replaces.
func (a *analysis) requote(start, end int, text string) string {
	if end-start < 2 {
		return ""
	}
	return a.source.Slice(start, start+1) + text + a.source.Slice(end-1, end)
}

// valuesOf lists the values of a field that takes a fixed set of them.
func (a *analysis) valuesOf(e ast.Expr) (values []string, what string) {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
		return nil, ""
	}
	sel := e.AsSelect()
	name := sel.FieldName()
	if operand := sel.Operand(); operand.Kind() == ast.IdentKind && operand.AsIdent() == "request" && name == "operation" {
		return a.operations()
	}
	place, ok := a.checked.PlaceOf(a.checked.AST.NativeRep().GetType(sel.Operand().ID()))
	if !ok {
		return nil, ""
	}
	field := place.Type.Field(name)
	if field == nil {
		return nil, ""
	}
	return field.Type.Enum, readable(place.Name) + "." + name
}

// operations are those that the rules let through (semantics §4.1).
func (a *analysis) operations() (values []string, what string) {
	for _, item := range model.Rules(a.Value, a.expression.Webhook) {
		rule, _ := item.(map[string]any)
		list, _ := rule["operations"].([]any)
		for _, operation := range list {
			if s, ok := operation.(string); ok && !slices.Contains(values, s) {
				values = append(values, s)
			}
		}
	}
	if slices.Contains(values, "*") || len(values) == 0 {
		values = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}
		if a.Kind == "MutatingAdmissionPolicy" {
			values = slices.DeleteFunc(values, func(s string) bool { return s == "DELETE" })
		}
	}
	return values, "request.operation"
}
