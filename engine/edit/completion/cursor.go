package completion

import (
	"bytes"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// marker is inserted at the cursor while a text is parsed. It is a word in both
// YAML and CEL, and occurs in no real text.
const marker = "zzPreadmitCursorzz"

// cursor is the cursor's position in a YAML or JSON text.
type cursor struct {
	root *yamlv3.Node
	// path leads from the document to the mapping or sequence around a key, or
	// to the value itself: strings are keys, ints are items.
	path fieldpath.Path
	// isKey reports whether the cursor is in a key of the mapping at path.
	isKey bool
	// before and after are the decoded key or value on both sides of the cursor.
	before, after string
	// quoted reports whether the value is in quotes or a block, and so a string
	// whatever its content. single reports whether the quotes are single ones.
	quoted, single bool
	// siblings are the other keys of the mapping around a key.
	siblings []string
}

// locate finds the cursor at a byte offset of a text. Text that is being typed is
// seldom valid YAML, so locate tries several ways to complete the line. It returns
// nil if none of them parses.
func locate(text string, offset int) *cursor {
	from, to := documentAt(text, offset)
	if from < 0 || scenario.TooDeep(text[from:to]) >= 0 {
		return nil
	}
	doc, at := text[from:to], offset-from
	for _, attempt := range attempts(doc, at) {
		if c := parseAt(attempt.text); c != nil && (!attempt.key || c.isKey) {
			return c
		}
	}
	return nil
}

// documentAt returns the document around an offset, without its separators, or -1
// if the offset is in a separator.
func documentAt(text string, offset int) (from, to int) {
	from, to = 0, len(text)
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		if strings.HasPrefix(text[start:end], "---") {
			switch {
			case start <= offset && offset < end && offset > start:
				return -1, -1
			case end <= offset:
				from = end
			case start >= offset:
				return from, start
			}
		}
		start = end
	}
	return from, to
}

// attempt is a text with the marker at the cursor. key reports whether it counts
// only if the marker becomes a key.
type attempt struct {
	text string
	key  bool
}

var (
	keyBegun  = lazy.Regexp{Text: `^\s*(- +)*["']?[A-Za-z0-9_.$/-]*$`}
	keyValue  = lazy.Regexp{Text: `^(\s*(?:- +)*)(["']?[A-Za-z0-9_.$/-]+["']?)\s*:\s+(.*)$`}
	wordOrEnd = lazy.Regexp{Text: `^[A-Za-z0-9_.$/-]*\s*$`}
)

// attempts lists the ways to read the text, the likeliest first.
func attempts(doc string, at int) []attempt {
	start := strings.LastIndexByte(doc[:at], '\n') + 1
	end := len(doc)
	if i := strings.IndexByte(doc[at:], '\n'); i >= 0 {
		end = at + i
	}
	line, rest := doc[start:at], doc[at:end]
	head, tail := doc[:at], doc[end:]
	var out []attempt
	if keyBegun.MatchString(line) && wordOrEnd.MatchString(rest) {
		out = append(out, attempt{head + marker + strings.TrimRight(rest, " \t") + ":" + tail, true})
	}
	out = append(out, attempt{text: head + marker + rest + tail})
	// Read a value that is not YAML, such as CEL that begins with a quote, as a block.
	if m := keyValue.FindStringSubmatch(line); m != nil {
		if behindQuotes(m[3]) && strings.TrimSpace(rest) == "" {
			return nil // after the closing quote only the next line can follow
		}
		if closing := unclosed(m[3], isExpressionKey(strings.Trim(m[2], `"'`))); closing != "" {
			out = append(out, attempt{text: head + marker + closing + tail})
		}
		indent := strings.Repeat(" ", len(m[1])+2)
		key := doc[:start] + m[1] + m[2] + ": |-\n" + indent
		out = append(out, attempt{text: key + m[3] + marker + rest + tail}, attempt{text: key + m[3] + marker + tail})
	}
	// Something on the line is not closed yet.
	for _, closing := range []string{"", `"`, "'", "}", "]", `"}`, `"]`, "}}", `"}}`, "]}", `"]}`} {
		out = append(out, attempt{text: head + marker + closing + tail})
	}
	return out
}

// behindQuotes reports whether a value that begins with a quote ends with its closing quote, or with
// another string's. Nothing can directly follow either.
func behindQuotes(value string) bool {
	if len(value) < 2 || value[0] != '"' && value[0] != '\'' || value[len(value)-1] != value[0] {
		return false
	}
	quote := value[:1]
	return (strings.Count(value, quote)-strings.Count(value, `\`+quote))%2 == 0
}

// unclosed returns the text that closes a value that begins with a quote or a
// bracket. In an expression, a bracket begins a CEL list, not a YAML one.
func unclosed(value string, expression bool) string {
	if value == "" {
		return ""
	}
	switch quote := value[:1]; quote {
	case `"`, "'":
		if strings.Count(value, quote)-strings.Count(value, `\"`) == 1 {
			return quote
		}
	case "[", "{":
		if expression {
			return ""
		}
		closing := ""
		for _, b := range brackets(source.Lex(value))[1:] {
			closing = map[string]string{"[": "]", "{": "}", "(": ")"}[b.open] + closing
		}
		return closing
	}
	return ""
}

// parseAt parses a text with the marker in it.
func parseAt(text string) (c *cursor) {
	// The library may panic on a strange text; the program must go on.
	defer func() {
		if recover() != nil {
			c = nil
		}
	}()
	var doc yamlv3.Node
	if err := yamlv3.NewDecoder(bytes.NewReader([]byte(text))).Decode(&doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	c = &cursor{root: doc.Content[0]}
	if c.find(c.root, nil) {
		return c
	}
	return nil
}

// find searches for the marker below a node. It does not follow aliases, because
// the marker occurs only where it was written.
func (c *cursor) find(n *yamlv3.Node, path fieldpath.Path) bool {
	switch n.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; strings.Contains(key.Value, marker) {
				c.path, c.isKey = path, true
				c.split(key)
				c.siblings = keysBeside(n, i)
				return true
			}
			if c.find(n.Content[i+1], path.Child(n.Content[i].Value)) {
				return true
			}
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			if c.find(item, path.Index(i)) {
				return true
			}
		}
	case yamlv3.ScalarNode:
		if strings.Contains(n.Value, marker) {
			c.path = path
			c.split(n)
			return true
		}
	}
	return false
}

func (c *cursor) split(n *yamlv3.Node) {
	c.before, c.after, _ = strings.Cut(n.Value, marker)
	c.single = n.Style&yamlv3.SingleQuotedStyle != 0
	c.quoted = n.Style&(yamlv3.SingleQuotedStyle|yamlv3.DoubleQuotedStyle|yamlv3.LiteralStyle|yamlv3.FoldedStyle) != 0
}

func keysBeside(mapping *yamlv3.Node, at int) []string {
	var out []string
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if i != at {
			out = append(out, mapping.Content[i].Value)
		}
	}
	return out
}

// document returns the document as a value, with the detail needed to know what a
// policy matches. All scalars are strings. The marker is kept or removed.
func (c *cursor) document(marked bool) map[string]any {
	clean := func(s string) string { return strings.ReplaceAll(s, marker, "") }
	if marked {
		clean = func(s string) string { return s }
	}
	doc, _ := plain(c.root, clean, 0).(map[string]any)
	return doc
}

// maxDepth bounds the walk: an alias may contain itself.
const maxDepth = 100

func plain(n *yamlv3.Node, clean func(string) string, depth int) any {
	if depth > maxDepth {
		return nil
	}
	switch n.Kind {
	case yamlv3.AliasNode:
		// Do not expand aliases to know what a policy matches: a few bytes can
		// expand to gigabytes.
		return nil
	case yamlv3.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[clean(n.Content[i].Value)] = plain(n.Content[i+1], clean, depth+1)
		}
		return out
	case yamlv3.SequenceNode:
		out := []any{}
		for _, item := range n.Content {
			out = append(out, plain(item, clean, depth+1))
		}
		return out
	case yamlv3.ScalarNode:
		if n.Tag == "!!null" {
			return nil
		}
		return clean(n.Value)
	}
	return nil
}
