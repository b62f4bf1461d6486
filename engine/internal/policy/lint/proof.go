package lint

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// explore calls body for all cases of the worlds, and reports whether these are all that there are. It
// stops where body is false: then nothing is proved.
func (p *policy) explore(worlds []*outcomes.World, body func(*outcomes.Run) bool) bool {
	if len(worlds) == 0 {
		return false
	}
	p.cases = 0
	for _, w := range worlds {
		p.Budget.Work(exploreWork)
		if !outcomes.Explore(w, mostSteps, func(r *outcomes.Run) bool { p.cases++; return body(r) }) {
			return false
		}
	}
	return true
}

// proof says over how many cases the last exploration went, to be added to the text of a finding.
func (p *policy) proof() string {
	if p.cases == 1 {
		return " Preadmit proved it: the expressions distinguish no requests."
	}
	return fmt.Sprintf(" Preadmit proved it over all %d cases that the expressions distinguish.", p.cases)
}

// exploreWork is about what one exploration takes.
const exploreWork = 2_000

// holdAll reports whether all conditions are true in a case.
func holdAll(r *outcomes.Run, list []expression) bool {
	return !slices.ContainsFunc(list, func(c expression) bool { return r.Outcome(c.read) != outcomes.True })
}

// seen are the outcomes that an expression has where all conditions are true; nothing if not all are found.
func (p *policy) seen(worlds []*outcomes.World, conditions []expression, e expression) outcomes.Outcome {
	var found outcomes.Outcome
	all := p.explore(worlds, func(r *outcomes.Run) bool {
		if holdAll(r, conditions) {
			found |= r.Outcome(e.read)
		}
		return found&(outcomes.True|outcomes.False) != outcomes.True|outcomes.False
	})
	if !all {
		return 0
	}
	return found
}

// each calls f for the parts of an expression, and of the variables that it reads.
func (p *policy) each(e *outcomes.Expression, f func(*values.Node)) {
	if e != nil {
		p.eachBelow(e.Root(), f)
	}
}

// eachBelow calls f for a part and all parts of it, and of the variables that it reads.
func (p *policy) eachBelow(root *values.Node, f func(*values.Node)) {
	read := map[string]bool{}
	var walk func(n *values.Node)
	walk = func(n *values.Node) {
		f(n)
		if n.Kind == values.Select && len(n.Children) == 1 && n.Children[0].Kind == values.Ident && n.Children[0].Name == "variables" && !read[n.Name] {
			read[n.Name] = true
			if v := p.named[n.Name]; v != nil {
				walk(v.Root())
			}
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(root)
}

// reads are the variables that an expression reads of a request.
func (p *policy) reads(e *outcomes.Expression) []string {
	var out []string
	p.each(e, func(n *values.Node) {
		if n.Kind == values.Ident && !slices.Contains(out, n.Name) && n.Name != "variables" {
			out = append(out, n.Name)
		}
	})
	return out
}

// fields are the names of all fields and keys that an expression reads.
func (p *policy) fields(e *outcomes.Expression) []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	p.each(e, func(n *values.Node) {
		switch {
		case n.Kind == values.Select:
			add(n.Name)
		case n.Kind == values.Macro && n.Name == "has" && n.Expr != nil && n.Expr.Kind() == ast.SelectKind:
			add(n.Expr.AsSelect().FieldName())
		case n.Kind == values.Literal && n.Expr != nil && n.Expr.Kind() == ast.LiteralKind:
			if s, ok := n.Expr.AsLiteral().Value().(string); ok {
				add(s)
			}
		}
	})
	slices.Sort(out)
	return out
}

// common reports whether two sorted lists have a word in common.
func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { _, ok := slices.BinarySearch(b, s); return ok })
}
