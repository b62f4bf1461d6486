package documents

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/scenario"
)

// ReadsParams reports whether an expression anywhere in a policy names params.
func ReadsParams(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, ReadsParams)
	case map[string]any:
		for name, item := range v {
			text, ok := item.(string)
			if ok && slices.Contains(expressionFields, name) && slices.ContainsFunc(source.Lex(text), func(t source.Token) bool { return t.Text == "params" }) {
				return true
			}
			if !ok && ReadsParams(item) {
				return true
			}
		}
	}
	return false
}

// expressionFields are the fields of a policy with CEL.
var expressionFields = []string{"expression", "messageExpression", "valueExpression"}

// WithoutParams removes the paramKind of a policy and the paramRef of its bindings that have one.
func (m Document) WithoutParams(bindings []*scenario.Document) []diag.Fix {
	edits := []Edit{m.ToRemove("spec.paramKind")}
	for _, b := range bindings {
		edits = append(edits, m.in.Of(b).ToRemove("spec.paramRef"))
	}
	return Fix("Remove the paramKind", edits...)
}
