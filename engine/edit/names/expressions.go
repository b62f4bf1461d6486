package names

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Class is what a word of an expression is.
type Class int

// The classes of words, in the order of Classes.
const (
	Variable Class = iota
	Property
	Function
	Keyword
	String
	Number
	Operator
	Comment
)

// Classes are their names, as editors have them (semantic tokens of the Language Server Protocol).
var Classes = []string{"variable", "property", "function", "keyword", "string", "number", "operator", "comment"}

// Word is a word of an expression, in bytes of the text around it.
type Word struct {
	Class Class
	Span  diag.Span
}

// Expression is a CEL expression in a text, with its words in their order.
type Expression struct {
	Span  diag.Span
	Words []Word
}

// Expressions lists the expressions of the policies and webhooks in a text.
func Expressions(text string) (out []Expression, err error) {
	defer guard.Error(&err)
	docs, _ := scenario.ParseDocuments(diag.Policies, text) // those that cannot be parsed have a diagnostic already
	for _, d := range docs {
		for _, e := range model.Expressions(d.Value) {
			scalar, ok := d.Scalar(e.Path)
			if !ok || scalar.Text != e.Text {
				continue
			}
			found := Expression{Span: scalar.Span}
			tokens := source.Lex(e.Text)
			for i, token := range tokens {
				if class, ok := classOf(tokens, i); ok {
					found.Words = append(found.Words, Word{class, scalar.SpanOfRunes(token.Start, token.End)})
				}
			}
			out = append(out, found)
		}
	}
	return out, nil
}

// classOf is the class of a token; false for brackets and the like.
func classOf(tokens []source.Token, i int) (Class, bool) {
	switch t := tokens[i]; t.Kind {
	case source.Number:
		return Number, true
	case source.String:
		return String, true
	case source.Comment:
		return Comment, true
	case source.Symbol:
		switch t.Text {
		case "(", ")", "[", "]", "{", "}", ",", ".", ":":
			return 0, false
		}
		return Operator, true
	default:
		called := i+1 < len(tokens) && tokens[i+1].Text == "("
		follows := i > 0 && (tokens[i-1].Text == "." || tokens[i-1].Text == "?" && i > 1 && tokens[i-2].Text == ".")
		switch {
		case called:
			return Function, true
		case follows:
			return Property, true
		case t.Text == "in" || t.Text == "true" || t.Text == "false" || t.Text == "null":
			return Keyword, true
		}
		return Variable, true
	}
}
