package expressions

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file repairs messages of rules whose estimated cost is too high because they are put
// together with string(): the server's estimate has no largest size for the text that string()
// makes, of a number either (kubernetes/kubernetes#124234). It has one for what format() makes.

// formatted writes the message at a path with format, if that makes its estimate small enough.
func (r *Repairer) formatted(d *diag.Diagnostic, doc *scenario.Document, plain string, path fieldpath.Path, v version.Version) bool {
	expression := rewrite.In(doc, plain, path.String())
	if expression == nil {
		return false
	}
	text := asFormat(string(expression.Runes))
	s := &sizing{Repairer: r, doc: doc, version: v, path: path.String()}
	if text == "" {
		return false
	}
	s.value = s.only(path.Parent().Parent().Parent(), path)
	if s.value == nil || !path.Set(s.value, text) || !s.fits(nil) {
		return false
	}
	d.Detail = "The estimate has no upper bound for the result of string(), not even for a number. It has one for format()."
	d.Fixes = []diag.Fix{expression.Fix("Write "+text, expression.Differences(text)...)}
	return true
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
