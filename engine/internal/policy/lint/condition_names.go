package lint

import (
	"strings"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// saysExcluded begins the name of a condition that leaves requests out.
var saysExcluded = lazy.Regexp{Text: `(?i)^(?:exclude|skip|ignore|exempt|except|omit|bypass)(?:s|d|ing|-|_|\.|$)`}

// saysOthers is in a name of what is left out by the opposite: exclude-non-prod is right for what is true in prod.
var saysOthers = lazy.Regexp{Text: `(?i)(?:^|[-_.])(?:non|not|no|others?|but|unless|without|outside|un[a-z]+)(?:[-_.]|$)`}

// conditionNames finds match conditions whose name says that they leave some users or resources out, and which are true
// for these alone: the negation is missing.
func conditionNames(p *policy) {
	for i, c := range p.conditions {
		if c.read == nil || !saysExcluded.MatchString(p.conditionNames[i]) || saysOthers.MatchString(p.conditionNames[i]) || p.said(p.document, c.path) {
			continue
		}
		root := c.read.Root()
		if !p.selectsSome(root) {
			continue
		}
		out := p.report(p.document, codes.MessageContradicts, diag.Warning, c.path, "the name "+p.conditionNames[i]+" says the opposite: this condition lets only these requests through",
			p.webhookWords("The policy is evaluated only if all match conditions are true.")+" What is to be left out needs a condition that is false for it.")
		if out.Code != "" {
			text := string([]rune(c.text)[root.Start:root.End])
			out.Fixes = p.rewritten(p.document, c.path, root.Start, root.End, "!("+strings.TrimSpace(text)+")")
		}
	}
}

// selectsSome reports whether a part is true for some users, namespaces or resources of requests and false for most.
func (p *policy) selectsSome(n *values.Node) bool {
	switch {
	case n.Kind == values.Logical:
		for _, child := range n.Children {
			if !p.selectsSome(child) {
				return false
			}
		}
		return true
	case isLoop(n, "exists"):
		return p.selectsSome(n.Children[2]) || p.ofRequest(n.Children[0])
	case n.Kind != values.Call || len(n.Children) != 2:
		return false
	case n.Name == operators.In:
		return p.ofRequest(n.Children[0]) || p.ofRequest(n.Children[1])
	case n.Name == operators.Equals, n.Member && (n.Name == "startsWith" || n.Name == "endsWith"):
		_, isText := literalText(n.Children[1])
		return isText && p.ofRequest(n.Children[0])
	}
	return false
}

// ofRequest reports whether a part reads who sends a request or what it is about, but for the operation.
func (p *policy) ofRequest(n *values.Node) bool {
	request, operation := false, false
	p.eachBelow(n, func(part *values.Node) {
		request = request || isRequest(part)
		operation = operation || fieldOf(part) == "operation"
	})
	return request && !operation
}
