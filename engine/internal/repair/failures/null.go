package failures

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// askedForNull replaces a comparison with null by has(), because reading an absent field fails. If the same
// condition reads a key of that map, it also checks for the key, because reading an absent key fails too.
func askedForNull(s *rewrite.Source, e *report.Evaluation, n *node) (diag.Fix, bool) {
	p := outermost(n).parent
	if p == nil || p.Kind != "call" || p.Name != "_==_" && p.Name != "_!=_" || len(p.children) != 2 {
		return diag.Fix{}, false
	}
	other := p.children[1-outermost(n).index]
	present, absent, _ := test(s, n)
	if present == "" || ofNull(n) || string(s.Runes[other.Start:other.End]) != "null" {
		return diag.Fix{}, false
	}
	text := present
	if p.Name == "_==_" {
		text = absent
	}
	if strings.Contains(text, " ") && p.parent != nil {
		text = "(" + text + ")"
	}
	title, keys := "Write "+text, keyGuards(s, e, n, p)
	if len(keys) > 0 {
		title += " and test the keys that are read"
	}
	return s.Fix(title, append(keys, rewrite.Replace(p.Start, p.End, text))...), true
}

// keyGuards test the keys of a map in front of the conditions that read them, beside a condition that asks
// for the map itself.
func keyGuards(s *rewrite.Source, e *report.Evaluation, of, asked *node) (out []rewrite.Change) {
	around := asked
	for around.parent != nil && around.parent.Kind == "logical" {
		around = around.parent
	}
	text := func(n *node) string { return string(s.Runes[n.Start:n.End]) }
	guarded := map[*node]bool{}
	around.walk(func(n *node) {
		if n.Kind != "index" || len(n.children) != 2 || text(n.children[0]) != text(of) {
			return
		}
		is, isNot := stepTest(s, n)
		condition, ok := conditionOf(e, n)
		if is == "" || !ok || guarded[condition] || strings.Contains(string(s.Runes), is) {
			return
		}
		guarded[condition] = true
		before, operator, after := is+" && ", "_&&_", ""
		if lenient(e, condition, n) {
			before, operator = isNot+" || ", "_||_"
		}
		if !condition.under("logical", operator) {
			before, after = "("+before, ")"
		}
		out = append(out, rewrite.Replace(condition.Start, condition.Start, before))
		if after != "" {
			out = append(out, rewrite.Replace(condition.End, condition.End, after))
		}
	})
	return out
}
