package scenario

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/position"
)

type nodeKind int

const (
	scalarNode nodeKind = iota
	mappingNode
	sequenceNode
)

type scalarStyle int

const (
	plainStyle scalarStyle = iota
	singleStyle
	doubleStyle
	blockStyle
	jsonStyle
)

// node is a value of a document with its start. Aliases share their anchor's node, so the nodes
// form a directed graph without cycles.
type node struct {
	kind  nodeKind
	start int // byte offset in the text
	// end is the byte offset after the node; -1 if not yet computed.
	end   int
	style scalarStyle
	flow  bool   // a collection in brackets
	value string // decoded text of a scalar

	entries []entry // of a mapping, in the order of the text
	// names indexes the entries of a long mapping.
	names  map[string]int
	merged []*node // mappings merged into this one with <<
	items  []*node // of a sequence

	size  int // number of values including itself, aliases expanded; 0 in JSON
	bytes int // bytes of keys and scalars in it, aliases expanded; 0 in JSON
}

// entry is one key of a mapping and its value.
type entry struct {
	name  string // the key in JSON
	key   *node
	value *node
}

// child returns a key's value, or nil. The last duplicate wins, as in the parsers. Merged mappings
// come last.
func (n *node) child(name string) *node {
	if e := n.entry(name); e != nil {
		return e.value
	}
	return nil
}

// longMapping is the number of entries from which a map indexes them.
const longMapping = 32

// index builds the index of a long mapping. Call it after adding all entries.
func (n *node) index() {
	if len(n.entries) < longMapping {
		return
	}
	n.names = make(map[string]int, len(n.entries))
	for i, e := range n.entries {
		n.names[e.name] = i
	}
}

func (n *node) entry(name string) *entry {
	if n == nil {
		return nil
	}
	if n.names != nil {
		if i, ok := n.names[name]; ok {
			return &n.entries[i]
		}
	} else {
		for i := len(n.entries) - 1; i >= 0; i-- {
			if n.entries[i].name == name {
				return &n.entries[i]
			}
		}
	}
	for _, m := range n.merged {
		if e := m.entry(name); e != nil {
			return e
		}
	}
	return nil
}

// span returns the node's place. An empty plain scalar (a key without a value) has an empty span.
func (s *source) span(n *node) diag.Span {
	if n == nil {
		return s.trimmed()
	}
	return diag.Span{Start: n.start, End: max(s.end(n), n.start)}
}

// trimmed returns the document's part of the text without surrounding white space.
func (s *source) trimmed() diag.Span {
	part := s.src[s.from:s.to]
	left := len(part) - len(strings.TrimLeft(part, " \t\r\n"))
	return diag.Span{Start: s.from + left, End: s.from + max(len(strings.TrimRight(part, " \t\r\n")), left)}
}

// end computes where a node ends. Parsers only report where it starts.
func (s *source) end(n *node) int {
	if n.end >= 0 {
		return n.end
	}
	if n.kind == scalarNode {
		if m, ok := s.scalar(n); ok {
			// A block scalar includes its last line break. Edits to a field leave the next line
			// alone.
			return n.start + len(strings.TrimRight(s.src[n.start:m.Span.End], "\r\n"))
		}
		return s.endOfLine(n.start)
	}
	end := n.start
	for _, child := range n.children() {
		end = max(end, s.end(child))
	}
	if n.flow && !n.pair() {
		end = s.closing(end, n)
	}
	return end
}

// pair reports whether a mapping is an unbraced single pair in a bracketed list: [a: b].
func (n *node) pair() bool {
	return n.kind == mappingNode && len(n.entries) == 1 && n.entries[0].key != nil && n.entries[0].key.start == n.start
}

// children returns the nodes whose text lies in n's. They do not include aliases: the anchor lies
// before n or is already included.
func (n *node) children() []*node {
	list := append([]*node(nil), n.items...)
	for _, e := range n.entries {
		list = append(list, e.key, e.value)
	}
	return list
}

// closing finds the closing bracket of a flow collection whose last child ends at i. Only white
// space, commas and comments come before it.
func (s *source) closing(i int, n *node) int {
	if i == n.start {
		i++ // the opening bracket of an empty collection
	}
	for i < s.to {
		switch s.src[i] {
		case ']', '}':
			return i + 1
		case '#':
			i = s.endOfLine(i)
		default:
			i++
		}
	}
	return s.to
}

func (s *source) endOfLine(i int) int {
	if i >= s.to {
		return s.to
	}
	if j := strings.IndexAny(s.src[i:s.to], "\r\n"); j >= 0 {
		return i + j
	}
	return s.to
}

// scalar maps a scalar's text. It reports false if our reading of the source differs from the
// parser's.
func (s *source) scalar(n *node) (*ScalarMap, bool) {
	text := s.src[:s.to]
	switch n.style {
	case jsonStyle:
		if n.start < len(text) && text[n.start] != '"' {
			return position.Plain(text, n.start, n.value)
		}
		return position.JSONString(text, n.start, n.value)
	case singleStyle:
		return position.SingleQuoted(text, n.start, n.value)
	case doubleStyle:
		return position.DoubleQuoted(text, n.start, n.value)
	case blockStyle:
		return position.Block(text, n.start, n.value)
	}
	return position.Plain(text, n.start, n.value)
}
