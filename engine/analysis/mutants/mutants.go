// Package mutants changes policy expressions on purpose, one place at a time:
// it swaps operators, removes guards, and makes conditions true. A test suite
// that still passes does not test that place.
//
// It reads the parts of expressions from reports (engine.Options.Explain), so only what
// a request ran is changed; package coverage says what none ran.
package mutants

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Mutant is one change of one expression.
type Mutant struct {
	// Kind and Name are those of the document, Path the field of the expression.
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Change says what was done: "<= becomes <".
	Change string `json:"change"`
	// Expression and Mutated are the expression before and after.
	Expression string `json:"expression"`
	Mutated    string `json:"mutated"`
	// Span is the part that was changed, among the policies.
	Span diag.Span `json:"span"`
}

// Policies is the text of the policies with the change. Every other line stays where it
// is, so that a test may name lines: the expression is written on the first of its
// lines, and the others are empty. inPlace is false where a text does not allow that, as
// with an alias: then it is written anew, as Rewritten does it.
func (m Mutant) Policies(policies string) (text string, inPlace bool, err error) {
	defer guard.Error(&err)
	documents, problems := scenario.ParseDocuments(diag.Policies, policies)
	if diag.HasErrors(problems) {
		return "", false, fmt.Errorf("the policies cannot be read: %s", problems[0].Summary)
	}
	path := fieldpath.Parse(m.Path)
	for _, d := range documents {
		if is, ok := path.Get(d.Value); !ok || is != m.Expression || d.Kind != m.Kind || d.Name != m.Name {
			continue
		}
		span := d.Locate(m.Path)
		path.Set(d.Value, m.Mutated) // the documents were read for this alone
		text := policies[:span.Start] + onFirstLine(m.Mutated, policies[span.Start:span.End]) + policies[span.End:]
		if isText(text, documents) {
			return text, true, nil
		}
		break
	}
	text, err = rewritten(policies, &m)
	return text, false, err
}

// onFirstLine is a value in the place of another one, with as many lines. JSON's form of a
// text is YAML's, too.
func onFirstLine(value, former string) string {
	text, err := report.JSON(value)
	if err != nil {
		return value // a string can always be written
	}
	return text + strings.Repeat("\n", strings.Count(former, "\n"))
}

// isText reports whether a text has these documents.
func isText(text string, documents []*scenario.Document) bool {
	read, problems := scenario.ParseDocuments(diag.Policies, text)
	return !diag.HasErrors(problems) && slices.EqualFunc(read, documents, func(a, b *scenario.Document) bool { return reflect.DeepEqual(a.Value, b.Value) })
}

// Rewritten is the text of the policies written anew, without a change: comments and
// lines are lost, and nothing that the server sees. What a test says about it is what
// it says without a mutant that is not in its place.
func Rewritten(policies string) (_ string, err error) {
	defer guard.Error(&err)
	return rewritten(policies, nil)
}

func rewritten(policies string, m *Mutant) (string, error) {
	documents, problems := scenario.ParseDocuments(diag.Policies, policies)
	if diag.HasErrors(problems) {
		return "", fmt.Errorf("the policies cannot be read: %s", problems[0].Summary)
	}
	var b strings.Builder
	found := m == nil
	for _, d := range documents {
		if m != nil && !found && d.Kind == m.Kind && d.Name == m.Name {
			path := fieldpath.Parse(m.Path)
			// The documents were read for this alone, so they may be changed.
			if is, ok := path.Get(d.Value); ok && is == m.Expression {
				found = path.Set(d.Value, m.Mutated)
			}
		}
		text, err := scenario.YAML(d.Value)
		if err != nil {
			return "", err
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	if !found {
		return "", fmt.Errorf("the policies have no %s %s with %s", m.Kind, m.Name, m.Path)
	}
	return b.String(), nil
}

// Of are the mutants of everything that ran in some reports, each once, by document
// and place.
func Of(reports ...*report.Report) []Mutant {
	seen := map[Mutant]bool{}
	var out []Mutant
	for _, r := range reports {
		for i := range r.Steps {
			s := &r.Steps[i]
			add := func(e report.Evaluation) {
				if e.Text != diag.Policies || !e.Evaluated {
					return
				}
				for _, m := range ofEvaluation(&e) {
					m.Kind, m.Name = s.Kind, cmp.Or(s.Policy, s.Configuration)
					if !seen[m] {
						seen[m] = true
						out = append(out, m)
					}
				}
			}
			ofStep(s, add)
		}
	}
	slices.SortStableFunc(out, func(a, b Mutant) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
	})
	return out
}

// ofStep calls f for the expressions of a step whose result can matter to an answer.
func ofStep(s *report.Step, f func(report.Evaluation)) {
	for _, list := range [][]report.Evaluation{s.Conditions, s.Variables, s.AuditAnnotations} {
		for _, e := range list {
			f(e)
		}
	}
	for _, m := range s.Mutations {
		f(m.Evaluation)
		for _, e := range m.Variables {
			f(e)
		}
	}
	for _, v := range s.Validations {
		f(v.Evaluation)
		if v.MessageExpression != nil {
			f(*v.MessageExpression)
		}
	}
}

// ofEvaluation are the mutants of one expression.
func ofEvaluation(e *report.Evaluation) []Mutant {
	g := &generator{expression: []rune(e.Expression), path: e.Path}
	if _, ok := e.Result.(bool); ok {
		for _, constant := range []string{"true", "false"} {
			if strings.TrimSpace(e.Expression) != constant {
				g.add("all of it becomes "+constant, 0, len(g.expression), constant, e.Span)
			}
		}
	}
	for i := range e.Children {
		g.node(&e.Children[i])
	}
	return g.mutants
}
