package lint

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// hostOnly is the name of a registry without a slash behind it.
var hostOnly = lazy.Regexp{Text: `^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?$`}

// openTexts finds tests of a text that other texts pass, too: a registry's name without a slash, and patterns
// that match anywhere.
func openTexts(p *policy) {
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || len(n.Children) != 2 || !n.Member || p.said(p.document, e.path) || e.read == nil || negated(e.read.Root(), n) {
			return false
		}
		text, isText := literalText(n.Children[1])
		at := of(n.Children[0])
		if !isText || n.Name != "startsWith" && n.Name != "matches" {
			return false
		}
		summary, detail, now := "", "", ""
		switch {
		case n.Name == "startsWith" && at != nil && at.steps[len(at.steps)-1] == "image" && hostOnly.MatchString(text):
			summary, detail, now = text+".evil.example/app starts with '"+text+"', too", "End the registry's name with a slash.", text+"/"
		case n.Name == "matches" && !strings.ContainsAny(text, "'\\"):
			summary, detail, now = openPattern(text, at)
		}
		if summary == "" {
			return false
		}
		out := p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, summary, detail)
		p.within(out, p.document, e.path, n.Children[1].Start, n.Children[1].End)
		if out.Code != "" {
			out.Fixes = p.rewritten(p.document, e.path, n.Children[1].Start, n.Children[1].End, "'"+now+"'")
		}
		return true
	})
}

// openPattern says what a pattern matches beyond what it looks like, and the pattern that does not; empty for others.
func openPattern(text string, at *place) (summary, detail, now string) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", "", ""
	}
	begins, ends := strings.HasPrefix(text, "^"), strings.HasSuffix(text, "$")
	if parsed.Op == syntax.OpAlternate && begins && ends {
		if first, last := parsed.Sub[0], parsed.Sub[len(parsed.Sub)-1]; !anchored(first, syntax.OpEndText) && !anchored(last, syntax.OpBeginText) {
			return "^ and $ belong to the first and the last alternative only", "Put the alternatives into brackets.", "^(" + text[1:len(text)-1] + ")$"
		}
	}
	if begins || ends || at == nil || strings.HasPrefix(text, ".*") || anchored(parsed, syntax.OpBeginText) {
		return "", "", ""
	}
	named := slices.Contains(at.steps, "labels") || len(at.steps) == 3 && at.steps[1] == "metadata" && at.steps[2] == "name"
	if named && parsed.Op == syntax.OpConcat && repeats(parsed) {
		return "the pattern matches a part of the text, so the text may have more before and behind it", "Begin it with ^ and end it with $.", "^" + text + "$"
	}
	return "", "", ""
}

func anchored(r *syntax.Regexp, op syntax.Op) bool {
	return r.Op == op || r.Op == syntax.OpConcat && slices.ContainsFunc(r.Sub, func(s *syntax.Regexp) bool { return s.Op == op })
}

func repeats(r *syntax.Regexp) bool {
	return slices.ContainsFunc(r.Sub, func(s *syntax.Regexp) bool {
		return s.Op == syntax.OpPlus || s.Op == syntax.OpStar || s.Op == syntax.OpRepeat
	})
}

// negated reports whether a part of a tree is below a negation.
func negated(n, part *values.Node) bool {
	for _, child := range n.Children {
		if n != part && child.Start <= part.Start && part.End <= child.End {
			return n.Kind == values.Call && n.Name == "!_" || negated(child, part)
		}
	}
	return false
}
