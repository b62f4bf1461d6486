package lint

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unseenMessages finds messages that no answer has.
func unseenMessages(p *policy) {
	worlds := p.worlds(nil)
	for _, v := range p.validations {
		m := v.messageExpression
		if m == nil || m.read == nil || v.read == nil || p.said(p.document, v.path) || p.said(p.document, m.path) {
			continue
		}
		if breaksLine(m.read.Root()) {
			p.report(p.document, codes.MessageNeverUsed, diag.Warning, m.path, "the server never uses this text: it has a line break", "It uses message instead, or else the expression's text.")
			continue
		}
		made, denied, texts, absent := false, false, map[string]bool{}, ""
		all := p.explore(worlds, func(r *outcomes.Run) bool {
			if !holdAll(r, p.conditions) || r.Outcome(v.read) != outcomes.False {
				return true
			}
			denied = true
			if absent = cmp.Or(absent, r.Missing(m.read)); r.Succeeds(m.read) {
				made = true
			}
			text, known := r.Text(m.read)
			if known {
				texts[text] = true
			}
			return !made || known
		})
		if !all || !denied {
			continue
		}
		path := strings.TrimSuffix(v.path, "expression") + "message"
		switch useless := uselessTexts(texts); {
		case !made:
			p.report(p.document, codes.MessageNeverUsed, diag.Warning, m.path, "this messageExpression fails whenever the validation is false",
				fmt.Sprintf("It reads %s, which is absent then. The server uses message instead, or else the expression's text.", cmp.Or(absent, "a field")))
		case useless != "":
			p.report(p.document, codes.MessageNeverUsed, diag.Warning, m.path, "the server never uses this text: "+useless, "It uses message instead, or else the expression's text.")
		case v.message != "":
			p.report(p.document, codes.MessageNeverUsed, diag.Warning, path, "nobody sees this message: the messageExpression always returns one", "Remove one of the two.")
		}
	}
}

// breaksLine reports whether a text has a line break that the server does not trim, whatever is in the place of what is
// no literal.
func breaksLine(root *values.Node) bool {
	return strings.Contains(strings.TrimSpace(literals(root)), "\n")
}

// literals are the literals of a text that is joined or formatted.
func literals(n *values.Node) string {
	switch {
	case n.Kind == values.Call && n.Name == operators.Add:
		return literals(n.Children[0]) + literals(n.Children[1])
	case n.Kind == values.Call && n.Member && n.Name == "format":
		return placeholder.ReplaceAllString(literals(n.Children[0]), "")
	}
	text, _ := literalText(n)
	return text
}

// placeholder is what format() replaces in a text.
var placeholder = lazy.Regexp{Text: `%[.0-9]*[a-zA-Z]`}

// uselessTexts is why the server uses none of these texts.
func uselessTexts(texts map[string]bool) string {
	why := ""
	for text := range texts {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
			why = "it is empty"
		case strings.Contains(text, "\n"):
			why = "it has a line break"
		default:
			return ""
		}
	}
	return why
}
