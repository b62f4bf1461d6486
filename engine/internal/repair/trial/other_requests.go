package trial

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/probe"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// asks is what a repaired condition asks of requests.
type asks int

const (
	unasked asks = iota // not known
	never               // it answers all requests alike
	fails               // it answers none of them: it fails for each
	apart               // it tells requests apart
)

// asked says whether the expression that a problem is in still tells requests apart after a
// repair. It is evaluated for requests in which what it reads is absent, or has another
// value. A failure is no answer: whether it denies is for the failurePolicy, and it asks
// nothing of the request. A repair after which it fails for all of them is no sure one. Only conditions are looked at: those of policies, and validations.
func (t *Trial) asked(run Run, of diag.Diagnostic, s scenario.Scenario, after *report.Report) asks {
	e := expressionOf(after, of)
	if e == nil || len(e.Children) == 0 || e.List != report.ValidationsList && e.List != report.ConditionsList {
		return unasked
	}
	written, request := requestIn(s.Request)
	if request == nil {
		return unasked
	}
	answers := map[bool]bool{}
	note := func(e *report.Evaluation) {
		if answer, ok := e.Result.(bool); ok && e.Evaluated {
			answers[answer] = true
		}
	}
	note(e)
	set := probe.Of(e, request)
	ran, tried := 0, map[int]bool{}
	for _, p := range set.Probes {
		if s.Request = written(p.Request); s.Request == "" || len(answers) == 2 {
			break
		}
		r, err := t.run(run, s, eval.Options{Budget: t.Budget})
		if err != nil {
			return unasked
		}
		if e := expressionOf(r, of); e != nil {
			ran++
			note(e)
			for _, part := range p.Set {
				tried[part] = true
			}
		}
	}
	switch {
	case len(answers) == 2:
		return apart
	case len(answers) == 0 && ran > 0 && e.Error != "":
		return fails
	case ran > 0 && set.Whole && len(tried) == set.Parts:
		return never
	}
	return unasked
}

// fails reports whether a repair led to an expression that fails for the request and for those near it.
func (a attempt) fails() bool { return a.asks == fails }

// expressionOf is the evaluation of the expression that a problem is in, nil where it did
// not run.
func expressionOf(r *report.Report, of diag.Diagnostic) (found *report.Evaluation) {
	if of.Path == "" || of.Text != diag.Policies {
		return nil
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if of.Document != "" && of.Document != s.Kind+"/"+s.Policy {
			continue
		}
		s.Deciding(func(e *report.Evaluation) {
			if found == nil && e.Path == of.Path && e.Text == of.Text && e.Evaluated {
				found = e
			}
		})
	}
	return found
}

// requestIn reads the request of a text without completing it; of a bare object it has that object
// alone. written makes the text of a changed request, in the form of the first one. The request is
// nil where the text is not one readable document.
func requestIn(text string) (written func(map[string]any) string, request map[string]any) {
	documents, problems := scenario.ParseDocuments(diag.Request, text)
	if diag.HasErrors(problems) || len(documents) != 1 {
		return nil, nil
	}
	value := documents[0].Value
	asText := func(value any) string {
		out, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(out)
	}
	if documents[0].Kind != "AdmissionReview" {
		return func(changed map[string]any) string { return asText(changed["object"]) }, map[string]any{"object": value}
	}
	inner, ok := value["request"].(map[string]any)
	if !ok {
		return nil, nil
	}
	return func(changed map[string]any) string {
		review := maps.Clone(value)
		review["request"] = changed
		return asText(review)
	}, inner
}

// preferred takes away what leads astray, and of several repairs those that leave more to
// repair than others. An expression with an answer that none of the requests changes asks
// nothing: that leads astray, too, where another repair of the expression is telling, one after
// which some of such requests do change its answer. By itself it shows little: what tells
// requests apart may be one that the server would not run the policy for.
func preferred(fixes []diag.Fix, tries []attempt, telling bool) []diag.Fix {
	complete := slices.ContainsFunc(tries, func(a attempt) bool { return a.end == done })
	var out []diag.Fix
	var strains []strain
	for i, a := range tries {
		switch {
		case a.end == astray, complete && a.end == further, telling && a.asks == never:
		default:
			f := fixes[i]
			f.Sure = f.Sure && !a.fails()
			out, strains = append(out, f), append(strains, a.strain)
		}
	}
	return ranked(out, strains)
}
