package secrets

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// dataPath is a path of a JSON Patch into the data of a Secret.
var dataPath = lazy.Regexp{Text: `^/(?:data|stringData)(?:/|$)`}

// literals finds the values that an expression writes into the data of a Secret: those of
// operations of a JSON Patch whose path leads there, and of maps that are called data or
// stringData, in whatever quotes they are written.
func (f *finder) literals(expression string, at mapper) {
	if !f.aboutSecrets {
		return
	}
	var tokens []source.Token
	for _, t := range source.Lex(expression) {
		if t.Kind != source.Comment {
			tokens = append(tokens, t)
		}
	}
	w := written{f, tokens, at}
	for i := range tokens {
		switch {
		case w.is(i, "JSONPatch") && w.is(i+1, "{"):
			if end := w.end(i + 1); w.intoData(i+1, end) {
				w.field("value", i+1, end)
			}
		case w.isData(i) && w.is(i+1, ":"):
			if open := w.braceAfter(i + 2); open >= 0 {
				w.values(open, w.end(open))
			}
		}
	}
}

// written looks through the tokens of an expression.
type written struct {
	*finder
	tokens []source.Token
	at     mapper
}

func (w written) is(i int, text string) bool {
	return i >= 0 && i < len(w.tokens) && w.tokens[i].Text == text
}

// isData reports whether a token is the name of the data of a Secret, as a field or as a key.
func (w written) isData(i int) bool {
	t := w.tokens[i]
	name := t.Text
	if t.Kind == source.String {
		name = t.Literal()
	}
	return name == "data" || name == "stringData"
}

// braceAfter is where the map of a field begins, whose type may be named first; -1 when there is none.
func (w written) braceAfter(i int) int {
	for ; i < len(w.tokens) && (w.tokens[i].Kind == source.Word || w.is(i, ".")); i++ {
	}
	if w.is(i, "{") {
		return i
	}
	return -1
}

// end is the token that closes the bracket at a token, or the number of tokens.
func (w written) end(open int) int {
	depth := 0
	for i := open; i < len(w.tokens); i++ {
		if t := w.tokens[i]; t.Kind == source.Symbol && strings.Contains("([{", t.Text) {
			depth++
		} else if t.Kind == source.Symbol && strings.Contains(")]}", t.Text) {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(w.tokens)
}

// intoData reports whether the path of an operation leads into the data of a Secret.
func (w written) intoData(open, end int) bool {
	for i := open + 1; i+2 < end; i++ {
		if w.is(i, "path") && w.is(i+1, ":") {
			return w.tokens[i+2].Kind == source.String && dataPath.MatchString(w.tokens[i+2].Literal())
		}
	}
	return false
}

// field looks at what an operation has as a field.
func (w written) field(name string, open, end int) {
	for i := open + 1; i < end; i++ {
		switch {
		case w.is(i, name) && w.is(i+1, ":"):
			until := i + 2
			for until < end && !w.is(until, ",") {
				until = max(until+1, w.closed(until))
			}
			w.values(i+1, until)
			return
		case w.closed(i) > i:
			i = w.closed(i) - 1
		}
	}
}

// closed is the token behind the bracket that opens at a token; the token itself when none does.
func (w written) closed(i int) int {
	if t := w.tokens[i]; t.Kind == source.Symbol && strings.Contains("([{", t.Text) {
		return min(w.end(i)+1, len(w.tokens))
	}
	return i
}

// values adds the strings between two tokens that are values, or parts of one: not the keys of maps,
// and not what something is compared with or looked up by.
func (w written) values(open, end int) {
	for i := open + 1; i < end; i++ {
		t := w.tokens[i]
		if t.Kind != source.String || t.Open || !w.isValue(i) {
			continue
		}
		value := t.Literal()
		if isPlaceholder(value) {
			continue
		}
		start := t.Bytes + strings.LastIndex(t.Text, value)
		w.add(w.at, start, start+len(value), sameForm(value), "a value that an expression writes into a Secret")
	}
}

// isValue reports whether a string is a value by what stands before it.
func (w written) isValue(i int) bool {
	switch before := w.tokens[i-1].Text; before {
	case ":", "+", "?":
		return true
	case "(":
		return w.is(i-2, "encode") || w.is(i-2, "bytes") || w.is(i-2, "string")
	default:
		return false
	}
}
