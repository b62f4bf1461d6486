package scenario

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// joined returns the fix for a duplicate key. It appends the items of the second list to the first,
// or merges the second mapping if the two share no field: someone who writes validations twice
// wants both. There is no such fix for values in brackets.
func (p *parser) joined(s *source, parent *node, first, second entry) []diag.Fix {
	from, to := first.value, second.value
	if parent.flow || from.kind != to.kind || from.flow || to.flow || shareKeys(from, to) {
		return nil
	}
	starts := func(n *node) int {
		switch {
		case n.kind == sequenceNode && len(n.items) > 0:
			return n.items[0].start
		case n.kind == mappingNode && len(n.entries) > 0:
			return n.entries[0].key.start
		}
		return -1
	}
	a, b := starts(from), starts(to)
	if a < 0 || b < 0 || s.before(a) != s.before(b) {
		return nil
	}
	key := lineEnd(s.src, s.endOfLine(second.key.start))
	if strings.TrimSpace(s.before(second.key.start)) != "" || b < key {
		return nil
	}
	end := s.endOfLine(s.entryEnd(second))
	insert := s.endOfLine(s.entryEnd(first))
	start := second.key.start - len(s.before(second.key.start))
	return []diag.Fix{{Title: "Join both " + second.name, Edits: []diag.Edit{
		{Text: p.text, Span: diag.Span{Start: insert, End: insert}, New: "\n" + s.src[key:end]},
		{Text: p.text, Span: diag.Span{Start: start, End: lineEnd(s.src, end)}},
	}}}
}

// nextItem starts a new list item at the second of two equal keys, if that key is the item's first:
// every item begins with it.
func (p *parser) nextItem(s *source, item *node, second entry) []diag.Fix {
	at := second.key.start
	if item.flow || len(item.entries) == 0 || item.entries[0].name != second.name {
		return nil
	}
	first, own := s.before(item.entries[0].key.start), s.before(at)
	if dash := strings.TrimLeft(first, " "); dash != "- " || strings.TrimSpace(own) != "" || len(own) != len(first) {
		return nil
	}
	return []diag.Fix{{Title: "Begin another item", Edits: []diag.Edit{{Text: p.text, Span: diag.Span{Start: at - 2, End: at}, New: "- "}}}}
}

// before returns the text before an offset on its line.
func (s *source) before(i int) string {
	return s.src[strings.LastIndexByte(s.src[:i], '\n')+1 : i]
}

func shareKeys(a, b *node) bool {
	for _, x := range a.entries {
		for _, y := range b.entries {
			if x.name == y.name {
				return true
			}
		}
	}
	return len(a.merged)+len(b.merged) > 0
}
