package completion

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// bracket is an open bracket around the cursor.
type bracket struct {
	open string // "(", "[" or "{"
	at   int    // index of its token
	// typeName is the name before the bracket: Object.spec before {, the
	// function's name before (.
	typeName string
	// member says that the name before the bracket is a method's.
	member bool
	// ternaries counts the ? that still wait for their : .
	ternaries int
	// colon says that the current entry has its colon: the cursor is in a
	// value, not in a key.
	colon bool
	// field is the key of the current entry, where it is a word.
	field string
	// args counts the arguments before the cursor.
	args int
}

// brackets are those that are open at the end of the tokens, outermost first.
// The first has no bracket: it stands for the whole expression.
func brackets(tokens []source.Token) []bracket {
	stack := []bracket{{}}
	for i, t := range tokens {
		top := &stack[len(stack)-1]
		if t.Kind != source.Symbol {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			name, member := nameBefore(tokens, i)
			stack = append(stack, bracket{open: t.Text, at: i, typeName: name, member: member})
		case ")", "]", "}":
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case ",":
			top.ternaries, top.colon, top.field = 0, false, ""
			top.args++
		case "?":
			if !entryStart(tokens, i) {
				top.ternaries++
			}
		case ":":
			if top.ternaries > 0 {
				top.ternaries--
			} else {
				top.colon = true
				if i > 0 && tokens[i-1].Kind == source.Word {
					top.field = tokens[i-1].Text
				}
			}
		}
	}
	return stack
}

// entryStart reports whether a ? begins what is optional: {?k: v}, [?x], a.?b.
func entryStart(tokens []source.Token, i int) bool {
	if i == 0 {
		return true
	}
	switch prev := tokens[i-1]; prev.Text {
	case "{", "[", ",", ".":
		return prev.Kind == source.Symbol
	}
	return false
}

// nameBefore is the dotted name that ends right before a token.
func nameBefore(tokens []source.Token, i int) (name string, member bool) {
	first := i
	for first > 0 && tokens[first-1].Kind == source.Word {
		first--
		if first == 0 || tokens[first-1].Text != "." {
			break
		}
		first--
	}
	var b strings.Builder
	for _, t := range tokens[first:i] {
		b.WriteString(t.Text)
	}
	name = b.String()
	member = strings.HasPrefix(name, ".") || first > 0 && tokens[first-1].Text == "."
	return name, member || strings.Contains(name, ".")
}

// closers end everything that is open at the cursor so that the text parses.
func closers(stack []bracket) string {
	var b strings.Builder
	for i := len(stack) - 1; i >= 0; i-- {
		top := stack[i]
		b.WriteString(strings.Repeat(" : dyn(null)", top.ternaries))
		switch top.open {
		case "(":
			b.WriteString(")")
		case "[":
			b.WriteString("]")
		case "{":
			if !top.colon {
				b.WriteString(": dyn(null)")
			}
			b.WriteString("}")
		}
	}
	return b.String()
}

// lastDot is the index of the dot of a selection that tokens end with, -1 for
// none, and reports whether it is an optional one.
func lastDot(tokens []source.Token) (dot int, optional bool) {
	last := len(tokens) - 1
	switch {
	case last >= 0 && tokens[last].Text == ".":
		return last, false
	case last >= 1 && tokens[last].Text == "?" && tokens[last-1].Text == ".":
		return last - 1, true
	}
	return -1, false
}
