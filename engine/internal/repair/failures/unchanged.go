package failures

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
)

// bothAbsent compares a field of object with the same one of oldObject where either may be
// absent: both as optional values, of which two without a value are equal.
func bothAbsent(s *rewrite.Source, n *node) (diag.Fix, bool) {
	side := outermost(n)
	p := side.parent
	if p == nil || p.Kind != "call" || p.Name != "_==_" && p.Name != "_!=_" || len(p.children) != 2 || ofNull(n) {
		return diag.Fix{}, false
	}
	other := p.children[1-side.index]
	one, steps := rootOf(side)
	two, otherSteps := rootOf(other)
	if one == nil || two == nil || otherObject[one.Name] != two.Name || len(steps) != len(otherSteps) || two.Type == "null_type" {
		return diag.Fix{}, false
	}
	text := func(root, n *node) string { return string(s.Runes[root.End:n.End]) }
	if text(one, side) != text(two, other) || strings.Contains(text(one, side), "?") {
		return diag.Fix{}, false
	}
	var changes []rewrite.Change
	for _, list := range [][]*node{steps, otherSteps} {
		for i, step := range list {
			if i == 0 && slices.Contains([]string{"metadata", "spec"}, step.Name) {
				continue // every object has it
			}
			mark := step.End - len([]rune(step.Name))
			if step.Kind == "index" {
				mark = step.children[1].Start
			}
			changes = append(changes, rewrite.Replace(mark, mark, "?"))
		}
	}
	return s.Fix("Treat missing values on both sides as equal", changes...), true
}

// otherUnit writes a quantity with a unit that the API has.
func otherUnit(s *rewrite.Source, n *node) []diag.Fix {
	if len(n.children) != 1 || n.children[0].Kind != "literal" {
		return nil
	}
	of := n.children[0]
	text := expressions.KubernetesUnit(string(s.Runes[of.Start:of.End]))
	if text == "" {
		return nil
	}
	return []diag.Fix{s.Fix("Write "+text, rewrite.Replace(of.Start, of.End, text))}
}
