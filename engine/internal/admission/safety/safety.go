// Package safety implements KEP-3962's safety checks, which need more than
// a single run. Each runs the request again with one change: a policy on its own
// output, the policies in another order, the request without any mutation.
package safety

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Run is a request on its way: what it ran through, and what came out.
type Run struct {
	// Report is the report so far; findings are added to it.
	Report *report.Report
	// Sent is the object as the admission chain received it, nil when there is
	// none; AfterMutation is that at the end of the mutating phase.
	Sent, AfterMutation map[string]any
	Operation           string
	MutatingPolicies    []*mutate.Policy
	MutatingHooks       []*webhook.Hook
	ValidatingPolicies  []*validate.Policy
	// NotSimulated records what is not checked.
	NotSimulated func(text string)
	// Again runs the same request with other mutating policies, other webhooks
	// and another object. Nothing of it shows in Report.
	Again func(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *Run
	// Mutate is Again without webhooks, to the end of the mutating phase.
	Mutate func(policies []*mutate.Policy, object map[string]any) *Run
}

// variant runs the request again, with other mutating policies and another
// object.
func (e *Run) variant(policies []*mutate.Policy, object map[string]any) *Run {
	return e.Again(policies, e.MutatingHooks, object)
}

// alone is a variant without mutating webhooks.
func (e *Run) alone(policies []*mutate.Policy, object map[string]any) *Run {
	return e.Again(policies, nil, object)
}

// Check compares the run with its variants.
func (e *Run) Check() {
	if e.Sent == nil || e.Operation == "DELETE" {
		return
	}
	e.undoneRemovals()
	e.undoneChanges(e, "In this run")
	e.notReinvoked()
	if e.cost() > maxVariantCost {
		e.NotSimulated("Whether the policies are idempotent and whether their order matters is not checked: the request is too expensive to run repeatedly.")
		return
	}
	for _, p := range e.policies(evaluated) {
		e.idempotence(p)
	}
	e.order()
	e.effectOnValidations()
}

// undoneRemovals finds what a policy or webhook removed, no other one set, and
// the server's conversion brought back (catalog.WriteBack). It needs no variant.
func (e *Run) undoneRemovals() {
	for i, s := range e.Report.Steps {
		for _, op := range s.Diff {
			before, existed := fieldpath.Lookup(s.Before, op.Path)
			after, exists := fieldpath.Lookup(e.AfterMutation, op.Path)
			if op.Op != "remove" || !existed || !exists || !diff.Equal(before, after) || e.setLater(i, op.Path) {
				continue
			}
			e.finding(codes.RemovalUndone, diag.Warning, s.Policy, fmt.Sprintf("the server puts back what %s removes", cmp.Or(s.Policy, s.Webhook)),
				op.Path+" is removed, but back at the end of the mutating phase: the server's conversion to its internal version keeps it or sets it again. Set another value instead.", nil)
		}
	}
}

// notReinvoked finds webhooks that were not asked again although something that ran
// after their last call changed the object.
func (e *Run) notReinvoked() {
	type name struct{ configuration, webhook string }
	once := map[name]webhook.Facts{}
	for _, h := range e.MutatingHooks {
		if f := h.Facts(); !f.Reinvoked {
			once[name{f.Configuration, f.Name}] = f
		}
	}
	steps := e.Report.Steps
	next := e.nextChanges()
	for i := range steps {
		s := &steps[i]
		f, never := once[name{s.Configuration, s.Webhook}]
		if s.Kind != webhook.MutatingKind || !s.Called || next[i] < 0 || !never {
			continue
		}
		e.Report.Diagnostics = append(e.Report.Diagnostics, reinvoke(&f, &steps[next[i]]))
	}
}

// reinvoke says that a webhook does not see what a later step changed.
func reinvoke(f *webhook.Facts, later *report.Step) diag.Diagnostic {
	var changed []string
	for _, o := range later.Diff[:min(len(later.Diff), 3)] {
		changed = append(changed, o.Path)
	}
	d := diag.Diagnostic{Code: codes.WebhookNotReinvoked, Severity: diag.Info, Accepted: true, Path: f.Path + ".reinvocationPolicy",
		Summary: fmt.Sprintf("webhook %q does not see what %q changed: %s", f.Name, cmp.Or(later.Policy, later.Webhook), strings.Join(changed, ", ")),
		Detail:  "Its reinvocationPolicy is Never, so it is not called again. If its answer depends on other changes, set reinvocationPolicy to IfNeeded; it must then be idempotent."}
	if f.Document == nil {
		return d
	}
	d.Text, d.Document, d.Span = f.Document.Text, f.Kind+"/"+f.Configuration, f.Document.Locate(f.Path+".name")
	if f.Document.Has(d.Path) {
		d.Span = f.Document.Locate(d.Path)
	}
	if edit, ok := f.Document.Put(f.Path, "reinvocationPolicy", "IfNeeded"); ok {
		d.Fixes = []diag.Fix{{Title: "Change to reinvocationPolicy: IfNeeded", Edits: []diag.Edit{edit}}}
	}
	return d
}

// nextChanges is for each step the next one behind it that is a policy's and changed
// the object; -1 where there is none.
func (e *Run) nextChanges() []int {
	steps := e.Report.Steps
	next := make([]int, len(steps))
	found := -1
	for i := len(steps) - 1; i >= 0; i-- {
		next[i] = found
		if s := &steps[i]; s.Phase == report.Mutating && len(s.Diff) > 0 && s.OfPolicy() {
			found = i
		}
	}
	return next
}

// setLater reports whether a step behind step i sets what is at a pointer, or
// something around it.
func (e *Run) setLater(i int, pointer string) bool {
	return slices.ContainsFunc(e.Report.Steps[i+1:], func(s report.Step) bool {
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
func (e *Run) cost() int64 {
	var total int64
	for i := range e.Report.Steps {
		e.Report.Steps[i].Evaluations(func(ev *report.Evaluation) { total += max(ev.Cost, 0) })
	}
	return total
}

func (e *Run) finding(code string, level diag.Severity, policy, summary, detail string, diff []report.PatchOperation) {
	e.Report.Findings = append(e.Report.Findings, report.Finding{Code: code, Level: level, Policy: policy, Summary: summary, Detail: detail, Diff: diff})
}

// policies are the mutating policies of which a step of the first pass is as asked.
func (e *Run) policies(is func(*report.Step) bool) []*mutate.Policy {
	var out []*mutate.Policy
	for _, p := range e.MutatingPolicies {
		if slices.ContainsFunc(e.Report.Steps, func(s report.Step) bool {
			return s.Kind == mutate.Kind && s.Policy == p.Name && s.Pass == 0 && is(&s)
		}) {
			out = append(out, p)
		}
	}
	return out
}

func evaluated(s *report.Step) bool { return s.Status == report.Evaluated }

// inAnyOrder reports whether a policy may be evaluated in another order: the server evaluates all selectors first, and a
// policy's conditions when its turn comes.
func inAnyOrder(s *report.Step) bool { return evaluated(s) || s.Status == report.Excluded }

// idempotence runs a policy alone on its own output: nothing may change any
// more, because the server may run it twice.
func (e *Run) idempotence(p *mutate.Policy) {
	only := []*mutate.Policy{p}
	first := e
	if len(e.MutatingPolicies) > 1 || len(e.MutatingHooks) > 0 {
		first = e.Mutate(only, e.Sent)
	}
	if first.AfterMutation == nil || first.refused() != "" {
		return
	}
	second := e.Mutate(only, first.AfterMutation)
	if refused := second.refused(); refused != "" {
		e.finding(codes.NotIdempotent, diag.Warning, p.Name, fmt.Sprintf("policy %s fails on its own output", p.Name),
			"When it runs again on its own output, it answers: "+refused, nil)
		return
	}
	if changes := diff.Objects(first.AfterMutation, second.AfterMutation); len(changes) > 0 {
		e.finding(codes.NotIdempotent, diag.Warning, p.Name, fmt.Sprintf("policy %s is not idempotent", p.Name),
			strings.TrimSpace("Run on its own result, it changes the object again. "+model.RunsAgain(p.Document.Value))+" Guard the mutation with a match condition, or set a value instead of appending to one.", changes)
	}
}

// refused is the message of a mutating phase that ended the request.
func (e *Run) refused() string {
	for _, s := range e.Report.Steps {
		if s.Phase == report.Mutating && s.Verdict == report.Deny {
			return e.Report.Outcome.Message
		}
	}
	return ""
}

// maxOrders bounds how many other orders are tried.
const maxOrders = 6

// order tries other orders of the mutating policies; the server's is random. Where none changed the object, all of them
// see the same object in every order.
func (e *Run) order() {
	applied := e.policies(inAnyOrder)
	if len(applied) < 2 || len(e.policies(func(s *report.Step) bool { return len(s.Diff) > 0 })) == 0 {
		return
	}
	for _, order := range orders(len(applied)) {
		policies := make([]*mutate.Policy, len(applied))
		names := make([]string, len(applied))
		for i, j := range order {
			policies[i], names[i] = applied[j], applied[j].Name
		}
		other := e.variant(e.reordered(policies), e.Sent)
		ours, theirs := e.Report.Outcome, other.Report.Outcome
		in := "In the order " + strings.Join(names, ", ")
		e.undoneChanges(other, in)
		in += " "
		if ours.Allowed != theirs.Allowed || ours.Message != theirs.Message {
			answer := "the request is admitted."
			if !theirs.Allowed {
				answer = "the client gets: " + theirs.Message
			}
			e.finding(codes.OrderChangesAnswer, diag.Warning, "", "another order of the mutating policies changes the answer",
				"The server runs policies in random order; this report runs them by name. "+in+answer, nil)
			return
		}
		if changes := diff.Objects(e.AfterMutation, other.AfterMutation); len(changes) > 0 {
			e.finding(codes.OrderChangesObject, diag.Warning, "", "another order of the mutating policies changes the object",
				"The server runs policies in random order; this report runs them by name. "+in+"the object differs as shown.", changes)
			return
		}
	}
}

// reordered puts the given policies into the places of those that apply.
func (e *Run) reordered(order []*mutate.Policy) []*mutate.Policy {
	out := slices.Clone(e.MutatingPolicies)
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
func (e *Run) effectOnValidations() {
	if !e.Report.Outcome.Mutated {
		return
	}
	ours, plain := e.validations(), e.alone(nil, e.Sent).validations()
	for _, p := range e.ValidatingPolicies {
		with, ran := ours[p.Name]
		without, ranPlain := plain[p.Name]
		switch {
		case !ran || !ranPlain:
			// The mutating phase ended the request.
		case without && !with:
			e.finding(codes.ValidationNeedsMutation, diag.Info, p.Name, fmt.Sprintf("policy %s holds only because of the mutations", p.Name),
				"The original object would be denied. So the request is denied where the mutating policies and webhooks do not apply, or fail with failurePolicy Ignore.", nil)
		case with && !without:
			e.finding(codes.ValidationBrokenByMutation, diag.Warning, p.Name, fmt.Sprintf("policy %s denies the mutated object", p.Name),
				"This policy would admit the original object.", nil)
		}
	}
}

// validations says of each validating policy that had its turn whether it
// denies. One that does not apply to the object admits it.
func (e *Run) validations() map[string]bool {
	out := map[string]bool{}
	for _, s := range e.Report.Steps {
		if s.Kind == validate.Kind {
			out[s.Policy] = out[s.Policy] || s.Verdict == report.Deny
		}
	}
	return out
}
