package scenario

import (
	"fmt"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// nodeBuilder turns a yaml.v3 tree into our nodes.
type nodeBuilder struct {
	p     *parser
	s     *source
	lines []int     // byte offsets where lines start, as YAML 1.1 counts lines
	last  yamlPlace // the latest lookup
	// built are the nodes that an alias may name. open are those in construction, to find aliases
	// of themselves.
	built map[*yamlv3.Node]*node
	open  map[*yamlv3.Node]bool
	names map[string]string // names of keys, by their source text
}

// yamlPlace is a line and column of yaml.v3 and its byte offset.
type yamlPlace struct{ line, column, at int }

func newNodeBuilder(p *parser, s *source) *nodeBuilder {
	return &nodeBuilder{
		p: p, s: s, lines: position.LineStarts(s.src[:s.to], s.from),
		built: map[*yamlv3.Node]*node{}, open: map[*yamlv3.Node]bool{}, names: map[string]string{},
	}
}

// offset converts yaml.v3's 1-based line and column, which count code points, to a byte offset.
// Nodes come nearly in source order, so it continues from the latest one if possible. That way a
// long line is counted once.
func (b *nodeBuilder) offset(line, column int) int {
	if line < 1 || line > len(b.lines) {
		return b.s.from
	}
	from := yamlPlace{line, 1, b.lines[line-1]}
	if b.last.line == line && b.last.column <= column {
		from = b.last
	}
	at := from.at
	if column-from.column > farColumn {
		if b.p.index == nil {
			b.p.index = position.NewIndex(b.p.src)
		}
		at = min(b.p.index.FromRunes(b.p.index.Runes(at)+column-from.column), b.s.to)
	} else {
		for c := from.column; c < column && at < b.s.to; c++ {
			_, width := utf8.DecodeRuneInString(b.s.src[at:b.s.to])
			at += width
		}
	}
	b.last = yamlPlace{line, column, at}
	return at
}

// farColumn is the distance from which looking up a column is faster than counting.
const farColumn = 200

func (b *nodeBuilder) build(y *yamlv3.Node, depth int) (*node, error) {
	if y.Kind == yamlv3.DocumentNode {
		if len(y.Content) == 0 {
			return nil, nil
		}
		return b.build(y.Content[0], depth)
	}
	if y.Kind == yamlv3.AliasNode {
		y = y.Alias
	}
	anchored := y.Anchor != ""
	if anchored {
		if n, ok := b.built[y]; ok {
			return n, nil
		}
	}
	at := b.offset(y.Line, y.Column)
	switch {
	case anchored && b.open[y]:
		return nil, &limitError{codes.YAMLAliasLoop, fmt.Sprintf("the anchor &%s contains itself", y.Anchor), at}
	case depth > MaxDepth:
		return nil, &limitError{codes.TooDeep, fmt.Sprintf("values are nested more than %d deep; the document was not read", MaxDepth), at}
	}
	if anchored {
		b.open[y] = true
		defer delete(b.open, y)
	}

	n := &node{start: b.skipProperties(at, y), end: -1}
	var err error
	switch y.Kind {
	case yamlv3.MappingNode:
		err = b.mapping(n, y, depth)
	case yamlv3.SequenceNode:
		err = b.sequence(n, y, depth)
	default:
		n.style, n.value = styleOf(y), y.Value
		n.size, n.bytes = 1, len(y.Value)
	}
	if err != nil {
		return nil, err
	}
	if n.bytes > MaxExpandedBytes {
		return nil, &limitError{codes.TooManyValues, fmt.Sprintf("the document has more than %d MiB after aliases are expanded; it was not read", MaxExpandedBytes>>20), at}
	}
	if n.size > MaxNodes {
		return nil, &limitError{codes.TooManyValues, fmt.Sprintf("the document has more than %d values after aliases are expanded; it was not read", MaxNodes), at}
	}
	if anchored {
		b.built[y] = n
	}
	return n, nil
}

func (b *nodeBuilder) mapping(n *node, y *yamlv3.Node, depth int) error {
	n.kind, n.flow = mappingNode, y.Style&yamlv3.FlowStyle != 0
	n.size = 1
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, err := b.build(y.Content[i], depth+1)
		if err != nil {
			return err
		}
		merge, name := y.Content[i].Tag == "!!merge", ""
		if !merge {
			name = b.keyName(y.Content[i], key)
			b.p.anotherKey(b.s, key, name)
		}
		value, err := b.build(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		n.size += value.size
		n.bytes += key.bytes + value.bytes
		if merge {
			if value.kind == sequenceNode {
				n.merged = append(n.merged, value.items...)
			} else {
				n.merged = append(n.merged, value)
			}
			continue
		}
		n.entries = append(n.entries, entry{name, key, value})
	}
	n.index()
	b.p.duplicates(b.s, n)
	if !n.flow && len(n.entries) > 0 {
		n.start = min(n.start, n.entries[0].key.start)
	}
	return nil
}

// anotherKey warns about an unquoted key that YAML 1.1 reads as a boolean or number, so the
// document gets a different key: false for n, 1.1 for 1.10.
func (p *parser) anotherKey(s *source, key *node, name string) {
	if key.kind != scalarNode || key.style != plainStyle {
		return
	}
	span := s.span(key)
	text := s.src[span.Start:span.End]
	if text == name || text == "" || strings.ContainsAny(text, "!&*\n") {
		return
	}
	d := p.report(diag.Warning, codes.YAMLKey, span, fmt.Sprintf("the key %s without quotes is read as %q", text, name),
		"YAML 1.1, which kubectl and the API server use, reads it as a boolean, a number or null, and JSON keys are strings.")
	d.Fixes = []diag.Fix{{Title: "Put it in quotes", Edits: []diag.Edit{{Text: p.text, Span: span, New: quoted(text)}}}}
}

// duplicates warns about duplicate keys in a mapping. kubectl's and the server's parsers keep the
// last one. A second apiVersion and kind have another cause: a missing separator before them.
func (p *parser) duplicates(s *source, n *node) {
	seen := make(map[string]entry, len(n.entries))
	before := len(p.diags)
	again := map[string]bool{}
	for _, e := range n.entries {
		if first, ok := seen[e.name]; ok {
			again[e.name] = true
			d := p.report(diag.Warning, codes.DuplicateKey, s.span(e.key), fmt.Sprintf("the key %q is set twice; only the last one counts", e.name),
				"YAML forbids duplicate keys. kubectl and the API server keep the last one without an error.")
			d.Related = []diag.Related{{Text: p.text, Span: s.span(first.key), Summary: "set before here"}}
			d.Fixes = p.joined(s, n, first, e)
			if len(d.Fixes) == 0 {
				d.Fixes = p.nextItem(s, n, e)
			}
		}
		seen[e.name] = e
	}
	if again["apiVersion"] && again["kind"] {
		p.separatorMissing(s, before)
	}
}

// separatorMissing reports a second document's keys as one problem.
func (p *parser) separatorMissing(s *source, from int) {
	d := p.diags[from]
	if line := strings.LastIndexByte(s.src[:d.Span.Start], '\n') + 1; line != d.Span.Start {
		return // within something else
	}
	d.Summary = "a second document begins here, without a line --- before it"
	d.Detail = "Every key appears twice. kubectl and the API server read one document, with the last value of each key."
	d.Fixes = []diag.Fix{{Title: "Write --- before it", Edits: []diag.Edit{{Text: p.text, Span: diag.Span{Start: d.Span.Start, End: d.Span.Start}, New: "---\n"}}}}
	p.diags = append(p.diags[:from], d)
}

func (b *nodeBuilder) sequence(n *node, y *yamlv3.Node, depth int) error {
	n.kind, n.flow = sequenceNode, y.Style&yamlv3.FlowStyle != 0
	n.size = 1
	for _, c := range y.Content {
		item, err := b.build(c, depth+1)
		if err != nil {
			return err
		}
		n.size += item.size
		n.bytes += item.bytes
		n.items = append(n.items, item)
	}
	return nil
}

func styleOf(y *yamlv3.Node) scalarStyle {
	switch {
	case y.Style&yamlv3.SingleQuotedStyle != 0:
		return singleStyle
	case y.Style&yamlv3.DoubleQuotedStyle != 0:
		return doubleStyle
	case y.Style&(yamlv3.LiteralStyle|yamlv3.FoldedStyle) != 0:
		return blockStyle
	}
	return plainStyle
}

// skipProperties moves over the tag and the anchor in front of a value, which
// yaml.v3 counts as part of it. No value starts with the characters & and !.
func (b *nodeBuilder) skipProperties(at int, y *yamlv3.Node) int {
	text := b.s.src[:b.s.to]
	if y.Kind == yamlv3.ScalarNode && y.Value == "" && styleOf(y) == plainStyle {
		return at // nothing left to skip to
	}
	for at < len(text) && (text[at] == '&' || text[at] == '!') {
		at = skipSpace(text, at+len(property.FindString(text[at:])))
	}
	return at
}

// property matches an anchor or a tag. An anchor's name ends at the first character that cannot be
// part of a name, with or without a space.
var property = lazy.Regexp{Text: `^(&[0-9A-Za-z_-]*|![^ \t\r\n]*)`}

// skipSpace skips white space and comments.
func skipSpace(text string, i int) int {
	for i < len(text) {
		switch {
		case strings.ContainsRune(" \t\r\n", rune(text[i])):
			i++
		case text[i] == '#':
			i = lineEnd(text, i)
		default:
			return i
		}
	}
	return i
}
