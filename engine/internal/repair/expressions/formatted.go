package expressions

import (
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// cheaper are ways to write a rule, or its message, whose estimated cost is too high without a need. Each returns an
// empty text for what it does not apply to.
var cheaper = []struct {
	said  string
	write func(expression string) string
}{
	// The server's estimate has no largest size for the text that string() makes, of a number either
	// (kubernetes/kubernetes#124234). It has one for what format() makes.
	{"The estimate has no upper bound for the result of string(), not even for a number. It has one for format().", asFormat},
	{"The estimate knows a property that is named like a reserved word of CEL only by its escaped name. As .namespace it has no limits, as .__namespace__ those of the schema.", escapedWords},
}

// rewritten writes the expression at a path in a way that makes its estimate small enough.
func (r *Repairer) rewritten(d *diag.Diagnostic, doc *scenario.Document, plain string, path fieldpath.Path, v version.Version) bool {
	expression := rewrite.In(doc, plain, path.String())
	if expression == nil || path.Last() != "rule" && path.Last() != "messageExpression" {
		return false
	}
	s := &sizing{Repairer: r, doc: doc, version: v, path: path.String()}
	for _, way := range cheaper {
		text := way.write(string(expression.Runes))
		if text == "" {
			continue
		}
		if s.value = s.only(path.Parent().Parent().Parent(), path); s.value == nil || !path.Set(s.value, text) || !s.fits(nil) {
			continue
		}
		d.Detail = way.said
		d.Fixes = []diag.Fix{expression.Fix(title(string(expression.Runes), text), expression.Differences(text)...)}
		return true
	}
	return false
}

// escapedWords writes the fields that are named like reserved words of CEL as their types have them; empty for an
// expression without any.
func escapedWords(expression string) string {
	tokens := source.NewTokens(expression)
	var out strings.Builder
	end := 0
	for i, t := range tokens.List {
		if escaped, ok := reservedField(tokens, i); ok {
			out.WriteString(expression[end:t.Bytes] + escaped)
			end = t.EndBytes()
		}
	}
	if end == 0 {
		return ""
	}
	return out.String() + expression[end:]
}

// reservedField is the escaped name of the field at a token that reads one named like a reserved word of CEL.
func reservedField(tokens *source.Tokens, i int) (escaped string, ok bool) {
	name := tokens.List[i].Text
	escaped, ok = apiservercel.Escape(name)
	return escaped, ok && escaped != name && !strings.Contains(name, "_") && tokens.Is(i-1, ".") && !tokens.Is(i+1, "(")
}

// asFormat is 'a: %s'.format([b]) for 'a: ' + string(b); empty for what is no sum of texts with
// a string() among them.
func asFormat(expression string) string {
	var format strings.Builder
	var arguments []string
	converts := false
	for _, term := range terms(source.Lex(expression)) {
		first, last := term[0], term[len(term)-1]
		switch {
		case len(term) == 1 && first.Kind == source.String:
			if !strings.ContainsAny(first.Text[:1], `'"`) || strings.ContainsAny(first.Literal(), "\\'\"\n") {
				return ""
			}
			format.WriteString(strings.ReplaceAll(first.Literal(), "%", "%%"))
			continue
		case first.Text == "string" && len(term) > 3 && term[1].Text == "(" && last.Text == ")" && closing(term, 1) == len(term)-1:
			converts = true
			arguments = append(arguments, expression[term[1].EndBytes():last.Bytes])
		default:
			arguments = append(arguments, expression[first.Bytes:last.EndBytes()])
		}
		format.WriteString("%s")
	}
	if !converts {
		return ""
	}
	return "'" + format.String() + "'.format([" + strings.Join(arguments, ", ") + "])"
}

// terms are the operands of an expression that is a sum, nil for any other.
func terms(tokens []source.Token) [][]source.Token {
	var out [][]source.Token
	from := 0
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Text == "(" || t.Text == "[" || t.Text == "{":
			if i = closing(tokens, i); i < 0 {
				return nil
			}
		case t.Text == "+" && i > from:
			out, from = append(out, tokens[from:i]), i+1
		case t.Kind == source.Comment, t.Kind == source.Symbol && t.Text != ".", t.Kind == source.Word && t.Text == "in":
			return nil
		}
	}
	if from == 0 || from == len(tokens) {
		return nil
	}
	return append(out, tokens[from:])
}

// closing is the index of the bracket that closes the one at an index, -1 for none.
func closing(tokens []source.Token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
