package lint

import (
	"cmp"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// authorsConditions finds match conditions and alternatives in validations about security that only test labels,
// annotations or the beginning of the object's name, which its author sets.
func authorsConditions(p *policy) {
	if p.webhook || !p.creates() {
		return
	}
	name := p.securityField()
	for _, c := range p.conditions {
		if name == "" || c.read == nil {
			break
		}
		if which, ok := p.byAuthor(c.read.Root()); ok && p.authorSkips(c, c.read.Root(), which, name) {
			return
		}
	}
	for _, v := range p.validations {
		if v.read == nil {
			continue
		}
		var alternative *values.Node
		which, name, mixed := "", "", false
		for _, part := range operands(v.read.Root(), "_||_") {
			if of, ok := p.byAuthor(part); ok {
				alternative, which = part, of
				continue
			}
			p.eachBelow(part, func(n *values.Node) {
				mixed = mixed || fieldOf(n) == "labels" || fieldOf(n) == "annotations"
				if field := fieldOf(n); name == "" && slices.Contains(securityFields, field) {
					name = field
				}
			})
		}
		if alternative != nil && name != "" && !mixed && p.authorSkips(v.expression, alternative, which, name) {
			return
		}
	}
}

// creates reports whether the policy matches the creation of objects.
func (p *policy) creates() bool {
	return slices.ContainsFunc(p.targets(p.match.ResourceRules), func(t target) bool { return t.operation == "CREATE" && t.sub == "" })
}

// authorSkips reports that a part of an expression lets the author skip what the policy checks. It is silent where a
// validation is about the same label or annotation: it may say who sets it.
func (p *policy) authorSkips(e expression, part *values.Node, which, name string) bool {
	var keys []string
	p.eachBelow(part, func(n *values.Node) {
		if key, ok := literalText(n); ok {
			keys = append(keys, key)
		}
		if n.Kind == values.Select && fieldOf(n.Children[0]) == which {
			keys = append(keys, n.Name)
		}
	})
	for _, o := range p.all {
		for _, v := range o.validations {
			if v.path == e.path && o == p {
				continue
			}
			if fields := o.fields(v.read); slices.ContainsFunc(keys, func(key string) bool { return len(key) > 5 && slices.Contains(fields, key) }) {
				return false
			}
		}
	}
	what := "sets these " + which
	if which == "name" {
		what = "chooses its name"
	}
	out := p.report(p.document, codes.AuthorCanSkip, diag.Warning, e.path, "the object's author "+what+", and so decides whether the policy checks "+name,
		"Exempt namespaces by labels of theirs, or users in a match condition.")
	p.within(out, p.document, e.path, part.Start, part.End)
	return true
}

// byAuthor reports whether a part reads labels or annotations of the object, or a part of its name, and nothing else.
func (p *policy) byAuthor(part *values.Node) (which string, ok bool) {
	ok = true
	p.eachBelow(part, func(n *values.Node) {
		if n.Kind == values.Ident {
			ok = ok && !slices.Contains([]string{"request", "authorizer", "namespaceObject", "params", "oldObject"}, n.Name)
		}
		name, of := fieldOf(n), n
		if name == "" {
			return
		}
		of = of.Children[0]
		switch {
		case of.Kind == values.Ident && of.Name == "object":
			ok = ok && name == "metadata"
		case fieldOf(of) == "metadata" && of.Kind == values.Select && isObject(of.Children[0]):
			switch name {
			case "labels", "annotations":
				which = name
			case "name", "generateName":
				which = cmp.Or(which, "name")
			default:
				ok = false
			}
		}
	})
	if which == "name" && !p.anyBelow(part, isPartOfText) {
		return "", false // one name is one object
	}
	return which, ok && which != ""
}

func isObject(n *values.Node) bool {
	return n.Kind == values.Ident && n.Name == "object" && n.Expr != nil && n.Expr.Kind() == ast.IdentKind
}

// isPartOfText reports a test of a part of a text.
func isPartOfText(n *values.Node) bool {
	return n.Kind == values.Call && n.Member && slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, n.Name)
}

// anyBelow reports whether some part below a part is of a kind.
func (p *policy) anyBelow(root *values.Node, is func(*values.Node) bool) (found bool) {
	p.eachBelow(root, func(n *values.Node) { found = found || is(n) })
	return found
}
