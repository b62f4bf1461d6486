package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// This file is the safety checks of KEP-3962: what a single run does not show.
// Each runs the scenario again with something changed.

// variant runs the request again, with other mutating policies and another
// object.
func (e *evaluation) variant(policies []*mutate.Policy, object map[string]any) *evaluation {
	return e.rerun(policies, e.mutatingHooks, object)
}

// alone is a variant without mutating webhooks.
func (e *evaluation) alone(policies []*mutate.Policy, object map[string]any) *evaluation {
	return e.rerun(policies, nil, object)
}

func (e *evaluation) rerun(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *evaluation {
	v := &evaluation{prepared: e.prepared, initial: e.initial}
	v.ctx = eval.WithRecords(eval.WithTrace(e.ctx, false), nil) // only the result counts
	v.report = newReport(e.report.Kubernetes)
	v.responses = e.responses.Fresh()
	v.mutatingPolicies, v.mutatingHooks = policies, hooks
	v.initial.Object = object
	v.report.Input = object
	v.begin()
	v.run()
	return v
}

// findings compares the run with its variants.
func (e *evaluation) findings() {
	if e.chain == nil || e.initial.Object == nil || e.initial.Operation == "DELETE" {
		return
	}
	e.undoneRemovals()
	if e.cost() > maxVariantCost {
		e.chain.NotSimulated("Whether the policies are idempotent and whether their order matters is not checked: the request alone is too expensive to be run again and again.")
		return
	}
	mutating := e.applied()
	for _, p := range mutating {
		e.idempotence(p)
	}
	e.order(mutating)
	e.effectOnValidations()
}

// undoneRemovals finds what a policy or webhook removed, no other one set, and
// the server's conversion brought back (catalog.WriteBack). It needs no variant.
func (e *evaluation) undoneRemovals() {
	for i, s := range e.report.Steps {
		for _, op := range s.Diff {
			before, existed := fieldpath.Lookup(s.Before, op.Path)
			after, exists := fieldpath.Lookup(e.afterMutation, op.Path)
			if op.Op != "remove" || !existed || !exists || !diff.Equal(before, after) || e.setLater(i, op.Path) {
				continue
			}
			e.finding("removal-undone", diag.Warning, s.Policy, fmt.Sprintf("the server puts back what %s removes", cmp.Or(s.Policy, s.Webhook)),
				op.Path+" is removed, and there again at the end of the mutating phase: the server's conversion into its internal version keeps it, or sets it again. Set another value instead.", nil)
		}
	}
}

// setLater tells whether a step behind step i sets what stands at a pointer, or
// something around it.
func (e *evaluation) setLater(i int, pointer string) bool {
	return slices.ContainsFunc(e.report.Steps[i+1:], func(s report.Step) bool {
		return slices.ContainsFunc(s.Diff, func(op report.PatchOperation) bool {
			return op.Op != "remove" && strings.HasPrefix(pointer+"/", op.Path+"/")
		})
	})
}

// maxVariantCost is how much a run may cost, in CEL cost units, to be run again
// with something changed; at about three million units a second that keeps the
// checks short.
const maxVariantCost = 1_000_000

// cost is what all expressions of the run cost.
func (e *evaluation) cost() int64 {
	var total int64
	for i := range e.report.Steps {
		e.report.Steps[i].Evaluations(func(ev *report.Evaluation) { total += max(ev.Cost, 0) })
	}
	return total
}

func (e *evaluation) finding(code string, level diag.Severity, policy, summary, detail string, diff []report.PatchOperation) {
	e.report.Findings = append(e.report.Findings, report.Finding{Code: code, Level: level, Policy: policy, Summary: summary, Detail: detail, Diff: diff})
}

// applied are the mutating policies that were evaluated for this request.
func (e *evaluation) applied() []*mutate.Policy {
	var out []*mutate.Policy
	for _, p := range e.mutatingPolicies {
		if slices.ContainsFunc(e.report.Steps, func(s report.Step) bool {
			return s.Kind == mutate.Kind && s.Policy == p.Name && s.Pass == 0 && s.Status == report.Evaluated
		}) {
			out = append(out, p)
		}
	}
	return out
}

// idempotence runs a policy alone on its own output: nothing may change any
// more, because the server may run it twice.
func (e *evaluation) idempotence(p *mutate.Policy) {
	only := []*mutate.Policy{p}
	first := e.alone(only, e.initial.Object)
	if first.afterMutation == nil || first.refused() != "" {
		return
	}
	second := e.alone(only, first.afterMutation)
	if refused := second.refused(); refused != "" {
		e.finding("not-idempotent", diag.Warning, p.Name, fmt.Sprintf("policy %s fails on its own output", p.Name),
			"Run again on the object that it has mutated, it answers: "+refused, nil)
		return
	}
	if changes := diff.Objects(first.afterMutation, second.afterMutation); len(changes) > 0 {
		e.finding("not-idempotent", diag.Warning, p.Name, fmt.Sprintf("policy %s is not idempotent", p.Name),
			"Run again on the object that it has mutated, it changes the object again. The server runs a policy a second time when reinvocationPolicy is IfNeeded, and for every later update of the object. Guard the mutation with a match condition, or write it so that it sets a value instead of adding to one.", changes)
	}
}

// refused is the message of a mutating phase that ended the request.
func (e *evaluation) refused() string {
	for _, s := range e.report.Steps {
		if s.Phase == report.Mutating && s.Verdict == report.Deny {
			return e.report.Outcome.Message
		}
	}
	return ""
}

// maxOrders bounds how many other orders are tried.
const maxOrders = 6

// order tries other orders of the mutating policies; the server's is random.
func (e *evaluation) order(applied []*mutate.Policy) {
	if len(applied) < 2 {
		return
	}
	for _, order := range orders(len(applied)) {
		policies := make([]*mutate.Policy, len(applied))
		names := make([]string, len(applied))
		for i, j := range order {
			policies[i], names[i] = applied[j], applied[j].Name
		}
		other := e.variant(e.reordered(policies), e.initial.Object)
		ours, theirs := e.report.Outcome, other.report.Outcome
		in := "In the order " + strings.Join(names, ", ") + " "
		if ours.Allowed != theirs.Allowed || ours.Message != theirs.Message {
			answer := "the request is admitted."
			if !theirs.Allowed {
				answer = "the client gets: " + theirs.Message
			}
			e.finding("order-changes-answer", diag.Warning, "", "another order of the mutating policies gives another answer",
				"The server runs policies in random order; this report runs them by name. "+in+answer, nil)
			return
		}
		if changes := diff.Objects(e.afterMutation, other.afterMutation); len(changes) > 0 {
			e.finding("order-changes-object", diag.Warning, "", "another order of the mutating policies gives another object",
				"The server runs policies in random order; this report runs them by name. "+in+"the object differs as shown.", changes)
			return
		}
	}
}

// reordered puts the given policies into the places of those that apply.
func (e *evaluation) reordered(order []*mutate.Policy) []*mutate.Policy {
	out := slices.Clone(e.mutatingPolicies)
	next := 0
	for i, p := range out {
		if slices.Contains(order, p) {
			out[i] = order[next]
			next++
		}
	}
	return out
}

// orders are the permutations of few, and for many the reverse and the
// rotations.
func orders(n int) [][]int {
	var out [][]int
	if n <= 3 {
		permute(n, nil, func(p []int) { out = append(out, p) })
		return out[1:] // the first is the order of the report
	}
	reverse := make([]int, n)
	for i := range reverse {
		reverse[i] = n - 1 - i
	}
	out = append(out, reverse)
	for shift := 1; shift < n && len(out) < maxOrders; shift++ {
		rotated := make([]int, n)
		for i := range rotated {
			rotated[i] = (i + shift) % n
		}
		out = append(out, rotated)
	}
	return out
}

func permute(n int, prefix []int, found func([]int)) {
	if len(prefix) == n {
		found(slices.Clone(prefix))
		return
	}
	for i := range n {
		if !slices.Contains(prefix, i) {
			permute(n, append(prefix, i), found)
		}
	}
}

// effectOnValidations says which validating policies decide otherwise because
// of the mutations.
func (e *evaluation) effectOnValidations() {
	if !e.report.Outcome.Mutated {
		return
	}
	ours, plain := e.validations(), e.alone(nil, e.initial.Object).validations()
	for _, p := range e.validatingPolicies {
		with, ran := ours[p.Name]
		without, ranPlain := plain[p.Name]
		switch {
		case !ran || !ranPlain:
			// The mutating phase ended the request.
		case without && !with:
			e.finding("validation-needs-mutation", diag.Info, p.Name, fmt.Sprintf("policy %s holds only because of the mutations", p.Name),
				"The object as it was sent would be denied. Where the mutating policies and webhooks do not apply, or fail with failurePolicy Ignore, the request is denied.", nil)
		case with && !without:
			e.finding("validation-broken-by-mutation", diag.Warning, p.Name, fmt.Sprintf("policy %s denies what the mutations made", p.Name),
				"The object as it was sent would be admitted by this policy.", nil)
		}
	}
}

// validations says of each validating policy that had its turn whether it
// denies. One that does not apply to the object admits it.
func (e *evaluation) validations() map[string]bool {
	out := map[string]bool{}
	for _, s := range e.report.Steps {
		if s.Kind == validate.Kind {
			out[s.Policy] = out[s.Policy] || s.Verdict == report.Deny
		}
	}
	return out
}

// begin puts the request at the begin of the chain.
func (e *evaluation) begin() {
	e.chain = &run.Chain{Ctx: e.ctx, Version: e.version, Catalog: e.catalog, Expressions: e.expressions, Cluster: e.cluster,
		Matcher: e.matcher, Report: e.report, Attributes: e.initial}
	e.chain.Precise = e.freshlyManaged(e.initial)
	e.chain.Authorizer = e.checker(e.chain.Authorized)
}
