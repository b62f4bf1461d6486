package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// jsonChunk reads a part of a text as one or several JSON objects. It returns false if the part is
// not JSON. JSON needs its own reader because the YAML parsers reject its escapes \/ and
// \ud83d\ude00.
func (p *parser) jsonChunk(s *source) (ok bool, problem *jsonProblem) {
	start := skipSpace(s.src[:s.to], s.from)
	if start >= s.to || (s.src[start] != '{' && s.src[start] != '[') {
		return false, nil
	}
	if p.plainJSON(s) {
		return true, nil
	}
	b := newJSONBuilder(p, s)
	before := len(p.diags)
	var roots []*node
	for {
		token, err := b.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var root *node
		if err == nil {
			root, err = b.value(token, 0)
		}
		var tooLarge *limitError
		if errors.As(err, &tooLarge) {
			p.report(diag.Error, tooLarge.code, diag.Span{Start: tooLarge.at, End: tooLarge.at}, tooLarge.summary, "")
			return true, nil
		}
		if err != nil {
			p.diags = p.diags[:before]
			return false, s.problem(start)
		}
		roots = append(roots, root)
		start = root.end
	}
	for _, root := range roots {
		p.addJSON(s, root)
	}
	return true, nil
}

func (p *parser) addJSON(s *source, root *node) {
	raw := []byte(s.src[root.start:root.end])
	var value any
	if err := utiljson.Unmarshal(raw, &value); err != nil { // numbers as the API server reads them
		p.report(diag.Error, codes.YAMLValue, s.span(root), "a value cannot be read", err.Error())
		return
	}
	p.add(s, root, value, raw, false)
}

// jsonBuilder builds nodes from the tokens of a JSON text.
type jsonBuilder struct {
	p       *parser
	s       *source
	decoder *json.Decoder
	start   int // offset of the last token
	last    int // the end of the last token
	count   int // values so far
}

func newJSONBuilder(p *parser, s *source) *jsonBuilder {
	b := &jsonBuilder{p: p, s: s, decoder: json.NewDecoder(strings.NewReader(s.src[s.from:s.to])), last: s.from}
	b.decoder.UseNumber()
	return b
}

// next reads a token and records its place.
func (b *jsonBuilder) next() (json.Token, error) {
	token, err := b.decoder.Token()
	if err != nil {
		return nil, err
	}
	i := b.last
	for strings.ContainsRune(" \t\r\n,:", rune(b.s.src[i])) {
		i++
	}
	b.start, b.last = i, b.s.from+int(b.decoder.InputOffset())
	return token, nil
}

func (b *jsonBuilder) value(token json.Token, depth int) (*node, error) {
	n := &node{start: b.start, end: b.last, style: jsonStyle}
	b.count++
	switch {
	case depth > MaxDepth:
		return nil, &limitError{codes.TooDeep, fmt.Sprintf("values are nested more than %d deep; the document was not read", MaxDepth), n.start}
	case b.count > MaxNodes:
		return nil, &limitError{codes.TooManyValues, fmt.Sprintf("the document has more than %d values; it was not read", MaxNodes), n.start}
	}
	switch t := token.(type) {
	case json.Delim:
		n.flow = true
		if t == '{' {
			return n, b.object(n, depth)
		}
		return n, b.array(n, depth)
	case string:
		n.value = t
	default:
		n.value = b.s.src[n.start:n.end]
	}
	return n, nil
}

func (b *jsonBuilder) object(n *node, depth int) error {
	n.kind = mappingNode
	for b.decoder.More() {
		token, err := b.next()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		key := &node{start: b.start, end: b.last, style: jsonStyle, value: name}
		if token, err = b.next(); err != nil {
			return err
		}
		value, err := b.value(token, depth+1)
		if err != nil {
			return err
		}
		n.entries = append(n.entries, entry{name, key, value})
	}
	_, err := b.next()
	n.end = b.last
	n.index()
	b.p.duplicates(b.s, n)
	return err
}

func (b *jsonBuilder) array(n *node, depth int) error {
	n.kind = sequenceNode
	for b.decoder.More() {
		token, err := b.next()
		if err != nil {
			return err
		}
		item, err := b.value(token, depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := b.next()
	n.end = b.last
	return err
}

// jsonProblem says why a part of a text is not JSON.
type jsonProblem struct {
	at  int
	err error
}

// problem finds the mistake in the object that starts at from. A token reader's errors count
// offsets in more than one way; those of json.Unmarshal always name the wrong character.
func (s *source) problem(from int) *jsonProblem {
	var value any
	err := json.Unmarshal([]byte(s.src[from:s.to]), &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return nil // another kind of problem; it may be valid YAML
	}
	at := from + int(syntax.Offset) - 1
	if at >= s.to-1 && strings.Contains(err.Error(), "unexpected end") {
		return &jsonProblem{s.to, errors.New("the text ends before the last bracket is closed")}
	}
	return &jsonProblem{min(max(at, from), s.to), err}
}

// looksLikeJSON reports whether a broken text was probably JSON and not YAML in brackets: its first
// key is quoted.
func looksLikeJSON(s *source) bool {
	i := skipSpace(s.src[:s.to], s.from)
	i = skipSpace(s.src[:s.to], i+1)
	return i < s.to && strings.ContainsRune(`"{}`, rune(s.src[i]))
}
