package trial

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/probe"
	"github.com/preadmit/preadmit/engine/internal/kube/workload"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// neighbour is a request near the one at hand, with what a policy makes of it before a repair.
type neighbour struct {
	request string
	before  effect
}

// effect is what a policy makes of a request.
type effect struct {
	ran, failed bool
	expression  string // the path of the one that failed, or whose patch could not be applied
	text        string // equal for equal effects
}

// strain is what a repair does to requests near the one at hand.
type strain struct {
	changed int // had another effect before, without a failure
	fails   int // the patch still cannot be applied
}

// atRunTime are the codes of expressions and patches that fail for the request at hand. What they
// make of other requests is meant; of other mistakes it may be wrong.
var atRunTime = map[string]bool{codes.CELRuntime: true, codes.MissingParent: true}

// strain tries the repair of an expression or patch that fails on requests near the one at hand:
// other kinds that the policy matches, and those with a field that is absent, has another entry
// or one item less. An expression that fails for a later reason was repaired all the same, and one
// that never fails may do nothing: failures are counted only for patches.
func (t *Trial) strain(run Run, of diag.Diagnostic, s scenario.Scenario, after *report.Report) (out strain) {
	if !atRunTime[of.Code] || of.Text != diag.Policies || s.Request != t.Scenario.Request || t.ended {
		return out
	}
	for _, n := range t.neighbours(of, after) {
		s.Request = n.request
		r, err := t.run(run, s, eval.Options{Budget: t.Budget})
		if err != nil {
			return strain{} // not all were tried
		}
		switch now := effectOf(r, of.Document); {
		case of.Code == codes.MissingParent && n.before.failed && now.failed && now.expression == of.Path:
			out.fails++
		case !n.before.failed && now != n.before:
			out.changed++
		}
	}
	return out
}

// neighbours are the requests for the repairs of one policy, made from the first of them that
// lets the expressions run. Only those count that the server admits without policies, and that
// the policy runs for.
func (t *Trial) neighbours(of diag.Diagnostic, after *report.Report) []neighbour {
	if list, known := t.near[of.Document]; known {
		return list
	}
	s := t.Scenario
	written, request := requestIn(s.Request)
	if request == nil {
		return nil
	}
	without := s
	without.Policies = ""
	open, err := t.Compile(without)
	if err != nil {
		return nil
	}
	original, err := t.Compile(s)
	if err != nil {
		return nil
	}
	now, err := t.run(original, s, eval.Options{Trace: true, Budget: t.Budget})
	if err != nil {
		return nil
	}
	var expressions []*report.Evaluation
	for _, r := range []*report.Report{now, after} {
		for i := range r.Steps {
			if step := &r.Steps[i]; step.Kind+"/"+step.Policy == of.Document {
				step.Deciding(func(e *report.Evaluation) { expressions = append(expressions, e) })
			}
		}
	}
	var requests []string
	for _, object := range t.otherKinds(of.Document, s.Request, request) {
		requests = append(requests, written(map[string]any{"object": object}))
	}
	for _, r := range probe.Around(expressions, request) {
		requests = append(requests, written(r))
	}
	var list []neighbour
	for _, text := range requests {
		if text == "" {
			continue
		}
		without.Request, s.Request = text, text
		admitted, err := t.run(open, without, eval.Options{Budget: t.Budget})
		if err != nil {
			return nil
		}
		if !admitted.Outcome.Allowed {
			continue
		}
		before, err := t.run(original, s, eval.Options{Budget: t.Budget})
		if err != nil {
			return nil
		}
		if e := effectOf(before, of.Document); e.ran {
			list = append(list, neighbour{text, e})
		}
	}
	t.near[of.Document] = list
	return list
}

// otherKinds are objects of the other kinds that a policy matches, with the Pod of the object at
// hand. A captured request says its resource as well, so there are none for it.
func (t *Trial) otherKinds(document, text string, request map[string]any) (list []map[string]any) {
	object, ok := request["object"].(map[string]any)
	if !ok || len(request) > 1 {
		return nil
	}
	for _, d := range t.Documents[diag.Policies] {
		if d.Kind+"/"+d.Name != document {
			continue
		}
		for _, kind := range model.Kinds(t.Catalog, model.Rules(d.Value, -1), check.Runtime) {
			if like := workload.WithPodOf(object, kind); like != nil && (like["kind"] != object["kind"] || like["apiVersion"] != object["apiVersion"]) {
				list = append(list, like)
			}
		}
	}
	return list
}

// effectOf is what a policy made of the request of a report.
func effectOf(r *report.Report, document string) (out effect) {
	var parts []string
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind+"/"+s.Policy != document || s.Status == report.NotMatched || s.Status == report.Skipped {
			continue
		}
		out.ran = true
		out.failed = out.failed || s.Error != ""
		s.Deciding(func(e *report.Evaluation) {
			if e.Error != "" {
				out.failed, out.expression = true, e.Path
			}
		})
		parts = append(parts, string(s.Status), string(s.Verdict))
		for _, m := range s.Mutations {
			object, err := json.Marshal(m.After)
			out.failed = out.failed || err != nil
			parts = append(parts, string(object))
		}
	}
	out.text = strings.Join(parts, "\n")
	return out
}

// ranked orders repairs by what they do to requests near the one at hand: first those that change
// nothing that worked, then those after which fewer fail. One that changes what worked is no sure
// repair.
func ranked(fixes []diag.Fix, strains []strain) []diag.Fix {
	order := make([]int, len(fixes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := strains[a].changed - strains[b].changed; d != 0 {
			return d
		}
		return strains[a].fails - strains[b].fails
	})
	out := make([]diag.Fix, 0, len(fixes))
	for _, i := range order {
		f := fixes[i]
		f.Sure = f.Sure && strains[i].changed == 0
		out = append(out, f)
	}
	return out
}
