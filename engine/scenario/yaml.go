package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// chunk reads the text between two separators: as JSON when it is JSON, else as
// YAML, by the quick reader if it can.
func (p *parser) chunk(c chunk) {
	if !p.readable(c) || strings.TrimSpace(p.src[c.from:c.to]) == "" {
		return
	}
	s := &source{src: p.src, from: c.from, to: c.to}
	p.charge(p.src[c.from:c.to])
	ok, problem := p.jsonChunk(s)
	if !ok && !p.quickYAML(s) {
		p.yamlChunk(s, problem)
	}
}

// Reading a value takes some two microseconds and 400 bytes, as nodes, as values and
// as JSON; a byte takes little more than copying it a few times. A mapping of hundreds
// of thousands of lines does not fit into the processor's nearest memory, and each of
// its keys takes up to three times as long.
const (
	valueWork  = 240
	valueBytes = 250
	manyLines  = 2_000 // for each so many lines, one more unit for every line
)

// charge charges for a part of a text before it is read. The libraries cannot be
// stopped, so the number of its values is guessed from what is between them.
func (p *parser) charge(part string) {
	if p.budget == nil {
		return
	}
	lines := strings.Count(part, "\n")
	values := lines + strings.Count(part, ",") + strings.Count(part, "[") + strings.Count(part, "{")
	p.budget.Work(2*len(part) + valueWork*values + lines*(lines/manyLines))
	p.budget.Make(2*len(part) + valueBytes*values)
}

// yamlChunk reads one YAML document. The value comes from sigs.k8s.io/yaml, as
// in kubectl and the API server; the positions from a second parse into nodes,
// which resolves nothing and so cannot change a value.
func (p *parser) yamlChunk(s *source, asJSON *jsonProblem) {
	part := s.src[s.from:s.to]
	began := time.Now()
	root, err := p.nodes(s)
	var tooLarge *limitError
	if errors.As(err, &tooLarge) {
		p.report(diag.Error, tooLarge.code, diag.Span{Start: tooLarge.at, End: tooLarge.at}, tooLarge.summary, "")
		return
	}
	p.timeForValues(part, began)
	raw, valueErr := toJSONFromYAML([]byte(part))
	if valueErr != nil {
		p.yamlProblem(s, valueErr, asJSON)
		return
	}
	if err != nil {
		root = p.nodesBefore(s, err)
	}
	p.budget.Look()
	var value any
	if err := utiljson.Unmarshal(raw, &value); err != nil { // numbers as the API server reads them
		p.report(diag.Error, codes.YAMLValue, s.trimmed(), "a value cannot be written as JSON", err.Error())
		return
	}
	p.add(s, root, value, raw, false)
}

// toJSONFromYAML guards against a panic in the YAML library: texts come from
// strangers, and a link must not be able to stop the program.
func toJSONFromYAML(text []byte) (raw []byte, err error) {
	defer recoverAs(&err, "the YAML library failed")
	return yaml.YAMLToJSON(text)
}

func recoverAs(err *error, what string) {
	if r := recover(); r != nil {
		if _, ended := r.(*budget.Ended); ended {
			panic(r) // it is no failure of the library
		}
		*err = fmt.Errorf("%s: %v", what, r)
	}
}

// limitError says which limit a document breaks and where.
type limitError struct {
	code, summary string
	at            int
}

func (e *limitError) Error() string { return e.summary }

// nodes parses the positions of a YAML document. It returns a nil node without
// an error for an empty document.
func (p *parser) nodes(s *source) (root *node, err error) {
	if err := checkSeemingDepth(s); err != nil {
		return nil, err
	}
	defer recoverAs(&err, "the YAML library failed")
	decoder := yamlv3.NewDecoder(interruptible{strings.NewReader(s.src[s.from:s.to]), p.budget})
	var doc yamlv3.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	b := newNodeBuilder(p, s)
	root, err = b.build(&doc, 0)
	if err != nil {
		return nil, err
	}
	var next yamlv3.Node
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		p.ignored(s, skipSpace(s.src[:s.to], s.end(root)))
	}
	return root, nil
}

// ignored warns about text that kubectl's parser does not look at: it stops
// after the first value.
func (p *parser) ignored(s *source, at int) {
	p.report(diag.Warning, codes.IgnoredAfterDocumentEnd, diag.Span{Start: at, End: s.endOfLine(at)},
		"from here on the document is not read", "The parser stops at the end of the first value. Separate documents with a line of three dashes (---).")
	if d := &p.diags[len(p.diags)-1]; strings.TrimSpace(s.src[at:s.endOfLine(at)]) == "..." {
		d.Detail = "A line of three dots ends a document. Where it means that something was left out, it is a comment."
		fix := diag.Fix{Title: "Write it as a comment"}
		for i := at; i < s.to; i = s.endOfLine(i) + 1 { // of the others the same is true
			line := s.src[i:s.endOfLine(i)]
			if strings.TrimSpace(line) == "..." {
				i += len(line) - len(strings.TrimLeft(line, " "))
				fix.Edits = append(fix.Edits, diag.Edit{Text: p.text, Span: diag.Span{Start: i, End: i}, New: "# "})
			}
		}
		d.Fixes = []diag.Fix{fix}
	}
}

// nodesBefore parses the positions of a document that only the parser of the
// positions refuses, as it looks further than the other: what follows the value
// is broken, and not read.
func (p *parser) nodesBefore(s *source, err error) *node {
	if s.to-s.from > maxSearch {
		return nil
	}
	part := s.src[s.from:s.to]
	fails := func(beginning string) bool { return yamlv3.Unmarshal([]byte(beginning), new(yamlv3.Node)) != nil }
	to := firstFailure(part, fails)
	if fails(part[:to]) || strings.TrimSpace(part[:to]) == "" {
		to = endOfBrackets(part[:lineEnd(part, errorLineStart(part, err.Error()))], fails)
	}
	root, err := p.nodes(&source{src: s.src, from: s.from, to: s.from + to})
	if err != nil {
		return nil
	}
	p.ignored(s, s.from+to)
	return root
}

// endOfBrackets is the end of the longest beginning that does not fail and ends with a
// bracket: within brackets over several lines no shorter beginning is whole. It is 0 if
// there is none, or too much work to find it.
func endOfBrackets(part string, fails func(beginning string) bool) int {
	work := 8 * maxSearch
	for to := len(part); to > 0 && work > 0; to-- {
		if c := part[to-1]; c != '}' && c != ']' {
			continue
		}
		if work -= to; !fails(part[:to]) {
			return to
		}
	}
	return 0
}

// nodeBuilder turns a tree of yaml.v3 into our nodes.
type nodeBuilder struct {
	p     *parser
	s     *source
	lines []int     // byte offsets where lines start, as YAML 1.1 counts lines
	last  yamlPlace // the latest that was looked up
	// built are the nodes that an alias may name, open those of them that are being
	// built, to find aliases of themselves.
	built map[*yamlv3.Node]*node
	open  map[*yamlv3.Node]bool
	names map[string]string // what keys are read as, by their text
}

// yamlPlace is a line and column of yaml.v3 and its byte offset.
type yamlPlace struct{ line, column, at int }

func newNodeBuilder(p *parser, s *source) *nodeBuilder {
	return &nodeBuilder{
		p: p, s: s, lines: position.LineStarts(s.src[:s.to], s.from),
		built: map[*yamlv3.Node]*node{}, open: map[*yamlv3.Node]bool{}, names: map[string]string{},
	}
}

// offset converts the 1-based line and column of yaml.v3, which counts code
// points, to a byte offset. Nodes come in the order of the text, nearly, so it goes
// on from the latest one where it can: what is on a long line is counted once.
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

// farColumn is where looking up a column gets faster than counting.
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

// anotherKey warns about a key without quotes that YAML 1.1 reads as a boolean or a number,
// so that the document gets another key than the one that is written: false for n, 1.1 for
// 1.10.
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
		"YAML 1.1, which kubectl and the API server read, takes it for a boolean, a number or null, and JSON has only texts as keys.")
	d.Fixes = []diag.Fix{{Title: "Put it in quotes", Edits: []diag.Edit{{Text: p.text, Span: span, New: quoted(text)}}}}
}

// duplicates warns about keys that a mapping has twice. The parsers of kubectl
// and of the server keep the last one. A second apiVersion and kind are no
// mistake of their own: a separator is missing before them.
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

// separatorMissing makes one problem of the keys of a second document.
func (p *parser) separatorMissing(s *source, from int) {
	d := p.diags[from]
	if line := strings.LastIndexByte(s.src[:d.Span.Start], '\n') + 1; line != d.Span.Start {
		return // within something else
	}
	d.Summary = "a second document begins here, without a line --- before it"
	d.Detail = "Every key is there twice. kubectl and the API server read one document, with the last of each key."
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
		return at // nothing follows that could be skipped to
	}
	for at < len(text) && (text[at] == '&' || text[at] == '!') {
		at = skipSpace(text, at+len(property.FindString(text[at:])))
	}
	return at
}

// property matches an anchor or a tag. The name of an anchor ends at the first
// character that is none of its own, with or without a space.
var property = lazy.Regexp{Text: `^(&[0-9A-Za-z_-]*|![^ \t\r\n]*)`}

// skipSpace moves over white space and comments.
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

// keyName is the key as it is in JSON: the parser reads 1 as "1", on as "true",
// and a tag may change either. Unless it is plain what a key is, the parser
// decides, on a document with nothing but that key.
func (b *nodeBuilder) keyName(y *yamlv3.Node, key *node) string {
	if y.Kind == yamlv3.AliasNode {
		y = y.Alias
	}
	at := b.offset(y.Line, y.Column)
	tagged := at < key.start
	switch {
	case y.Kind != yamlv3.ScalarNode || !tagged && styleOf(y) != plainStyle:
		return y.Value
	case !tagged && isWord(y.Value): // it is in the text as it is
		key.end = key.start + len(y.Value)
		return y.Value
	}
	text := b.s.src[at:b.s.end(key)]
	name, known := b.names[text]
	if !known && !tagged {
		name, known = wholeNumber(text)
	}
	if !known {
		b.p.budget.Work(resolveWork)
		name = resolveKey(text, y.Value)
		b.names[text] = name
	}
	return name
}

// resolveWork is what asking the parser about one key takes.
const resolveWork = 400

// isWord reports whether a plain scalar can only be a string: a letter and then
// letters, digits, dots and the like, and none of the words which YAML 1.1 reads as a
// boolean or null. Nearly all keys are such, and asking the parser about each costs
// more than everything else.
func isWord(text string) bool {
	for i, c := range text {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		digit := c >= '0' && c <= '9' || c == '-' || c == '_' || c == '/' || c == '.'
		if !letter && !digit || digit && i == 0 {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

// wholeNumber is the name of a key that is plainly a whole number: one without a sign, in
// decimals or with 0x before it, which fits into 15 digits. Texts may have many such keys, and
// asking the parser about each takes most of their time.
func wholeNumber(text string) (string, bool) {
	digits, base := text, 10
	if rest, isHex := strings.CutPrefix(text, "0x"); isHex {
		digits, base = rest, 16
	}
	if digits == "" || len(digits) > 15 || base == 10 && digits[0] == '0' && digits != "0" {
		return "", false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	return strconv.FormatUint(n, 10), err == nil
}

func resolveKey(text, otherwise string) string {
	raw, err := toJSONFromYAML([]byte("? " + text + "\n: 0\n"))
	if err != nil {
		return otherwise
	}
	var object map[string]int
	if json.Unmarshal(raw, &object) != nil {
		return otherwise
	}
	for name := range object {
		return name
	}
	return otherwise
}
