package differential

import (
	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine/report"
)

// engineRun is the engine's result for one expression list. Costs are the expressions' own.
type engineRun struct {
	wire.Run
	// variables is the cost of the variables that the list read.
	variables int64
}

// runs returns a report's evaluations, one run per expression list, in evaluation order.
func runs(r *report.Report) []engineRun {
	exceeded := map[report.Budget]bool{}
	for _, b := range r.Budgets {
		if b.Exceeded {
			exceeded[report.Budget{Step: b.Step, Scope: b.Scope, Name: b.Name}] = true
		}
	}
	var out []engineRun
	for i, s := range r.Steps {
		if s.Policy == "" {
			continue // a webhook
		}
		step := &stepRuns{Step: s, broke: func(scope report.Scope, name string) bool {
			return exceeded[report.Budget{Step: i, Scope: scope, Name: name}]
		}}
		out = append(out, step.all()...)
	}
	return out
}

// stepRuns returns one step's runs.
type stepRuns struct {
	report.Step
	broke func(scope report.Scope, name string) bool
	runs  []engineRun
}

func (s *stepRuns) all() []engineRun {
	s.add(wire.MatchConditions, 0, s.Conditions, s.read("conditions"), s.broke("matchConditions", ""))
	for i, m := range s.Mutations {
		if m.Evaluated {
			s.add(wire.Mutation, i, []report.Evaluation{m.Evaluation}, m.Variables, s.broke("mutation", m.Name))
		}
	}
	var validations, messages []report.Evaluation
	for _, v := range s.Validations {
		validations = append(validations, v.Evaluation)
		message := report.Evaluation{}
		if v.MessageExpression != nil {
			message = *v.MessageExpression
		}
		messages = append(messages, message)
	}
	broke := s.broke("validations", "")
	first := broke && s.Error == outOfBudget // otherwise the messages exceeded it
	s.add(wire.Validations, 0, validations, s.read("validations"), first)
	if !first {
		s.add(wire.Messages, 0, messages, s.read("messages"), broke)
		s.add(wire.AuditAnnotations, 0, s.AuditAnnotations, s.read("auditAnnotations"), s.broke("auditAnnotations", ""))
	}
	return s.runs
}

// read returns the variables that a list read.
func (s *stepRuns) read(list report.List) []report.Evaluation {
	var out []report.Evaluation
	for _, v := range s.Variables {
		if v.List == list {
			out = append(out, v)
		}
	}
	return out
}

// outOfBudget is the server's text for an aborted list (semantics §2).
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

func (s *stepRuns) add(list string, index int, evaluations, variables []report.Evaluation, broke bool) {
	if len(evaluations) == 0 {
		return
	}
	r := engineRun{Run: wire.Run{Phase: string(s.Phase), Pass: s.Pass, Policy: s.Policy, Param: s.Param, List: list, Index: index}}
	if broke {
		r.Aborted = outOfBudget
	}
	for _, e := range evaluations {
		r.Costs = append(r.Costs, max(e.Cost, 0))
		r.Errors = append(r.Errors, e.Error)
	}
	for _, v := range variables {
		r.variables += max(v.Cost, 0)
	}
	s.runs = append(s.runs, r)
}
