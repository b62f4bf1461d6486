package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// latestImages finds validations that deny an image with the tag latest and admit one without a tag, which means
// the same. A policy that tests for another colon or an @ anywhere is taken to demand a tag.
func latestImages(p *policy) {
	effects := p.effects()
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || !n.Member || len(n.Children) != 2 || n.Name != "endsWith" && n.Name != "contains" || effects.sign[n] >= 0 || p.said(p.document, e.path) {
			return false
		}
		at := of(n.Children[0])
		if text, _ := literalText(n.Children[1]); text != ":latest" || at == nil || at.steps[len(at.steps)-1] != "image" || slices.ContainsFunc(p.all, demandsTag) {
			return false
		}
		out := p.report(p.document, codes.DoubtfulText, diag.Info, e.path, "an image without a tag passes, and its tag is latest, too", "Demand a tag or a digest.")
		p.within(out, p.document, e.path, n.Start, n.End)
		if out.Code != "" {
			source := []rune(e.text)
			image := string(source[n.Children[0].Start:n.Children[0].End])
			out.Fixes = p.rewritten(p.document, e.path, n.Start, n.End, "("+string(source[n.Start:n.End])+" || !"+image+".matches('[:@][^/]+$'))")
		}
		return true
	})
}

// colonAnywhere finds validations that take a colon anywhere in an image for the one before its tag: the host of a
// registry may have a port.
func colonAnywhere(p *policy) {
	effects := p.effects()
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || !n.Member || len(n.Children) != 2 || n.Name != "contains" || effects.sign[n] <= 0 || p.said(p.document, e.path) {
			return false
		}
		at := of(n.Children[0])
		if text, _ := literalText(n.Children[1]); text != ":" || at == nil || at.steps[len(at.steps)-1] != "image" ||
			p.anyLiteral(func(other string) bool { return strings.Contains(other, ":") && other != ":" }) {
			return false
		}
		out := p.report(p.document, codes.DoubtfulText, diag.Info, e.path, "registry.example:5000/app has a colon and no tag, and passes", "Look for the colon after the last slash.")
		p.within(out, p.document, e.path, n.Start, n.End)
		if image := n.Children[0]; out.Code != "" {
			out.Fixes = p.rewritten(p.document, e.path, n.Start, n.End, string([]rune(e.text)[image.Start:image.End])+".matches(':[^/]+$')")
		}
		return true
	})
}

// demandsTag reports whether a policy tests for a tag or digest.
func demandsTag(p *policy) bool {
	return p.anyLiteral(func(text string) bool {
		return strings.ContainsAny(text, ":@") && text != ":latest" && !strings.Contains(text, "://")
	})
}

// anyLiteral reports whether some text in the policy's expressions is of a kind.
func (p *policy) anyLiteral(is func(string) bool) bool {
	return p.anyPart(func(n *values.Node) bool {
		text, ok := literalText(n)
		return ok && is(text)
	})
}

// anyPart reports whether some part of the policy's expressions is of a kind.
func (p *policy) anyPart(is func(*values.Node) bool) bool {
	return slices.ContainsFunc(p.expressions(), func(e expression) bool {
		return e.read != nil && slices.ContainsFunc(e.read.Nodes(), is)
	})
}
