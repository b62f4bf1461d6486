package noeffect

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// optionalOldSelf writes a rule for an optional oldSelf: each test that reads oldSelf is true
// only where there is one. It is false for a rule of which every operand reads oldSelf, which
// says nothing about a new value.
func optionalOldSelf(rule string) (string, bool) {
	tree := values.ParseText(rule)
	w := oldSelfWriter{source: []rune(rule)}
	if tree == nil || !w.operand(tree.Root) || !w.apart {
		return "", false
	}
	var b strings.Builder
	at := 0
	for _, e := range w.edits {
		b.WriteString(string(w.source[at:e.start]) + e.text)
		at = e.end
	}
	return b.String() + string(w.source[at:]), true
}

type oldSelfWriter struct {
	source []rune
	edits  []oldSelfEdit
	// apart says that an operand does not read oldSelf.
	apart bool
}

type oldSelfEdit struct {
	start, end int
	text       string
}

// operand writes one operand of && and ||; it is false for what cannot be written.
func (w *oldSelfWriter) operand(n *values.Node) bool {
	if n.Kind == values.Logical {
		return !slices.ContainsFunc(n.Children, func(child *values.Node) bool { return !w.operand(child) })
	}
	var reads []*values.Node
	find(n, &reads)
	if len(reads) == 0 {
		w.apart = true
		return true
	}
	if n.Kind == values.Call && n.Name == "!_" {
		return false // true where there is none: which is meant is not known
	}
	if w.source[max(n.Start-1, 0)] == '!' {
		return false
	}
	w.edits = append(w.edits, oldSelfEdit{n.Start, n.Start, "oldSelf.hasValue() && "})
	for _, read := range reads {
		w.edits = append(w.edits, oldSelfEdit{read.End, read.End, ".value()"})
	}
	return true
}

// find collects the places where oldSelf is read, in their order.
func find(n *values.Node, out *[]*values.Node) {
	if n.Kind == values.Ident && n.Name == "oldSelf" {
		*out = append(*out, n)
	}
	for _, child := range n.Children {
		find(child, out)
	}
}
