package scenario

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// chunk reads the text between two separators as JSON if it is JSON, else as YAML, with the quick
// reader if possible.
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

// Reading a value takes about two microseconds and 400 bytes, as nodes, as values and as JSON. A
// byte costs little more than copying it a few times. A mapping of hundreds of thousands of lines
// does not fit into the processor's cache, and each key takes up to three times as long.
const (
	valueWork  = 240
	valueBytes = 250
	manyLines  = 2_000 // per this many lines, each line costs one more unit
)

// charge charges for a part of a text before it is read. The libraries cannot be interrupted, so
// charge estimates the number of values from their separators.
func (p *parser) charge(part string) {
	if p.budget == nil {
		return
	}
	lines := strings.Count(part, "\n")
	values := lines + strings.Count(part, ",") + strings.Count(part, "[") + strings.Count(part, "{")
	p.budget.Work(2*len(part) + valueWork*values + lines*(lines/manyLines))
	p.budget.Make(2*len(part) + valueBytes*values)
}

// yamlChunk reads one YAML document. The value comes from sigs.k8s.io/yaml, as in kubectl and the
// API server. The positions come from a second parse into nodes, which resolves nothing and so
// cannot change a value.
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

// toJSONFromYAML recovers from panics in the YAML library: texts come from strangers, and a link
// must not be able to stop the program.
func toJSONFromYAML(text []byte) (raw []byte, err error) {
	defer recoverAs(&err, "the YAML library failed")
	return yaml.YAMLToJSON(text)
}

func recoverAs(err *error, what string) {
	if r := recover(); r != nil {
		if _, ended := r.(*worklimit.Ended); ended {
			panic(r) // not a library failure
		}
		*err = fmt.Errorf("%s: %v", what, r)
	}
}

// limitError says which limit a document exceeds, and where.
type limitError struct {
	code, summary string
	at            int
}

func (e *limitError) Error() string { return e.summary }

// nodes parses a YAML document's positions. It returns a nil node without an error for an empty
// document.
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

// ignored warns about text after the first value, which kubectl's parser does not read.
func (p *parser) ignored(s *source, at int) {
	p.report(diag.Warning, codes.IgnoredAfterDocumentEnd, diag.Span{Start: at, End: s.endOfLine(at)},
		"from here on the document is not read", "The parser stops at the end of the first value. Separate documents with a line of three dashes (---).")
	if d := &p.diags[len(p.diags)-1]; strings.TrimSpace(s.src[at:s.endOfLine(at)]) == "..." {
		d.Detail = "A line of three dots ends a document. Where it means an omission, make it a comment."
		fix := diag.Fix{Title: "Write it as a comment"}
		for i := at; i < s.to; i = s.endOfLine(i) + 1 { // the same applies to the others
			line := s.src[i:s.endOfLine(i)]
			if strings.TrimSpace(line) == "..." {
				i += len(line) - len(strings.TrimLeft(line, " "))
				fix.Edits = append(fix.Edits, diag.Edit{Text: p.text, Span: diag.Span{Start: i, End: i}, New: "# "})
			}
		}
		d.Fixes = []diag.Fix{fix}
	}
}

// nodesBefore parses the positions of a document that only the position parser rejects. That parser
// reads further: the text after the value is broken, and not used.
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

// endOfBrackets returns the end of the longest prefix that parses and ends with a bracket, because
// no shorter prefix of multi-line brackets is complete. It is 0 if there is none or finding it is
// too expensive.
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
