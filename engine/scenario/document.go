package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Document is one object of a text, with its value and positions. It is immutable after
// ParseDocuments returns it. Callers must not change Value.
type Document struct {
	Text  diag.Text
	Index int // counts the documents of the text, including each List item

	APIVersion string
	Kind       string
	Name       string
	Namespace  string

	// Value is the object in unstructured form: int64, float64, string, bool, nil, []any,
	// map[string]any.
	Value map[string]any
	// Span is the object in the text, without the separators around it.
	Span diag.Span
	// FromList says that the object is an item of a List document.
	FromList bool

	source *source
	// root is the root node, or nil if the position parser failed. For JSON it is built on first
	// use.
	root func() *node
	// raw is the result of JSON.
	raw   func() []byte
	json  bool // read by plainJSON
	quick bool // read by the quick reader, so no key is duplicated
	// places caches results of Place, by path.
	places sync.Map
	// scalars caches results of KeptScalar, by path.
	scalars sync.Map
}

// JSON returns the object as kubectl would send it. The first call may encode it. The bytes are
// shared; callers must not change them.
func (d *Document) JSON() []byte {
	if d.raw == nil {
		return nil
	}
	return d.raw()
}

// ScalarMap maps the decoded text of a scalar to its source.
type ScalarMap = position.ScalarMap

// Limits for one text. They protect the browser tab from a hostile link and are far above what an
// API server accepts.
const (
	MaxTextBytes = 4 << 20
	// MaxReviewBytes limits a request that is not kept, such as a webhook's. An update has two
	// objects of 3 MiB each.
	MaxReviewBytes = 8 << 20
	MaxDocuments   = 1000
	MaxDepth       = 200
	// MaxNodes limits the values of a document, with aliases expanded.
	MaxNodes = 300_000
	// MaxExpandedBytes limits the bytes of a document's keys and values, with aliases expanded.
	MaxExpandedBytes = 16 << 20
)

// ParseDocuments reads every document of a text: YAML as kubectl and the API server read it (YAML
// 1.1 words and numbers), JSON, or a mix. List items become documents of their own. Empty and
// unreadable documents are left out; a diagnostic says where and why a document is unreadable.
func ParseDocuments(text diag.Text, src string) ([]*Document, []diag.Diagnostic) {
	return parseDocuments(nil, text, src)
}

func parseDocuments(b *worklimit.Budget, text diag.Text, src string) ([]*Document, []diag.Diagnostic) {
	return (&parser{text: text, src: src, budget: b, most: MaxTextBytes}).parse()
}

// parse reads the text.
func (p *parser) parse() ([]*Document, []diag.Diagnostic) {
	for _, c := range p.split() {
		if len(p.docs) >= MaxDocuments {
			p.report(diag.Error, codes.TooManyDocuments, diag.Span{Start: c.from, End: c.from},
				fmt.Sprintf("more than %d documents; the rest of the text was not read", MaxDocuments), "")
			break
		}
		p.chunk(c)
	}
	p.copied()
	p.diags = Capped(p.diags)
	diag.Locate(p.diags, map[diag.Text]string{p.text: p.src})
	return p.docs, p.diags
}

// MaxDiagnostics limits the reported problems of one text.
const MaxDiagnostics = 100

// Capped cuts the problems of one text to MaxDiagnostics, errors before warnings, and says how many
// are missing.
func Capped(list []diag.Diagnostic) []diag.Diagnostic {
	cut := len(list) - MaxDiagnostics
	if cut <= 0 {
		return list
	}
	rank := map[diag.Severity]int{diag.Error: 0, diag.Warning: 1, diag.Info: 2}
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int { return rank[a.Severity] - rank[b.Severity] })
	return append(list[:MaxDiagnostics:MaxDiagnostics], diag.Diagnostic{
		Code: codes.TooManyProblems, Severity: diag.Info, Text: list[0].Text, Span: list[MaxDiagnostics].Span,
		Summary: fmt.Sprintf("%d more problems are not shown", cut),
	})
}

// parser holds the state for all documents of one text.
type parser struct {
	text  diag.Text
	src   string
	most  int // limit in bytes; 0 means MaxTextBytes
	docs  []*Document
	diags []diag.Diagnostic
	index *position.Index // index of src, built on first use
	// budget is charged for reading; nil means no budget.
	budget *worklimit.Budget
	reuse  *reuse // of what was read of an earlier text; nil if there is none
}

func (p *parser) report(severity diag.Severity, code string, span diag.Span, summary, detail string) *diag.Diagnostic {
	p.diags = append(p.diags, diag.Diagnostic{
		Code: code, Severity: severity, Text: p.text, Span: span, Summary: summary, Detail: detail,
	})
	return &p.diags[len(p.diags)-1]
}

// source is the part of a text that holds one document.
type source struct {
	src      string // the whole text
	from, to int    // byte range of the part
}

// add stores a parsed value as a document, or each item of a list as one.
func (p *parser) add(s *source, root *node, value any, raw []byte, fromList bool) {
	if value == nil {
		return // kubectl also skips an empty document and "null"
	}
	object, ok := value.(map[string]any)
	if !ok {
		d := p.report(diag.Error, codes.NotAnObject, s.span(root), "expected an object with apiVersion and kind, found "+describe(value),
			"Every document must be a mapping. Several objects are separated by lines of three dashes (---).")
		d.Fixes = p.alone(s)
		return
	}
	if items, ok := listItems(object); ok {
		p.addItems(s, root, object, items)
		return
	}
	d := &Document{
		Text: p.text, Index: len(p.docs), Value: object, Span: s.span(root), raw: func() []byte { return raw },
		FromList: fromList, source: s, root: func() *node { return root },
	}
	p.append(d)
}

// append stores a document.
func (p *parser) append(d *Document) {
	object := d.Value
	d.APIVersion, _ = object["apiVersion"].(string)
	d.Kind, _ = object["kind"].(string)
	if meta, ok := object["metadata"].(map[string]any); ok {
		d.Name, _ = meta["name"].(string)
		d.Namespace, _ = meta["namespace"].(string)
	}
	p.docs = append(p.docs, d)
}

// listItems recognises kubectl's output for several objects: kind List, or a typed list such as
// PodList.
func listItems(object map[string]any) ([]any, bool) {
	kind, _ := object["kind"].(string)
	if !strings.HasSuffix(kind, "List") {
		return nil, false
	}
	items, ok := object["items"].([]any)
	return items, ok
}

// addItems adds each item of a list. Items of a typed list, such as PodList, may omit apiVersion
// and kind, which then come from the list.
func (p *parser) addItems(s *source, root *node, list map[string]any, items []any) {
	if len(items) == 0 {
		p.report(diag.Info, codes.EmptyList, s.span(root), "the list has no items", "")
	}
	nodes := root.child("items")
	apiVersion, _ := list["apiVersion"].(string)
	kind, _ := list["kind"].(string)
	kind = strings.TrimSuffix(kind, "List")
	for i, item := range items {
		var n *node
		if nodes != nil && i < len(nodes.items) {
			n = nodes.items[i]
		}
		if object, ok := item.(map[string]any); ok && kind != "" {
			item = withKind(object, apiVersion, kind)
		}
		if item == nil {
			p.report(diag.Error, codes.NotAnObject, s.span(n), "an item of the list is null", "")
			continue
		}
		if len(p.docs) >= MaxDocuments {
			p.report(diag.Error, codes.TooManyDocuments, s.span(n),
				fmt.Sprintf("more than %d documents; the rest of the list was not read", MaxDocuments), "")
			return
		}
		raw, err := json.Marshal(item)
		if err != nil {
			p.report(diag.Error, codes.YAMLValue, s.span(n), "a value cannot be written as JSON", err.Error())
			continue
		}
		p.add(s, n, item, raw, true)
	}
}

func withKind(object map[string]any, apiVersion, kind string) map[string]any {
	if k, _ := object["kind"].(string); k != "" {
		return object
	}
	out := map[string]any{"apiVersion": apiVersion, "kind": kind}
	for k, v := range object {
		if k != "kind" && (k != "apiVersion" || v != "") {
			out[k] = v
		}
	}
	return out
}

// describe names a value's kind for a message.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		if len(v) > 40 {
			return "a string"
		}
		return fmt.Sprintf("the string %q", v)
	case bool:
		return fmt.Sprintf("the boolean %v", v)
	default:
		return fmt.Sprintf("the number %v", v)
	}
}
