package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

var (
	// saysAllowed are words of a message about values that must be among others.
	saysAllowed = lazy.Regexp{Text: `(?i)\b(?:(?:dis|un)?allowed|(?:un)?permitted|(?:un)?approved|(?:un)?trusted|one of|outside|(?:allow|white)list(?:ed)?)\b`}
	// saysComplete are words of a message that demands all of a list.
	saysComplete = lazy.Regexp{Text: `(?i)\b(?:requir\w+|missing|mandatory|needs?|complete|all of|must (?:have|contain|include|set))\b`}
)

// swappedQuantifiers finds allowed.all(a, items.exists(i, ...)), where a message says that the items must be among the
// allowed ones: it demands an item for each allowed value, and says nothing about other items.
func swappedQuantifiers(p *policy) {
	for _, v := range p.validations {
		message := v.message
		if v.messageExpression != nil {
			message += " " + v.messageExpression.text
		}
		if v.read == nil || !saysAllowed.MatchString(message) || saysComplete.MatchString(message) || p.said(p.document, v.path) {
			continue
		}
		for _, n := range operands(v.read.Root(), "") {
			if !isLoop(n, "all") || !isLoop(n.Children[2], "exists") || p.readsObject(n.Children[0]) || !p.readsObject(n.Children[2].Children[0]) {
				continue
			}
			inner := n.Children[2]
			out := p.report(p.document, codes.MessageContradicts, diag.Warning, v.path, "this demands an item for each allowed value, and admits items that have none",
				"all() and exists() are swapped: the message says that each item must be among the allowed ones.")
			p.within(out, p.document, v.path, n.Start, n.End)
			source := []rune(v.text)
			of := func(part *values.Node) string { return string(source[part.Start:part.End]) }
			if out.Code != "" {
				out.Fixes = p.rewritten(p.document, v.path, n.Start, n.End, of(inner.Children[0])+".all("+inner.Children[1].Name+", "+of(n.Children[0])+".exists("+n.Children[1].Name+", "+of(inner.Children[2])+"))")
			}
			return
		}
	}
}

// isLoop reports whether a part is a macro with one variable.
func isLoop(n *values.Node, name string) bool {
	return n.Kind == values.Macro && n.Name == name && len(n.Children) == 3
}

func (p *policy) readsObject(n *values.Node) bool {
	return p.anyBelow(n, func(part *values.Node) bool {
		return part.Kind == values.Ident && slices.Contains([]string{"object", "oldObject"}, part.Name)
	})
}
