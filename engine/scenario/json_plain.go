package scenario

import (
	"sync"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
)

// This file reads the JSON that programs write: one object, in which nothing is
// wrong. Most requests are such, and nobody asks for places in them, so the nodes
// that know places are made when they are asked for.

// plainJSON reads a part of a text that is one JSON object without anything to
// report, and no list. It is false for any other, of which it has kept nothing.
func (p *parser) plainJSON(s *source) bool {
	span := s.trimmed()
	raw := []byte(s.src[span.Start:span.End])
	if raw[0] != '{' {
		return false
	}
	var value any
	if utiljson.Unmarshal(raw, &value) != nil { // numbers as the API server reads them
		return false
	}
	object := value.(map[string]any)
	if _, list := listItems(object); list {
		return false
	}
	var all census
	all.count(object, 0)
	// A key that is there twice is one key of the value.
	if all.depth > MaxDepth || all.values > MaxNodes || all.keys != writtenKeys(raw) {
		return false
	}
	p.append(&Document{Text: p.text, Index: len(p.docs), Value: object, JSON: raw, Span: span, source: s, json: true,
		root: sync.OnceValue(func() *node { return s.jsonNodes(p.text) })})
	return true
}

// jsonNodes makes the nodes of a part that is one JSON value.
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

// census counts what is in a value.
type census struct {
	values, keys int
	depth        int // of the deepest value; that of the whole is 0
}

func (c *census) count(value any, depth int) {
	c.values++
	c.depth = max(c.depth, depth)
	switch v := value.(type) {
	case map[string]any:
		c.keys += len(v)
		for _, item := range v {
			c.count(item, depth+1)
		}
	case []any:
		for _, item := range v {
			c.count(item, depth+1)
		}
	}
}

// writtenKeys counts the keys of valid JSON: its colons outside of strings.
func writtenKeys(raw []byte) int {
	keys, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++ // only in strings
		case ':':
			if !quoted {
				keys++
			}
		}
	}
	return keys
}
