package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// maxParts limits the parts in one tree. An expression with hundreds is easier to read in the
// editor, where each part shows its value under the pointer.
const maxParts = 80

// partLimit limits the shown characters of a part's value.
const partLimit = 120

// shownParts returns the roots of an expression's tree; none for a single variable or literal, or
// if too large.
func shownParts(e report.Evaluation) []report.Node {
	list := worthShowing(e.Children)
	if n := countParts(list); n == 0 || n > maxParts {
		return nil
	}
	if len(list) == 1 && len(partsOf(list[0])) == 0 && list[0].Error == "" {
		return nil // its value is the result
	}
	return list
}

func countParts(list []report.Node) int {
	n := len(list)
	for i := range list {
		n += countParts(partsOf(list[i]))
	}
	return n
}

// partsOf returns a part's children; none if it never ran, because then they did not either.
func partsOf(n report.Node) []report.Node {
	if !n.Evaluated && n.Error == "" {
		return nil
	}
	return worthShowing(n.Children)
}

// worthShowing drops literals, declarations, and whole objects such as request, whose fields are
// above them.
func worthShowing(list []report.Node) []report.Node {
	var out []report.Node
	for _, n := range list {
		_, whole := n.Value.(map[string]any)
		if n.Error != "" || !(n.Kind == "literal" || n.Kind == "declared" || n.Kind == "variable" && whole) {
			out = append(out, n)
		}
	}
	return out
}

// decides reports whether a part contains the smallest part that made the expression false or fail.
func decides(n report.Node, e report.Evaluation) bool {
	d := e.Decisive
	return d != nil && n.Evaluated && n.Start <= d.Start && n.End >= d.End
}

func nodeClass(n report.Node, e report.Evaluation) string {
	switch {
	case !n.Evaluated:
		return "is-unreached"
	case decides(n, e):
		return "is-deciding"
	}
	return ""
}

// nodeCost draws a part's share of the expression's cost as a line of up to 16 units; empty if it
// cost nothing.
func nodeCost(n report.Node, e report.Evaluation) string {
	if n.Cost <= 0 || e.Cost <= 0 {
		return ""
	}
	return fmt.Sprintf("M1 16h%.0f", max(1, 16*float64(n.Cost)/float64(e.Cost)))
}

// partText returns a part's source.
func partText(n report.Node, e report.Evaluation) string {
	runes := []rune(e.Expression)
	if n.Start < 0 || n.End > len(runes) || n.Start >= n.End {
		return n.Name
	}
	text := strings.Join(strings.Fields(string(runes[n.Start:n.End])), " ")
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return text
}

// nodeValue writes a part's value, cut after partLimit characters.
func nodeValue(n report.Node) string { return partValue(n.Shown, n.Value) }

// runValue writes a part's value in one of its runs.
func runValue(n report.Node, i int) string {
	shown := ""
	if i < len(n.ShownValues) {
		shown = n.ShownValues[i]
	}
	return partValue(shown, n.Values[i])
}

// partValue writes a value's shown form, or else its JSON.
func partValue(shown string, v any) string {
	if shown == "" {
		text, err := report.JSON(v)
		if err != nil {
			return fmt.Sprintf("(cannot be shown: %v)", err)
		}
		return cut(text, partLimit)
	}
	if runes := []rune(shown); len(runes) > partLimit {
		return strings.TrimRight(string(runes[:partLimit]), "…") + "…"
	}
	return shown
}

// partFacts are type, cost and runs: "int, cost 2, 3 times".
func partFacts(n report.Node) string {
	var facts []string
	if n.Type != "" {
		facts = append(facts, n.Type)
	}
	facts = append(facts, "cost "+report.Number(n.Cost))
	if n.Count > 1 {
		facts = append(facts, report.Number(int64(n.Count))+" times")
	}
	return strings.Join(facts, ", ")
}

// iteration names a run by its loop iterations, from 0.
func iteration(n report.Node, run int) string {
	if run >= len(n.At) || len(n.At[run]) == 0 {
		return strconv.Itoa(run)
	}
	var at []string
	for _, i := range n.At[run] {
		at = append(at, strconv.Itoa(i))
	}
	return strings.Join(at, ".")
}

// decided reports whether a run belongs to the iteration that decided a loop.
func decided(n report.Node, run int) bool {
	return n.Decided != nil && run < len(n.At) && len(n.At[run]) > 0 && n.At[run][len(n.At[run])-1] == *n.Decided
}

// rowKey identifies a step's expression across results.
func rowKey(step int, kind string, index int) string {
	return fmt.Sprintf("%s-%s-%d", stepID(step), kind, index)
}

// mostExpensive names the expression, and its part, that used most of a budget; empty if nothing
// did or only one could.
func mostExpensive(steps []report.Step, b report.Budget) string {
	if b.Step < 0 || b.Step >= len(steps) || b.Used == 0 {
		return ""
	}
	var most *report.Evaluation
	for _, e := range spenders(&steps[b.Step], b) {
		if most == nil || e.Cost > most.Cost {
			most = e
		}
	}
	if most == nil || most.Cost <= 0 {
		return ""
	}
	part := dearest(most.Children)
	if part == nil || part.Cost*4 < most.Cost {
		return fmt.Sprintf("%s (cost %s)", partText(report.Node{End: len([]rune(most.Expression))}, *most), report.Number(most.Cost))
	}
	return fmt.Sprintf("%s (cost %s)", partText(*part, *most), report.Number(part.Cost))
}

// paid returns the lists that a budget pays for, except single calls and mutations.
var paid = map[report.Scope][]report.List{
	report.MatchConditionsScope:  {report.ConditionsList},
	report.ValidationsScope:      {report.ValidationsList, report.MessagesList},
	report.AuditAnnotationsScope: {report.AuditAnnotationsList},
	report.RulesScope:            {report.RulesList, report.MessagesList},
}

// spenders returns the expressions that a budget pays for.
func spenders(s *report.Step, b report.Budget) []*report.Evaluation {
	var out []*report.Evaluation
	if b.Scope == report.MutationScope {
		for i := range s.Mutations {
			if m := &s.Mutations[i]; m.Name == b.Name {
				out = append(out, &m.Evaluation)
				for j := range m.Variables {
					out = append(out, &m.Variables[j])
				}
			}
		}
		return out
	}
	s.Evaluations(func(e *report.Evaluation) {
		if slices.Contains(paid[b.Scope], e.List) || b.Scope == report.CallScope && e.Cost == b.Used {
			out = append(out, e)
		}
	})
	return out
}

// dearest returns the part with the highest own cost.
func dearest(list []report.Node) *report.Node {
	var most *report.Node
	for i := range list {
		for _, n := range []*report.Node{&list[i], dearest(list[i].Children)} {
			if n != nil && (most == nil || n.Cost > most.Cost) {
				most = n
			}
		}
	}
	return most
}
