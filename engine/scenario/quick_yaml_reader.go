package scenario

import (
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// quickReader reads the YAML that kubectl prints and most people write, in one pass: one
// mapping in block style, of mappings, lists, words, quoted texts of one line, literal
// texts and collections in brackets on one line. Whatever is unusual or wrong, a key
// that is there twice included, makes it give up, and the YAML libraries, whose values
// and places are those of the quick reader too (FuzzQuickReader), must read the text.
//
// It makes either values or nodes: the nodes of most texts nobody asks for.
type quickReader struct {
	src    string // the text up to the end of the document
	at     int
	line   int // start of the line that holds at
	nodes  bool
	failed bool
	count  int // values read so far
	last   int // end of the latest value
	reuse  *reuse

	// keys, items and entries belong to the open collections, innermost last; items are values,
	// children are nodes.
	keys     []string
	items    []any
	entries  []entry
	children []*node
	slab     []node // unused nodes
}

// maxQuickDepth limits nesting here. The library applies MaxDepth.
const maxQuickDepth = 100

// maxQuickKey is the key length from which YAML may not accept it as a key.
const maxQuickKey = 500

// quickReaders are idle readers, kept for their memory.
var quickReaders = sync.Pool{New: func() any { return new(quickReader) }}

// quick reads a part of a text into a value or nodes.
func quick(s *source, nodes bool, r *reuse) (value any, root *node, end int, ok bool) {
	if !plainCharacters(s.src[s.from:s.to]) {
		return nil, nil, 0, false
	}
	q := quickReaders.Get().(*quickReader)
	*q = quickReader{src: s.src[:s.to], at: s.from, line: s.from, nodes: nodes, reuse: r, keys: q.keys[:0], items: q.items[:0], entries: q.entries[:0], children: q.children[:0]}
	if column, more := q.content(); more && column == 0 {
		value, root = q.mapping(0, 0)
	} else {
		q.failed = true
	}
	if q.at != len(q.src) {
		q.failed = true
	}
	ok, end = !q.failed, q.last
	clear(q.items[:cap(q.items)])
	clear(q.keys[:cap(q.keys)])
	clear(q.entries[:cap(q.entries)])
	clear(q.children[:cap(q.children)])
	q.src, q.slab, q.reuse = "", nil, nil
	quickReaders.Put(q)
	if !ok {
		return nil, nil, 0, false
	}
	return value, root, end, true
}

// plainCharacters reports whether all readers interpret the text's characters the same way, and
// whether it passes checkSeemingDepth.
func plainCharacters(text string) bool {
	brackets, line := 0, 0
	// It may only look deep. The whole text is checked once, because a long line may have many
	// brackets.
	shallow := false
	deep := func() bool {
		shallow = shallow || TooDeep(text) < 0
		return !shallow
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if ordinary[c] {
			continue
		}
		switch {
		case c == '[' || c == '{':
			if brackets++; brackets+i-line > maxSeemingDepth && deep() {
				return false
			}
		case c == ']' || c == '}':
			brackets = max(brackets-1, 0)
		case c == '\n':
			if i-line > maxSeemingDepth/2 && deep() {
				return false
			}
			line = i + 1
		case c < ' ' || c == 0x7f:
			return false
		case c >= utf8.RuneSelf:
			r, width := utf8.DecodeRuneInString(text[i:])
			if r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff || r == utf8.RuneError && width == 1 {
				return false
			}
			i += width - 1
		}
	}
	return true
}

// ordinary has true for the bytes that plainCharacters has nothing to say about: nearly all of a
// text, so that a look into a table makes it three times as fast.
var ordinary = func() (is [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		is[c] = c != '[' && c != ']' && c != '{' && c != '}'
	}
	return is
}()

// fail gives up.
func (q *quickReader) fail() (any, *node) {
	q.failed = true
	return nil, nil
}

// peek returns the next character, or a line feed at the end.
func (q *quickReader) peek() byte { return q.char(q.at) }

func (q *quickReader) char(i int) byte {
	if i < len(q.src) {
		return q.src[i]
	}
	return '\n'
}

// content moves from a line's start to the next line with a value or key. It returns the column,
// and false at the end.
func (q *quickReader) content() (column int, more bool) {
	for q.line = q.at; q.at < len(q.src); {
		q.spaces()
		switch q.peek() {
		case '\n':
			q.nextLine()
		case '#':
			q.skipLine()
		case '%', '.':
			if q.at == q.line {
				q.fail() // a directive or the end of a document
			}
			return q.at - q.line, true
		default:
			return q.at - q.line, true
		}
	}
	return 0, false
}

func (q *quickReader) spaces() {
	for q.at < len(q.src) && q.src[q.at] == ' ' {
		q.at++
	}
}

// nextLine skips the current line feed.
func (q *quickReader) nextLine() {
	if q.at = q.at + 1; q.at > len(q.src) {
		q.at = len(q.src)
	}
	q.line = q.at
}

// skipLine moves to the start of the next line.
func (q *quickReader) skipLine() {
	for q.at < len(q.src) && q.src[q.at] != '\n' {
		q.at++
	}
	q.nextLine()
}

// endLine moves past the line on which a value ended. Only a comment may follow the value.
func (q *quickReader) endLine() {
	from := q.at
	q.spaces()
	switch c := q.peek(); {
	case c == '\n':
		q.nextLine()
	case c == '#' && q.at > from:
		q.skipLine()
	default:
		q.fail()
	}
}

// dash reports whether a list item begins here.
func (q *quickReader) dash() bool {
	c := q.char(q.at + 1)
	return q.peek() == '-' && (c == ' ' || c == '\n')
}

// mapping reads a mapping. Its first key is here, at the given column.
func (q *quickReader) mapping(column, depth int) (any, *node) {
	if depth > maxQuickDepth {
		return q.fail()
	}
	n := q.node(mappingNode, q.at)
	first, firstKey, firstEntry := len(q.items), len(q.keys), len(q.entries)
	for !q.failed {
		name, style, start, ok := q.key()
		if !ok {
			return q.fail()
		}
		key := q.keyNode(name, style, start)
		value, child := q.valueOf(column, depth+1)
		q.entry(name, key, value, child)
		next, more := q.content()
		if !more || next < column {
			q.at = q.line // the line belongs to an outer collection
			break
		}
		if next > column {
			return q.fail()
		}
	}
	return q.endMapping(n, first, firstKey, firstEntry)
}

// entry adds an entry to the innermost mapping.
func (q *quickReader) entry(name string, key *node, value any, child *node) {
	if q.nodes {
		q.entries = append(q.entries, entry{name, key, child})
		return
	}
	q.keys, q.items = append(q.keys, q.kept(name)), append(q.items, value)
}

// endMapping builds a mapping from the entries after the given positions.
func (q *quickReader) endMapping(n *node, first, firstKey, firstEntry int) (any, *node) {
	if q.failed {
		return nil, nil
	}
	if q.nodes {
		n.entries = append(make([]entry, 0, len(q.entries)-firstEntry), q.entries[firstEntry:]...)
		q.entries = q.entries[:firstEntry]
		for _, e := range n.entries {
			n.size += e.value.size
			n.bytes += e.key.bytes + e.value.bytes
		}
		n.index()
		return nil, n
	}
	out := make(map[string]any, len(q.keys)-firstKey)
	for i, key := range q.keys[firstKey:] {
		out[key] = q.items[first+i]
	}
	if len(out) != len(q.keys)-firstKey {
		return q.fail() // a duplicate key
	}
	q.items, q.keys = q.items[:first], q.keys[:firstKey]
	return out, nil
}

// key reads a key and its colon, which a space or the line end follows. Otherwise it reads nothing.
func (q *quickReader) key() (name string, style scalarStyle, start int, ok bool) {
	start = q.at
	switch q.peek() {
	case '"', '\'':
		if name, style, ok = q.quoted(); !ok {
			break
		}
		ok = q.at-start <= maxQuickKey
	default:
		for isWordByte(q.peek()) && q.at < len(q.src) {
			q.at++
		}
		name = q.src[start:q.at]
		ok = len(name) <= maxQuickKey && isWord(name)
	}
	if c := q.char(q.at + 1); !ok || q.peek() != ':' || c != ' ' && c != '\n' || q.at >= len(q.src) {
		q.at = start
		return "", 0, start, false
	}
	q.at++
	return name, style, start, true
}

// isWordByte reports whether isWord allows a character.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '/' || c == '.'
}

// valueOf reads the value after the colon of a key at a column. It moves to the start of the next
// line.
func (q *quickReader) valueOf(column, depth int) (any, *node) {
	colon := q.at
	q.spaces()
	if c := q.peek(); c != '\n' && c != '#' {
		return q.inline(column, depth)
	}
	q.at = colon
	q.endLine()
	if next, more := q.content(); more && !q.failed {
		switch {
		case next >= column && q.dash():
			return q.block(next, -1, depth, func() (any, *node) { return q.sequence(next, depth) })
		case next > column:
			return q.block(next, -1, depth, func() (any, *node) { return q.mapping(next, depth) })
		}
		q.at = q.line // the line belongs to an outer collection
	}
	return q.scalar(nil, "", plainStyle, colon, colon)
}

// sequence reads a list. Its first dash is here, at the given column.
func (q *quickReader) sequence(column, depth int) (any, *node) {
	if depth > maxQuickDepth {
		return q.fail()
	}
	n := q.node(sequenceNode, q.at)
	first, firstChild := len(q.items), len(q.children)
	for !q.failed {
		q.at++
		q.spaces()
		var value any
		var child *node
		if start := q.at; q.peek() == '\n' || q.peek() == '#' || q.dash() {
			return q.fail()
		} else {
			value, child = q.block(start-q.line, column, depth+1, func() (any, *node) {
				if _, _, _, isKey := q.key(); isKey {
					q.at = start
					return q.mapping(start-q.line, depth+1)
				}
				return q.inline(column, depth+1)
			})
		}
		q.item(value, child)
		next, more := q.content()
		if !more || next < column || next == column && !q.dash() {
			q.at = q.line
			break
		}
		if next > column {
			return q.fail()
		}
	}
	return q.endSequence(n, first, firstChild)
}

// item adds an item to the innermost list.
func (q *quickReader) item(value any, child *node) {
	if q.nodes {
		q.children = append(q.children, child)
		return
	}
	q.items = append(q.items, value)
}

// endSequence builds a list from the items after the given positions.
func (q *quickReader) endSequence(n *node, first, firstChild int) (any, *node) {
	if q.failed {
		return nil, nil
	}
	if q.nodes {
		n.items = append(make([]*node, 0, len(q.children)-firstChild), q.children[firstChild:]...)
		q.children = q.children[:firstChild]
		for _, item := range n.items {
			n.size += item.size
			n.bytes += item.bytes
		}
		return nil, n
	}
	out := append(make([]any, 0, len(q.items)-first), q.items[first:]...)
	q.items = q.items[:first]
	return out, nil
}

// node builds a collection's node; nil if values are wanted.
func (q *quickReader) node(kind nodeKind, start int) *node {
	if q.count++; q.count > MaxNodes {
		q.failed = true
	}
	if !q.nodes {
		return nil
	}
	n := q.one()
	n.kind, n.start, n.end, n.size = kind, start, -1, 1
	return n
}

// one returns an unused node. Nodes are allocated in batches.
func (q *quickReader) one() *node {
	if len(q.slab) == 0 {
		q.slab = make([]node, 64)
	}
	n := &q.slab[0]
	q.slab = q.slab[1:]
	return n
}

// scalar is a scalar value with its decoded text and place.
func (q *quickReader) scalar(value any, text string, style scalarStyle, start, end int) (any, *node) {
	if q.count++; q.count > MaxNodes {
		q.failed = true
	}
	q.last = end
	if !q.nodes {
		if text, ok := value.(string); ok && q.reuse != nil {
			return q.kept(text), nil
		}
		return value, nil
	}
	n := q.one()
	n.start, n.end, n.style, n.value, n.size, n.bytes = start, end, style, text, 1, len(text)
	return nil, n
}

func (q *quickReader) keyNode(name string, style scalarStyle, start int) *node {
	if !q.nodes {
		return nil
	}
	n := q.one()
	n.start, n.end, n.style, n.value, n.size, n.bytes = start, q.at-1, style, name, 1, len(name)
	return n
}

// quickYAML reads a part of a text with the quick reader. If that gives up, it reports false and
// keeps nothing.
func (p *parser) quickYAML(s *source) bool {
	value, _, end, ok := quick(s, false, p.reuse)
	if !ok {
		return false
	}
	object := value.(map[string]any)
	nodes := sync.OnceValue(func() *node {
		_, root, _, _ := quick(s, true, nil)
		return root
	})
	raw := sync.OnceValue(func() []byte {
		raw, err := json.Marshal(object)
		if err != nil {
			panic("scenario: JSON of a value that was read: " + err.Error())
		}
		return raw
	})
	if _, list := listItems(object); list {
		p.add(s, nodes(), object, raw(), false)
		return true
	}
	start := skipSpace(s.src[:s.to], s.from)
	p.append(&Document{Text: p.text, Index: len(p.docs), Value: object, Span: diag.Span{Start: start, End: end}, source: s, quick: true, raw: raw, root: nodes})
	return true
}
