package scenario

import (
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
)

// This file reads JSON that programs write: one valid object, as in most requests. The nodes with
// positions are only built when a position is needed.

// plainJSON reads a part of a text that is one valid JSON object and not a list. For any other text
// it reports false and keeps nothing.
func (p *parser) plainJSON(s *source) bool {
	span := s.trimmed()
	written := s.src[span.Start:span.End]
	object, ok := decodeJSON(written)
	if !ok {
		return false
	}
	if _, list := listItems(object); list {
		return false
	}
	p.append(&Document{Text: p.text, Index: len(p.docs), Value: object, Span: span, source: s, json: true,
		raw:  sync.OnceValue(func() []byte { return []byte(written) }),
		root: sync.OnceValue(func() *node { return s.jsonNodes(p.text) })})
	return true
}

// jsonNodes builds the nodes of a part that is one JSON value.
func (s *source) jsonNodes(text diag.Text) *node {
	b := newJSONBuilder(&parser{text: text, src: s.src}, s)
	token, err := b.next()
	if err != nil {
		return nil
	}
	root, err := b.value(token, 0)
	if err != nil {
		return nil
	}
	return root
}
