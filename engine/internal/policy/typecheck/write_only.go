package typecheck

import (
	"encoding/base64"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// The fields stringData and data of a Secret: what the first has is moved into the second, in base64, when
// the server reads the object.
const writeOnly, inBase64 = "stringData", "data"

// neverSeen finds reads of a field that an object has only until the server has read it.
func (a *analysis) neverSeen(e ast.Expr) {
	operand := readsWriteOnly(e)
	if operand == nil || a.view.Object == nil || a.view.Object.Field(writeOnly) == nil {
		return
	}
	if operand.Kind() != ast.IdentKind || operand.AsIdent() != "object" && operand.AsIdent() != "oldObject" {
		return
	}
	for _, f := range a.found {
		if f.code == codes.UnknownObjectField && f.summary == neverThere {
			return // one repair is for all of them
		}
	}
	start, end := a.place(e.ID())
	a.add(finding{code: codes.UnknownObjectField, start: start, end: end, summary: neverThere,
		detail:   "The server moves stringData into data, as base64, before any policy sees the Secret: has() on it is always false. CEL has no function that decodes it.",
		repaired: a.storedData()})
}

// readsWriteOnly is the object of which an expression reads the field; nil for another expression.
func readsWriteOnly(e ast.Expr) ast.Expr {
	switch {
	case e.Kind() == ast.SelectKind && e.AsSelect().FieldName() == writeOnly:
		return e.AsSelect().Operand()
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.OptSelect:
		args := e.AsCall().Args()
		if args[1].Kind() == ast.LiteralKind && args[1].AsLiteral().Value() == writeOnly {
			return args[0]
		}
	}
	return nil
}

const neverThere = "policies never see stringData in a Secret"

// storedData is the expression with data in the place of stringData, and texts that its values are compared
// with in base64. It is empty where no key is read, and where a value is read otherwise, as only the text itself can be.
func (a *analysis) storedData() string {
	tokens := source.NewTokens(a.expression.Text)
	var b strings.Builder
	at, keyed := 0, false
	put := func(i int, text string) {
		b.WriteString(a.expression.Text[at:tokens.List[i].Bytes])
		b.WriteString(text)
		at = tokens.List[i].EndBytes()
	}
	for i := range tokens.List {
		if !tokens.Is(i, writeOnly) || !tokens.Is(i-1, ".") && !tokens.Is(i-1, "?") {
			continue
		}
		put(i, inBase64)
		key := i
		switch {
		case tokens.Is(i+1, "[") && tokens.Partner[i+1] > 0:
			key = tokens.Partner[i+1]
		case tokens.Is(i+1, ".") && tokens.IsWord(i+2) && !tokens.Is(i+3, "("):
			key = i + 2
		}
		keyed = keyed || key > i || tokens.Is(i-3, "in")
		switch compared := tokens.Is(key+1, "==") || tokens.Is(key+1, "!="); {
		case key == i:
		case compared && key+2 < len(tokens.List) && tokens.List[key+2].Kind == source.String:
			text := tokens.List[key+2].Literal()
			if strings.Contains(text, `\`) {
				return ""
			}
			put(key+2, "'"+base64.StdEncoding.EncodeToString([]byte(text))+"'")
		case tokens.Is(key+1, ".") || tokens.Is(key+1, "[") || compared:
			return ""
		}
	}
	if !keyed {
		return "" // the policy is about the field itself: every Secret with values has data
	}
	b.WriteString(a.expression.Text[at:])
	return b.String()
}
