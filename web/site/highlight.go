package site

import (
	"context"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// Colours for the YAML and CEL of the static pages, in the manner of the
// editors (app/editor-theme.ts). Pages are read before any script runs, so the
// build writes them. It reads line by line and understands what manifests are
// made of; of what it does not it keeps the text as it is.

// The classes of prose.css.
const (
	isKey      = "k"
	isText     = "t"
	isNumber   = "n"
	isOperator = "o"
	isFunction = "f"
	isComment  = "c"
)

var (
	// A key with what stands before it, and what follows the colon.
	keyLine = regexp.MustCompile(`^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'\[\]{},&*!|>%@-][^#:]*?):(\s.*|)$`)
	// What begins a block scalar.
	blockStart = regexp.MustCompile(`^\s*[|>][-+0-9]*\s*(?:#.*)?$`)
	// The pieces of a value that is not a block.
	flowPiece = regexp.MustCompile(`^#.*$|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\[\]{},]|[^\s\[\]{},"':][^\[\]{},:]*:(?:\s|$)|[^\s\[\]{},][^\[\]{},]*`)
	// Where a file of a txtar archive begins.
	archiveLine = regexp.MustCompile(`^-- (\S+) --$`)
	number      = regexp.MustCompile(`^(?:-?\d+(?:\.\d+)?|true|false|null|~)$`)
	// The pieces of CEL that have a colour.
	celPiece = regexp.MustCompile(`//.*$|r?"(?:[^"\\]|\\.)*"|r?'(?:[^'\\]|\\.)*'|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|[-+*/%<>=!&|?:]+`)
)

// celKeys are the fields that hold CEL.
var celKeys = map[string]bool{"expression": true, "messageExpression": true, "valueExpression": true, "rule": true}

// highlighted is a text of a scenario with its colours. CEL says that all of it
// is an expression.
func highlighted(text string, cel bool) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, highlight(text, cel))
		return err
	})
}

// highlight writes a text as HTML. Without the tags it is the text.
func highlight(text string, cel bool) string {
	h := &highlighter{}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			h.out.WriteByte('\n')
		}
		if m := archiveLine.FindStringSubmatch(line); m != nil {
			h.span(isComment, line)
			h.inBlock, cel = false, strings.HasSuffix(m[1], ".cel")
		} else if cel {
			h.cel(line)
		} else {
			h.line(line)
		}
	}
	return h.out.String()
}

type highlighter struct {
	out strings.Builder
	// In a block scalar: the indentation of its key, and whether it is CEL.
	inBlock  bool
	indent   int
	blockCEL bool
}

func (h *highlighter) span(class, text string) {
	switch {
	case text == "":
	case class == "":
		h.out.WriteString(html.EscapeString(text))
	default:
		h.out.WriteString(`<span class="` + class + `">` + html.EscapeString(text) + "</span>")
	}
}

func (h *highlighter) line(line string) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if h.inBlock && (indent > h.indent || strings.TrimSpace(line) == "") {
		if h.blockCEL {
			h.cel(line)
		} else {
			h.span(isText, line)
		}
		return
	}
	h.inBlock = false
	m := keyLine.FindStringSubmatch(line)
	if m == nil {
		before := line[:indent]
		for rest := line[indent:]; strings.HasPrefix(rest, "- "); rest = rest[2:] {
			before += "- "
		}
		h.span("", before)
		h.value(line[len(before):], false)
		return
	}
	key, value := m[2], m[3]
	cel := celKeys[key]
	h.span("", m[1])
	h.span(isKey, key)
	h.span("", ":")
	if blockStart.MatchString(value) {
		h.inBlock, h.indent, h.blockCEL = true, len(m[1]), cel
		h.span("", value)
		return
	}
	h.value(value, cel)
}

// value writes what stands behind a key or a dash.
func (h *highlighter) value(value string, cel bool) {
	if trimmed := strings.TrimLeft(value, " "); cel && trimmed != "" && !strings.HasPrefix(trimmed, "#") {
		h.span("", value[:len(value)-len(trimmed)])
		quote := trimmed[0]
		if end := len(trimmed) - 1; end > 0 && (quote == '"' || quote == '\'') && trimmed[end] == quote {
			h.span("", trimmed[:1])
			h.cel(trimmed[1:end])
			h.span("", trimmed[end:])
			return
		}
		h.cel(trimmed)
		return
	}
	comment := ""
	if i := strings.LastIndex(value, " #"); i >= 0 && !strings.ContainsAny(value[i:], `"'`) {
		value, comment = value[:i], value[i:]
	}
	defer func() { h.span(isComment, comment) }()
	at := 0
	for _, m := range flowPiece.FindAllStringIndex(value, -1) {
		h.span("", value[at:m[0]])
		piece := value[m[0]:m[1]]
		word := strings.TrimSpace(piece)
		switch {
		case strings.HasPrefix(word, "#"):
			h.span(isComment, piece)
		case word == "---" || strings.ContainsAny(word[:1], "[]{},|>&*!"):
			h.span("", piece)
		case strings.HasSuffix(word, ":") && word[0] != '"' && word[0] != '\'':
			name := word[:len(word)-1]
			h.span(isKey, name)
			h.span("", piece[strings.Index(piece, name)+len(name):])
		case number.MatchString(word):
			h.span(isNumber, piece)
		default:
			h.span(isText, piece)
		}
		at = m[1]
	}
	h.span("", value[at:])
}

// cel writes a line of an expression.
func (h *highlighter) cel(line string) {
	at := 0
	for _, m := range celPiece.FindAllStringIndex(line, -1) {
		h.span("", line[at:m[0]])
		piece := line[m[0]:m[1]]
		next := strings.TrimLeft(line[m[1]:], " ")
		called := strings.HasPrefix(next, "(") || strings.HasPrefix(next, "{")
		switch c := piece[0]; {
		case strings.HasPrefix(piece, "//"):
			h.span(isComment, piece)
		case c == '"' || c == '\'' || strings.HasSuffix(piece, "'") || strings.HasSuffix(piece, `"`):
			h.span(isText, piece)
		case piece == "in":
			h.span(isOperator, piece)
		case piece == "true" || piece == "false" || piece == "null" || '0' <= c && c <= '9':
			h.span(isNumber, piece)
		case strings.ContainsRune("-+*/%<>=!&|?:", rune(c)):
			h.span(isOperator, piece)
		case called:
			h.span(isFunction, piece)
		case m[0] > 0 && (line[m[0]-1] == '.' || line[m[0]-1] == '?'):
			h.span(isKey, piece)
		default:
			h.span("", piece)
		}
		at = m[1]
	}
	h.span("", line[at:])
}
