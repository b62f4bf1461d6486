package scenario

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// inline reads a value on the line of its key or dash, which is at a column. It moves to the start
// of the next line.
func (q *quickReader) inline(column, depth int) (value any, n *node) {
	switch q.peek() {
	case '"', '\'':
		value, n = q.quotedValue()
	case '{', '[':
		value, n = q.flow(depth)
	case '|':
		return q.literal(column)
	default:
		value, n = q.plain()
	}
	q.endLine()
	return value, n
}

func (q *quickReader) quotedValue() (any, *node) {
	start := q.at
	text, style, ok := q.quoted()
	if !ok {
		return q.fail()
	}
	return q.scalar(text, text, style, start, q.at)
}

// quoted reads a quoted string on one line.
func (q *quickReader) quoted() (text string, style scalarStyle, ok bool) {
	quote, start, escaped := q.peek(), q.at+1, false
	for q.at++; ; q.at++ {
		switch c := q.peek(); {
		case c == '\n':
			return "", 0, false
		case c == '\\' && quote == '"':
			escaped = true
			if q.at++; strings.IndexByte(`"\nt`, q.peek()) < 0 {
				return "", 0, false
			}
		case c == quote && quote == '\'' && q.char(q.at+1) == '\'':
			escaped = true
			q.at++
		case c == quote:
			inner := q.src[start:q.at]
			q.at++
			if quote == '\'' {
				if escaped {
					inner = strings.ReplaceAll(inner, "''", "'")
				}
				return inner, singleStyle, true
			}
			if escaped {
				inner = unescape(inner)
			}
			return inner, doubleStyle, true
		}
	}
}

// unescape decodes the escapes that quoted supports.
func unescape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		switch c := text[i+1]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		default:
			b.WriteByte(c)
		}
		text = text[i+2:]
	}
}

// plain reads an unquoted value, up to a comment or the line end.
func (q *quickReader) plain() (any, *node) {
	start, end := q.at, q.at
	for ; q.at < len(q.src); q.at++ {
		c := q.src[q.at]
		if c == '\n' || c == '#' && q.src[q.at-1] == ' ' {
			break
		}
		if c == ':' {
			if next := q.char(q.at + 1); next == ' ' || next == '\n' {
				return q.fail() // a mapping, or a mistake
			}
		}
		if c != ' ' {
			end = q.at + 1
		}
	}
	q.at = end
	return q.resolve(start, end)
}

// flow reads a bracketed collection on one line.
func (q *quickReader) flow(depth int) (any, *node) {
	if depth > maxQuickDepth || q.failed {
		return q.fail()
	}
	if q.peek() == '[' {
		return q.flowSequence(depth)
	}
	n := q.flowNode(mappingNode)
	first, firstKey, firstEntry := len(q.items), len(q.keys), len(q.entries)
	for more := q.open('}'); more; more = q.comma('}') {
		name, style, start, ok := q.key()
		if !ok || q.peek() != ' ' {
			return q.fail()
		}
		key := q.keyNode(name, style, start)
		q.spaces()
		value, child := q.flowValue(depth + 1)
		q.entry(name, key, value, child)
	}
	value, _ := q.endMapping(n, first, firstKey, firstEntry)
	return value, q.closed(n)
}

func (q *quickReader) flowSequence(depth int) (any, *node) {
	n := q.flowNode(sequenceNode)
	first, firstChild := len(q.items), len(q.children)
	for more := q.open(']'); more; more = q.comma(']') {
		value, child := q.flowValue(depth + 1)
		q.item(value, child)
	}
	value, _ := q.endSequence(n, first, firstChild)
	return value, q.closed(n)
}

func (q *quickReader) flowNode(kind nodeKind) *node {
	n := q.node(kind, q.at)
	if n != nil {
		n.flow = true
	}
	return n
}

// closed records where a bracketed collection ended.
func (q *quickReader) closed(n *node) *node {
	if q.last = q.at; n != nil {
		n.end = q.at
	}
	return n
}

// open skips an opening bracket. It returns false if the closing one follows.
func (q *quickReader) open(end byte) (more bool) {
	q.at++
	q.spaces()
	if q.peek() == end {
		q.at++
		return false
	}
	return true
}

// comma skips a comma or closing bracket after an item.
func (q *quickReader) comma(end byte) (more bool) {
	q.spaces()
	c := q.peek()
	q.at++
	if c != ',' {
		if c != end {
			q.fail()
		}
		return false
	}
	q.spaces()
	return !q.failed
}

func (q *quickReader) flowValue(depth int) (any, *node) {
	switch q.peek() {
	case '"', '\'':
		return q.quotedValue()
	case '{', '[':
		return q.flow(depth)
	}
	start := q.at
	for q.at < len(q.src) && isWordByte(q.src[q.at]) {
		q.at++
	}
	return q.resolve(start, q.at)
}

// literal reads a literal block after |, indented by more than a column. It moves to the start of
// the next line.
func (q *quickReader) literal(column int) (any, *node) {
	start := q.at
	q.at++
	chomp := q.peek()
	if chomp == '-' || chomp == '+' {
		q.at++
	}
	if q.peek() != '\n' || q.at >= len(q.src) {
		return q.fail()
	}
	q.nextLine()
	q.spaces()
	indent := q.at - q.line
	if indent <= column || q.peek() == '\n' {
		return q.fail()
	}
	var b strings.Builder
	end, empty := 0, 0 // end of the latest non-empty line; empty lines since then
	for q.at = q.line; q.at < len(q.src); {
		for q.at-q.line < indent && q.peek() == ' ' {
			q.at++
		}
		if q.peek() == '\n' && q.at < len(q.src) {
			if chomp == '+' && q.at > q.line {
				return q.fail()
			}
			empty++
			q.nextLine()
			continue
		}
		if q.at-q.line < indent {
			if q.at-q.line > column {
				return q.fail()
			}
			q.at = q.line
			break
		}
		for ; empty > 0; empty-- {
			b.WriteByte('\n')
		}
		length := strings.IndexByte(q.src[q.at:], '\n')
		if length < 0 {
			return q.fail()
		}
		end = q.at + length
		b.WriteString(q.src[q.at : end+1])
		q.at = end
		q.nextLine()
	}
	text := b.String()
	switch chomp {
	case '-':
		text = strings.TrimSuffix(text, "\n")
	case '+':
		text += strings.Repeat("\n", empty)
	}
	return q.scalar(text, text, blockStyle, start, end)
}

// resolve returns the value of an unquoted scalar by YAML 1.1.
func (q *quickReader) resolve(start, end int) (any, *node) {
	text := q.src[start:end]
	value, ok := resolved(text)
	if !ok {
		return q.fail()
	}
	return q.scalar(value, text, plainStyle, start, end)
}

// resolved returns false unless the text is a word, number or boolean in its usual form.
func resolved(text string) (value any, ok bool) {
	if text == "" {
		return nil, false
	}
	switch c := text[0]; {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return word(text)
	case isDigit(c):
		return number(text)
	case c == '/' || c == '_' || c == '$' || c == '(' || c >= utf8.RuneSelf:
		return text, true
	case c == '.':
		return text, strings.HasPrefix(text, "./")
	case c == '-' && len(text) > 1:
		next := text[1]
		return text, next == '-' || next >= 'a' && next <= 'z' || next >= 'A' && next <= 'Z'
	}
	return nil, false
}

// word resolves a text that begins with a letter.
func word(text string) (any, bool) {
	switch text {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null":
		return nil, true
	}
	if len(text) <= len("false") {
		switch strings.ToLower(text) {
		case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
			return nil, false
		}
	}
	return text, true
}

// number resolves a text that begins with a digit: a whole number, or a string that cannot be a
// number, such as a quantity with a unit or an address.
func number(text string) (any, bool) {
	digits, dots := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case c == '.':
			dots++
		}
	}
	switch {
	case len(text) > 4 && text[4] == '-':
		return nil, false // perhaps a date
	case digits == len(text) && len(text) <= 18 && (text[0] != '0' || len(text) == 1):
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	case digits+dots == len(text):
		return text, dots > 1
	}
	// None of these letters occurs in a number of any base, or in its exponent.
	return text, strings.ContainsAny(text, "ghijklmnpqrstuvwyzGHIJKLMNPQRSTUVWYZ")
}
