package foresight

import (
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/outcome"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
)

// quickWork is what it takes to make a request, in units of work.
const quickWork = 3_000

// quick evaluates a request for a subject alone, without the rest of what a server does.
// Nothing is reported that confirm does not find, too.
func (f *foresight) quick(s *subject, r *foresee.Request) []*report.Step {
	f.rest()
	f.tries++
	f.budget.Work(quickWork)
	attributes := run.Attributes{Request: r.Request, User: r.User, Options: r.Options, UID: "u"}
	if r.Object != nil {
		attributes.Object = f.Catalog.Default(r.Kind, r.Object)
	}
	if r.OldObject != nil {
		attributes.OldObject = f.Catalog.Default(r.Kind, r.OldObject)
	}
	c := f.clusterFor(s, r)
	chain := &run.Chain{Evaluator: f.evaluator, Version: f.Version, Catalog: f.Catalog, Expressions: f.Environments, Cluster: c,
		Matcher: match.New(f.Version, f.Catalog, c), Report: compile.NewReport(f.Version.String()), Attributes: attributes, KindValues: &f.KindValues, Expected: 1}
	chain.Start()
	chain.Authorizer = f.Rules.Authorizer(rbac.Mode(f.Settings.Options.Authorizer), chain.Authorized)
	switch {
	case s.validating != nil:
		validate.Validate(chain, []*validate.Policy{s.validating})
	case s.definition != nil:
		customresource.Validate(chain, s.definition)
	case s.mutating != nil && r.Operation == "DELETE":
	case s.mutating != nil:
		(&mutate.Plugin{Policies: []*mutate.Policy{s.mutating}}).Admit(chain)
	case s.hook.Facts().Mutating:
		(&webhook.Plugin{Hooks: []*webhook.Hook{s.hook}, Responses: f.Responses.Fresh()}).Admit(chain)
	default:
		(&webhook.Plugin{Hooks: []*webhook.Hook{s.hook}, Responses: f.Responses.Fresh()}).Validate(chain)
	}
	used := int64(0)
	for _, b := range chain.Report.Budgets {
		used += b.Used
	}
	if used > maxQuickCost {
		f.tries, f.dear = maxTries, true
	}
	return chain.Steps()
}

// maxQuickCost is the cost of one request, in CEL cost units, from which no further ones are
// tried for a policy.
const maxQuickCost = 100_000

// confirm evaluates a request as the server does, for a subject alone: with defaults, API
// validation and storage. The text is the request's.
func (f *foresight) confirm(s *subject, r *foresee.Request) (out *report.Report, text string, ok bool) {
	return f.confirmWith(s, r, nil)
}

// confirmWith evaluates a request as confirm does, with mutating policies before the subject.
func (f *foresight) confirmWith(s *subject, r *foresee.Request, before []*mutate.Policy) (out *report.Report, text string, ok bool) {
	text, err := r.Review()
	if err != nil {
		return nil, "", false
	}
	o := options.Options{Defaulting: new(true), Explain: true}
	e := evaluate.Begin(f.ctx, f.Configuration, o, eval.Options{Trace: true, Budget: f.budget})
	e.Cluster = f.clusterFor(s, r)
	e.Scenario.Request, e.Scenario.Expression, e.Once = text, "", true
	if e.Scenario.Options.Authorizer == "" && !s.asksAuthorizer() {
		e.Scenario.Options.Authorizer = "allow" // whether the user may ask is another question
	}
	e.MutatingPolicies, e.MutatingHooks, e.ValidatingPolicies, e.ValidatingHooks = before, nil, nil, nil
	switch {
	case s.definition != nil: // the engine has it from the cluster text
	case s.validating != nil:
		e.ValidatingPolicies = []*validate.Policy{s.validating}
	case s.mutating != nil:
		e.MutatingPolicies = []*mutate.Policy{s.mutating}
	case s.hook.Facts().Mutating:
		e.MutatingHooks = []*webhook.Hook{s.hook}
	default:
		e.ValidatingHooks = []*webhook.Hook{s.hook}
	}
	out, err = outcome.Evaluate(f.ctx, e)
	return out, text, err == nil && e.Ended == nil
}

// failures are the expressions whose error decides: those of match conditions only where no
// other one is false.
func failures(steps []*report.Step) []*report.Evaluation {
	var out []*report.Evaluation
	failed := func(e *report.Evaluation) {
		if e.Error != "" {
			out = append(out, e)
		}
	}
	for _, s := range steps {
		if !s.OfPolicy() && s.Kind != crd.Kind {
			continue
		}
		excluded := false
		for i := range s.Conditions {
			excluded = excluded || s.Conditions[i].Error == "" && s.Conditions[i].Result == false
		}
		for i := range s.Conditions {
			if !excluded {
				failed(&s.Conditions[i])
			}
		}
		for i := range s.Validations {
			v := &s.Validations[i]
			failed(&v.Evaluation)
			if v.MessageExpression != nil && v.Error == "" && v.Result == false {
				failed(v.MessageExpression) // the server evaluates it for all requests, and reads it for denied ones
			}
		}
		for i := range s.AuditAnnotations {
			failed(&s.AuditAnnotations[i])
		}
		for i := range s.Mutations {
			failed(&s.Mutations[i].Evaluation)
		}
	}
	return out
}

// steps are those of a report as failures takes them.
func steps(r *report.Report) []*report.Step {
	var out []*report.Step
	for i := range r.Steps {
		out = append(out, &r.Steps[i])
	}
	return out
}
