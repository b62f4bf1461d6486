package failures

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// turnedGuard repairs a guard that lets through exactly what it is to keep away: x != null || x.field == y,
// and !has(x.field) && x.field == y. What is read fails where the guard is false, so it was meant the other
// way round, or joined with the other operator.
func turnedGuard(s *rewrite.Source, e *report.Evaluation, n *node) []diag.Fix {
	present, absent := bareTest(s, n)
	if present == "" {
		return nil
	}
	for at := n; at.parent != nil; at = at.parent {
		p := at.parent
		// What is read where the guard is false fails where it asks that the part is there.
		wrong, right, other := present, absent, "&&"
		if p.Kind == "ternary" && at.index == 1 || p.Kind == "logical" && p.Name == "_&&_" {
			wrong, right, other = absent, present, "||"
		}
		switch {
		case p.Kind == "ternary" && at.index > 0 && isText(s, p.children[0], wrong):
			return []diag.Fix{s.Fix("Write "+right, rewrite.Replace(p.children[0].Start, p.children[0].End, right))}
		case p.Kind != "logical":
			continue
		}
		for _, guard := range p.children {
			if guard == at || !isText(s, guard, wrong) {
				continue
			}
			out := []diag.Fix{s.Fix("Write "+right, rewrite.Replace(guard.Start, guard.End, right))}
			if len(p.children) != 2 || guard.index != 0 {
				return out
			}
			joined := s.Fix("Join them with "+other, rewrite.Replace(guard.End, at.Start, " "+other+" "))
			if e.List == report.ConditionsList {
				return append([]diag.Fix{joined}, out...) // which selects what has the field
			}
			return append(out, joined)
		}
	}
	return nil
}

// bareTest is what asks whether a part is there, and whether it is not, without what is below it.
func bareTest(s *rewrite.Source, n *node) (present, absent string) {
	if len(n.children) == 0 {
		return "", ""
	}
	if part := string(s.Runes[n.Start:n.End]); n.Kind == "select" && !ofNull(n) && !strings.ContainsAny(part, "?") {
		return "has(" + part + ")", "!has(" + part + ")"
	}
	present, absent, _ = test(s, n)
	return present, absent
}

// isText reports whether a part is written so, blanks apart.
func isText(s *rewrite.Source, n *node, text string) bool {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	return bare(string(s.Runes[n.Start:n.End])) == bare(text)
}
