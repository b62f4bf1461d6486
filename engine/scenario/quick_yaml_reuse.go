package scenario

import (
	"slices"
	"sort"
	"strings"
)

// minReuse is the size of a text, in bytes, from which parts that an edit leaves alone are not read
// again. minBlock is that of a part.
const (
	minReuse = 32 << 10
	minBlock = 48
)

// block is a part of a text that the quick reader has read: a collection in block style that is a
// key's value, or a list item. It ends at the start of a line.
type block struct {
	value         any
	inside        []block // in the text's order
	start, length int32   // start counts from that of the block around it
	// seen is how far the reader has looked, from the start. ends says that it met the document's end.
	seen int32
	ends bool
	// column, dash and depth are where the block was read. dash is -1 for a key's value.
	column, dash, depth int32
	count, last         int32 // as in quickReader; last counts from the start
}

// readText is a text with the blocks that it was read into.
type readText struct {
	src    string
	blocks []block
}

// reuse is an earlier reading of a text that was changed in one place, and the blocks of the new
// reading. A nil reuse neither finds nor notes blocks.
type reuse struct {
	earlier readText
	// prefix and suffix are how many bytes the texts have in common. Both are 0 without an earlier text.
	prefix, suffix int
	// moved is how much longer the new text is.
	moved int
	// least is the size of the smallest block that is worth noting.
	least int
	// found are the new blocks so far, inner ones first moved into those around them. Their starts count
	// from the text's start.
	found []block
}

// reusing returns the reuse of a text after an earlier one.
func reusing(earlier readText, src string) *reuse {
	most := min(len(src), len(earlier.src))
	prefix := inCommon(earlier.src[:most], src[:most], func(text string, from, to int) string { return text[from:to] })
	suffix := inCommon(earlier.src[prefix+len(earlier.src)-most:], src[prefix+len(src)-most:], func(text string, from, to int) string { return text[len(text)-to : len(text)-from] })
	if prefix+suffix <= len(src)/2 {
		return &reuse{least: minBlock}
	}
	return &reuse{earlier: earlier, prefix: prefix, suffix: suffix, moved: len(src) - len(earlier.src), least: minBlock}
}

// inCommon returns how many bytes two texts of one length have in common before the first difference, as part
// counts them.
func inCommon(a, b string, part func(text string, from, to int) string) (n int) {
	for step := 4096; step > 0; {
		if to := n + step; to <= len(a) && part(a, n, to) == part(b, n, to) {
			n = to
		} else {
			step /= 2
		}
	}
	return n
}

// block reads a block with a function, or takes it from the earlier reading.
func (q *quickReader) block(column, dash, depth int, read func() (any, *node)) (any, *node) {
	if q.reuse == nil || q.nodes {
		return read()
	}
	b := block{column: int32(column), dash: int32(dash), depth: int32(depth)}
	if value, ok := q.again(b); ok {
		return value, nil
	}
	start, count, mark := q.at, q.count, len(q.reuse.found)
	value, _ := read()
	if q.failed || q.at-start < q.reuse.least {
		return value, nil
	}
	end, line := q.at, q.line
	_, more := q.content()
	b.value, b.start, b.length, b.seen, b.ends = value, int32(start), int32(end-start), int32(q.at+2-start), !more
	b.count, b.last = int32(q.count-count), int32(q.last-start)
	q.at, q.line = end, line
	b.inside = slices.Clone(q.reuse.found[mark:])
	for i := range b.inside {
		b.inside[i].start -= b.start
	}
	clear(q.reuse.found[mark:])
	q.reuse.found = append(q.reuse.found[:mark], b)
	return value, nil
}

// again takes the block that begins here from the earlier reading, if its text has not changed.
func (q *quickReader) again(at block) (value any, ok bool) {
	r := q.reuse
	for _, old := range [2]int{q.at, q.at - r.moved} {
		b, ok := blockAt(r.earlier.blocks, old)
		if !ok || b.column != at.column || b.dash != at.dash || b.depth != at.depth {
			continue
		}
		seen := int(b.seen)
		if b.ends { // which it must again
			seen = int(b.length)
		}
		same := q.at == old && old+seen <= r.prefix || q.at-old == r.moved && old >= len(r.earlier.src)-r.suffix && old+seen <= len(r.earlier.src)
		if !same || q.at+seen > len(q.src) || b.ends && q.at+seen < len(q.src) {
			continue
		}
		if q.count += int(b.count); q.count > MaxNodes {
			q.failed = true
		}
		b.start = int32(q.at)
		q.last = q.at + int(b.last)
		q.at += int(b.length)
		q.line = q.at
		r.found = append(r.found, b)
		return b.value, true
	}
	return nil, false
}

// blockAt returns the block that begins at an offset of a text.
func blockAt(blocks []block, at int) (b block, ok bool) {
	for {
		i := sort.Search(len(blocks), func(i int) bool { return int(blocks[i].start) > at }) - 1
		if i < 0 {
			return b, false
		}
		if at -= int(blocks[i].start); at == 0 {
			return blocks[i], true
		}
		blocks = blocks[i].inside
	}
}

// kept returns a text as a value keeps it. What is read again is copied: else each text would stay in memory
// for the one place in which it was changed.
func (q *quickReader) kept(text string) string {
	if r := q.reuse; r != nil && r.prefix+r.suffix > 0 {
		return strings.Clone(text)
	}
	return text
}
