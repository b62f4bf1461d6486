// Package completion completes the text at a cursor, and describes the text
// there: CEL inside policies and webhook configurations, with the fields
// of the matched kinds, and the YAML of the kinds themselves.
//
// Offsets are UTF-8 bytes.
package completion

import (
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Kind says what an item is.
type Kind string

// The kinds of items.
const (
	VariableItem Kind = "variable"
	FieldItem    Kind = "field"
	FunctionItem Kind = "function"
	MethodItem   Kind = "method"
	MacroItem    Kind = "macro"
	TypeItem     Kind = "type"
	KeywordItem  Kind = "keyword"
	ValueItem    Kind = "value"
	SnippetItem  Kind = "snippet"
)

// Item is one thing that can be written at the cursor.
type Item struct {
	Label string `json:"label"`
	Kind  Kind   `json:"kind"`
	// Detail is a type or signature in one line.
	Detail string `json:"detail,omitempty"`
	// Doc is help in plain text, paragraphs separated by blank lines.
	Doc string `json:"doc,omitempty"`
	// Apply is what to insert, with ${name} for places to fill in; Label if
	// empty.
	Apply string `json:"apply,omitempty"`
	// Boost moves an item up in the list, or down when negative; from -99 to 99.
	Boost int `json:"boost,omitempty"`

	parameters []string // of a function or macro
}

// Result is what can replace the text between From and To.
type Result struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Items []Item `json:"items"`
}

// Help is what there is to say about the text between From and To.
type Help struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Title string `json:"title"`
	Doc   string `json:"doc,omitempty"`
}

// Docs returns one sentence about a field of a built-in type, or about the type
// itself when the field is empty; an empty text if it knows none.
type Docs func(typeID, field string) string

// Completer completes for one Kubernetes version. It is safe for concurrent use.
type Completer struct {
	version version.Version
	checker *check.Checker
	builtin *catalog.Catalog
	docs    Docs

	mu sync.Mutex
	// cluster is the text that custom was made from.
	cluster string
	custom  *catalog.Catalog
}

// New returns a completer for a version such as "1.36"; an empty text is
// scenario.DefaultVersion. Docs may be nil. The error about a version that cannot
// be simulated is a sentence for the user.
func New(kubernetes string, docs Docs) (_ *Completer, err error) {
	defer guard.Error(&err)
	v, err := version.OrDefault(kubernetes)
	if err != nil {
		return nil, err
	}
	cat, err := catalog.For(v)
	if err != nil {
		return nil, err
	}
	checker, err := check.New(v)
	if err != nil {
		return nil, err
	}
	if docs == nil {
		docs = func(string, string) string { return "" }
	}
	return &Completer{version: v, checker: checker, builtin: cat, docs: docs, custom: cat}, nil
}

// Complete lists what can be written at an offset of one text of a scenario.
func (c *Completer) Complete(s scenario.Scenario, text diag.Text, offset int) (_ Result, err error) {
	defer guard.Error(&err)
	q := c.query(s, text, offset)
	if q == nil {
		return Result{From: offset, To: offset}, nil
	}
	if text == diag.Expression && !q.alone() {
		return q.free()
	}
	if isBlankDocument(q.src, offset) {
		return q.documents(), nil
	}
	q.cursor = locate(q.src, offset)
	if q.cursor == nil {
		return Result{From: offset, To: offset}, nil
	}
	if ok, err := q.enterExpression(); err != nil {
		return Result{}, err
	} else if ok {
		return q.cel()
	}
	return q.yaml(), nil
}

// query is one question: a text with a cursor in it, and what is known there.
type query struct {
	*Completer
	scenario scenario.Scenario
	text     diag.Text
	src      string
	offset   int
	catalog  *catalog.Catalog
	cursor   *cursor

	// In CEL: the expression around the cursor and what it can see, once for
	// each kind of object that it may be evaluated for.
	expression    model.Expression
	before, after string
	views         []check.View
	// outside is the context of an expression outside admission, whose only variable it has.
	outside string
}

func (c *Completer) query(s scenario.Scenario, text diag.Text, offset int) *query {
	q := &query{Completer: c, scenario: s, text: text, offset: offset, catalog: c.withCRDs(s.Cluster)}
	switch text {
	case diag.Policies:
		q.src = s.Policies
	case diag.Request:
		q.src = s.Request
	case diag.Cluster:
		q.src = s.Cluster
	case diag.Expression:
		q.src = s.Expression
	default:
		return nil
	}
	if offset < 0 || offset > len(q.src) || len(q.src) > scenario.MaxTextBytes {
		return nil
	}
	return q
}

// withCRDs is the catalog with the custom kinds of a cluster text. It is kept
// until the text changes: while another text is edited, it does not.
func (c *Completer) withCRDs(cluster string) *catalog.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cluster == c.cluster {
		return c.custom
	}
	c.cluster, c.custom = cluster, c.builtin
	if !strings.Contains(cluster, "CustomResourceDefinition") {
		return c.custom
	}
	docs, _ := scenario.ParseDocuments(diag.Cluster, cluster)
	var crds []catalog.CRD
	for _, d := range docs {
		if d.Kind == "CustomResourceDefinition" {
			crds = append(crds, catalog.CRD{Value: d.Value})
		}
	}
	// What is wrong with a CRD is reported where it is installed, not here.
	c.custom, _ = c.builtin.WithCRDs(crds)
	return c.custom
}

// result is the answer for the word around the cursor. Only the first item of a
// label counts: the same field of another kind adds nothing.
func (q *query) result(prefix, suffix string, items []Item) Result {
	seen := map[string]bool{}
	items = slices.DeleteFunc(items, func(i Item) bool {
		key := i.Label + "\x00" + string(i.Kind)
		again := seen[key]
		seen[key] = true
		return again
	})
	return Result{From: q.offset - len(prefix), To: q.offset + len(suffix), Items: items}
}

// wordAround is the identifier that the cursor is in or at the end of.
func wordAround(before, after string) (prefix, suffix string) {
	i := len(before)
	for i > 0 && (isLetter(before[i-1]) || isDigit(before[i-1])) {
		i--
	}
	j := 0
	for j < len(after) && (isLetter(after[j]) || isDigit(after[j])) {
		j++
	}
	return before[i:], after[:j]
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
