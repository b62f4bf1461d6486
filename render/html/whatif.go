package html

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/path"
)

// Side is one of the two runs that WhatIf compares.
type Side struct {
	// Name identifies it: "As opened", "Now".
	Name string
	View
}

// comparedTexts are the compared texts, in page order.
var comparedTexts = []diag.Text{diag.Policies, diag.Request, diag.Cluster, diag.Expression}

// textChange is a text that differs.
type textChange struct {
	Of                  diag.Text
	Name, Before, After string
}

func textChanges(left, right Side) []textChange {
	var out []textChange
	for _, text := range comparedTexts {
		if before, after := left.Texts[text], right.Texts[text]; before != after {
			out = append(out, textChange{text, tabs[text], before, after})
		}
	}
	return out
}

// difference is one result that differs: a step, or one of its expressions (Part). It is empty on a
// side that lacks it.
type difference struct {
	Step, Part  string
	Left, Right outcomeWords
	// Gate is the step's gate on the request's path; empty for the stand-alone expression.
	Gate string
}

// compared has the differences between two runs.
type compared struct {
	Results []difference
	Texts   []textChange
	// Before and After are the final objects; empty if a side has none, or both are equal.
	Before, After string
	// Large says that the final objects differ but are too large to compare.
	Large bool
}

func compare(left, right Side) compared {
	c := compared{Results: differences(left.Report, right.Report), Texts: textChanges(left, right)}
	before, after := left.after(), right.after()
	switch {
	case before == nil || after == nil || equality.Semantic.DeepEqual(before, after):
	case tooLarge(before, after):
		c.Large = true
	default:
		c.Before, c.After = YAML(before), YAML(after)
	}
	return c
}

// leads returns the target of a gate on either side: the first result that differs at it, the
// request's texts, or the object, by WhatIf's names. It is empty if nothing differs there.
func (c compared) leads(g path.Gate) string {
	for i, d := range c.Results {
		if d.Gate == g.ID || g.Target == path.AnswerTarget {
			return differenceID(i)
		}
	}
	switch g.Target {
	case path.RequestTarget:
		for _, t := range c.Texts {
			if t.Of == diag.Request {
				return string(t.Of)
			}
		}
	case path.ObjectTarget, path.AnswerTarget:
		if c.Before != c.After || c.Large {
			return "object"
		}
	}
	return ""
}

func differenceID(row int) string { return "result-" + strconv.Itoa(row) }

// outcomeWords describe a result. State is a step's, empty for an expression.
type outcomeWords struct {
	State State
	Text  string
}

// differences returns the steps and expressions whose results differ, in the left side's order,
// followed by those that only the right side has.
func differences(left, right *report.Report) []difference {
	l, r := results(left), results(right)
	var out []difference
	for _, of := range append(l.order, r.order...) {
		a, b := l.by[of], r.by[of]
		if a == b || l.done[of] {
			continue
		}
		// A step that one side lacks is one difference, with everything in it.
		whole := resultKey{step: of.step}
		if of.part != "" && (l.by[whole] == outcomeWords{}) != (r.by[whole] == outcomeWords{}) {
			continue
		}
		l.done[of] = true
		out = append(out, difference{Step: of.step, Part: of.part, Left: a, Right: b, Gate: cmp.Or(l.gates[of.step], r.gates[of.step])})
	}
	return out
}

// resultKey identifies a step or expression across reports.
type resultKey struct{ step, part string }

// resultTable has a report's result for each step and expression.
type resultTable struct {
	order []resultKey
	by    map[resultKey]outcomeWords
	done  map[resultKey]bool
	gates map[string]string // of each step
}

func (t *resultTable) add(of resultKey, words outcomeWords) {
	for n, name := 2, of.part; t.by[of] != (outcomeWords{}); n++ {
		of.part = fmt.Sprintf("%s (%d)", name, n)
	}
	t.order = append(t.order, of)
	t.by[of] = words
}

func results(r *report.Report) resultTable {
	t := resultTable{by: map[resultKey]outcomeWords{}, done: map[resultKey]bool{}, gates: map[string]string{}}
	for _, s := range r.Steps {
		step := stepNoun(s) + " " + stepName(s)
		if s.Binding != "" && s.Binding != s.Policy {
			step += ", binding " + s.Binding
		}
		if s.Param != "" {
			step += ", param " + s.Param
		}
		if s.Pass > 0 {
			step += ", second pass"
		}
		t.gates[step] = path.GateOf(s)
		t.add(resultKey{step: step}, outcomeWords{StepState(s), word(s)})
		for part, e := range expressionsOf(s) {
			t.add(resultKey{step, part}, outcomeWords{Text: resultWords(e)})
		}
	}
	if e := r.Expression; e != nil {
		t.add(resultKey{step: "expression"}, outcomeWords{Text: resultWords(*e)})
	}
	if r.Rules != nil {
		t.add(resultKey{step: "rules"}, outcomeWords{Text: rulesWord(r.Rules.State)})
	}
	return t
}

// expressionsOf returns a step's named expressions in the server's order, without those that never
// ran.
func expressionsOf(s report.Step) iter.Seq2[string, report.Evaluation] {
	return func(yield func(string, report.Evaluation) bool) {
		each := func(noun string, list []report.Evaluation) bool {
			for i, e := range list {
				if (e.Evaluated || e.Error != "") && !yield(label(e, noun, i), e) {
					return false
				}
			}
			return true
		}
		var mutations, validations []report.Evaluation
		for _, m := range s.Mutations {
			mutations = append(mutations, m.Evaluation)
		}
		for _, v := range s.Validations {
			validations = append(validations, v.Evaluation)
		}
		_ = each("condition", s.Conditions) && each("variable", s.Variables) && each("mutation", mutations) &&
			each("validation", validations) && each("audit annotation", s.AuditAnnotations)
	}
}

// resultWords returns the value or error, and the cost.
func resultWords(e report.Evaluation) string {
	text := value(e.Result)
	if e.Error != "" {
		text = "error: " + e.Error
	}
	text = cut(text, 160)
	if e.Cost >= 0 {
		text += " · cost " + report.Number(e.Cost)
	}
	return text
}

// whatIfSays summarises the comparison in one sentence.
func whatIfSays(left, right Side) string {
	a, b := left.Report, right.Report
	if verdictWord(a) != verdictWord(b) {
		return fmt.Sprintf("%s: %s. %s: %s.", left.Name, verdictWord(a), right.Name, verdictWord(b))
	}
	switch n := len(differences(a, b)); {
	case a.Outcome.Message != b.Outcome.Message:
		return fmt.Sprintf("Both: %s, with different messages.", verdictWord(b))
	case n == 0:
		return fmt.Sprintf("No difference: both are %s.", strings.ToLower(verdictWord(b)))
	case n == 1:
		return fmt.Sprintf("Both: %s. One result differs.", verdictWord(b))
	default:
		return fmt.Sprintf("Both: %s. %d results differ.", verdictWord(b), n)
	}
}
