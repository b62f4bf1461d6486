package completion

import "strings"

// tokenKind says what a piece of CEL is.
type tokenKind int

const (
	identToken tokenKind = iota
	numberToken
	stringToken
	operatorToken
	commentToken
)

// token is a piece of CEL between two byte offsets.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	// open says that a string or comment does not end in the text.
	open bool
}

// lex cuts CEL into tokens. It accepts anything: what is being typed seldom
// parses.
func lex(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
			continue
		case strings.HasPrefix(text[i:], "//"):
			out = append(out, comment(text, i))
		case isLetter(c):
			out = append(out, word(text, i))
		case isDigit(c):
			out = append(out, span(text, numberToken, i, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }))
		case c == '"' || c == '\'':
			out = append(out, quoted(text, i, i, false))
		default:
			out = append(out, operator(text, i))
		}
		i = out[len(out)-1].end
	}
	return out
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func span(text string, kind tokenKind, start int, in func(byte) bool) token {
	end := start + 1
	for end < len(text) && in(text[end]) {
		end++
	}
	return token{kind: kind, text: text[start:end], start: start, end: end}
}

func comment(text string, start int) token {
	end := strings.IndexByte(text[start:], '\n')
	if end < 0 {
		return token{commentToken, text[start:], start, len(text), true}
	}
	return token{commentToken, text[start : start+end], start, start + end, false}
}

// word is an identifier, or a string with a prefix such as r or b.
func word(text string, start int) token {
	t := span(text, identToken, start, func(c byte) bool { return isLetter(c) || isDigit(c) })
	if t.end < len(text) && (text[t.end] == '"' || text[t.end] == '\'') {
		switch prefix := strings.ToLower(t.text); prefix {
		case "r", "b", "br":
			return quoted(text, start, t.end, strings.Contains(prefix, "r"))
		}
	}
	return t
}

// quoted is the string whose opening quote is at quote.
func quoted(text string, start, quote int, raw bool) token {
	delimiter := text[quote : quote+1]
	if triple := strings.Repeat(delimiter, 3); strings.HasPrefix(text[quote:], triple) {
		delimiter = triple
	}
	for i := quote + len(delimiter); i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(text[i:], delimiter):
			end := i + len(delimiter)
			return token{stringToken, text[start:end], start, end, false}
		}
	}
	return token{stringToken, text[start:], start, len(text), true}
}

func operator(text string, start int) token {
	for _, long := range []string{"&&", "||", "==", "!=", "<=", ">=", ".?", "[?"} {
		if strings.HasPrefix(text[start:], long) {
			return token{operatorToken, long, start, start + len(long), false}
		}
	}
	return token{operatorToken, text[start : start+1], start, start + 1, false}
}

// literal is the text in a string token, without prefix and quotes; escapes
// stay as they are.
func (t token) literal() string {
	text := strings.TrimLeft(t.text, "rRbB")
	if text == "" {
		return ""
	}
	quote := text[:1]
	if triple := strings.Repeat(quote, 3); len(text) >= 6 && strings.HasPrefix(text, triple) {
		quote = triple
	}
	text = text[len(quote):]
	if !t.open {
		text = strings.TrimSuffix(text, quote)
	}
	return text
}

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
	// colon says that the current entry has its colon: the cursor stands in a
	// value, not in a key.
	colon bool
	// field is the key of the current entry, where it is a word.
	field string
	// args counts the arguments before the cursor.
	args int
}

// brackets are those that are open at the end of the tokens, outermost first.
// The first has no bracket: it stands for the whole expression.
func brackets(tokens []token) []bracket {
	stack := []bracket{{}}
	for i, t := range tokens {
		top := &stack[len(stack)-1]
		if t.kind != operatorToken {
			continue
		}
		switch t.text {
		case "(", "[", "{", "[?":
			name, member := nameBefore(tokens, i)
			stack = append(stack, bracket{open: t.text[:1], at: i, typeName: name, member: member})
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
				if i > 0 && tokens[i-1].kind == identToken {
					top.field = tokens[i-1].text
				}
			}
		}
	}
	return stack
}

// entryStart says that a ? begins an optional entry: {?k: v}, [?x].
func entryStart(tokens []token, i int) bool {
	if i == 0 {
		return true
	}
	switch prev := tokens[i-1]; prev.text {
	case "{", "[", ",":
		return prev.kind == operatorToken
	}
	return false
}

// nameBefore is the dotted name that ends right before a token.
func nameBefore(tokens []token, i int) (name string, member bool) {
	first := i
	for first > 0 && tokens[first-1].kind == identToken {
		first--
		if first == 0 || tokens[first-1].text != "." {
			break
		}
		first--
	}
	var b strings.Builder
	for _, t := range tokens[first:i] {
		b.WriteString(t.text)
	}
	name = b.String()
	member = strings.HasPrefix(name, ".") || first > 0 && tokens[first-1].text == "."
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
