package versions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// sign is how a named behaviour shows in a comparison of versions.
type sign struct {
	behaviour version.Behaviour
	kinds     []string
	// in is what the difference must mention, on either side, or the resource of
	// the request; empty means that any difference of these kinds is explained.
	in string
}

// signs are those of the behaviours that can make a difference besides what can
// be created and what fields and defaults the kinds have. The first that fits is
// taken.
var signs = []sign{
	{version.LibraryCosts, []string{"cost"}, ""},
	{version.ExemptMutatingPolicies, []string{"step"}, "mutatingadmissionpolicies"},
	{version.SearchBehindEnd, []string{"error", "outcome"}, "index out of range"},
	{version.PodGeneration, []string{"input", "object"}, "/metadata/generation"},
	{version.OptionalListKeys, []string{"error", "outcome"}, "omits all key fields"},
	{version.OmittedTimestamps, []string{"input"}, "/metadata/creationTimestamp"},
	{version.UndecodablePatchFails, []string{"step", "error", "outcome"}, "undecodable patch"},
	{version.DuplicatesInLive, []string{"error", "outcome"}, "duplicate entries for key"},
	{version.MissingSelectorErrors, []string{"step", "error", "outcome"}, "selector"},
	{version.TestForNothing, []string{"outcome", "step", "error"}, "nil pointer dereference"},
	{version.TypedPatchValues, []string{"error", "outcome"}, "could not marshal to JSON"},
	{version.TypedInputs, []string{"error", "outcome"}, "no such overload"},
	{version.NegativeRangeErrors, []string{"error", "cost", "outcome"}, "range"},
	{version.CostOfSoughtText, []string{"cost"}, ""},
	{version.AggregatedFailures, []string{"annotation"}, "validation_failure"},
	{version.WebhookClientLine, []string{"error", "outcome"}, "pkg/util/webhook/client.go"},
	{version.ExemptReviews, []string{"step"}, "reviews"},
	{version.PodResourcesAfterMutation, []string{"object"}, "/spec/resources"},
	{version.ObjectsInPatchLists, []string{"outcome", "step", "error"}, "reflect.Set"},
}

// consequences are the kinds of differences that may follow from another one.
var consequences = []string{"outcome", "warning", "annotation", "step", "error", "object", "cost"}

// explain finds the reasons for the differences between two neighbouring
// versions.
func explain(before, after *report.Report, differences []Difference) []report.VersionReason {
	if len(differences) == 0 {
		return nil
	}
	e := explanation{before: before, after: after}
	var open, input []Difference
	refused := map[string]bool{}
	for _, d := range differences {
		switch {
		case d.Kind == "refusal":
			e.refusal(d, refused)
		case d.Kind == "input":
			input = append(input, d)
		case d.Kind == "cost" && failsOnOne(differences, d):
			open = append(open, d)
		case !e.known(d):
			open = append(open, d)
		}
	}
	e.objectsLeftOut()
	open = slices.DeleteFunc(open, func(d Difference) bool { return refused[d.Policy] })
	if len(open) > 0 && len(e.reasons) == 0 {
		// Only now: an object that merely looks different makes no difference.
		for _, d := range input {
			if !e.known(d) {
				e.fields(d)
			}
		}
	}
	if len(e.reasons) > 0 {
		open = slices.DeleteFunc(open, func(d Difference) bool { return slices.Contains(consequences, d.Kind) })
	}
	for _, d := range open {
		e.add("no reason is known for this difference", d.What)
	}
	return e.reasons
}

// failsOnOne says that the expression of a cost has an error on one of the
// versions, which explains the cost too.
func failsOnOne(differences []Difference, cost Difference) bool {
	return slices.ContainsFunc(differences, func(d Difference) bool { return d.Kind == "error" && "cost of "+d.What == cost.What })
}

type explanation struct {
	before, after *report.Report
	reasons       []report.VersionReason
}

func (e *explanation) add(text, what string) {
	for i := range e.reasons {
		if r := &e.reasons[i]; r.Text == text {
			if what != "" && !slices.Contains(r.Explains, what) {
				r.Explains = append(r.Explains, what)
			}
			return
		}
	}
	r := report.VersionReason{Since: e.after.Kubernetes, Text: text}
	if what != "" {
		r.Explains = []string{what}
	}
	e.reasons = append(e.reasons, r)
}

// known explains a difference by a behaviour that the later version is the first
// to have.
func (e *explanation) known(d Difference) bool {
	for _, s := range signs {
		if s.behaviour.Since().String() == e.after.Kubernetes && slices.Contains(s.kinds, d.Kind) && e.mentions(d, s.in) {
			e.add(s.behaviour.Text(), d.What)
			return true
		}
	}
	return false
}

// mentions looks for a text in a difference and in the resource of the request.
func (e *explanation) mentions(d Difference, text string) bool {
	return strings.Contains(d.What, text) || slices.ContainsFunc(d.Values, func(v Value) bool { return strings.Contains(v.Value, text) }) ||
		e.after.Request != nil && strings.Contains(e.after.Request.Resource, text)
}

// refusal explains why a document can be created on one version only: by the
// diagnostics that came with the rejection.
func (e *explanation) refusal(d Difference, refused map[string]bool) {
	for _, r := range []*report.Report{e.before, e.after} {
		other := e.after
		if r == e.after {
			other = e.before
		}
		for _, in := range r.Install {
			if in.Code == 0 || d.What != creation(in) {
				continue
			}
			refused[in.Name] = true
			if refusedIn(other, in) {
				e.add("the server's rejection has a different message", d.What)
				continue
			}
			known := false
			for _, p := range r.Diagnostics {
				if p.Wrong() && p.Document == in.Kind+"/"+in.Name {
					e.add(e.sinceAfter(r, p.Summary), d.What)
					known = true
				}
			}
			if !known {
				e.add(in.Message, d.What)
			}
		}
	}
}

// sinceAfter says what the earlier version does not serve as what is so from the later one on.
func (e *explanation) sinceAfter(r *report.Report, rejection string) string {
	kind, ok := strings.CutPrefix(rejection, "Kubernetes "+e.before.Kubernetes+" does not serve ")
	if r != e.before || !ok {
		return rejection
	}
	return "Kubernetes serves " + kind
}

func creation(in report.Install) string { return "creation of " + in.Kind + " " + in.Name }

func refusedIn(r *report.Report, in report.Install) bool {
	return slices.ContainsFunc(r.Install, func(i report.Install) bool { return i.Code != 0 && creation(i) == creation(in) })
}

// objectsLeftOut explains by objects and fields that only one of the versions
// knows.
func (e *explanation) objectsLeftOut() {
	for _, r := range []*report.Report{e.before, e.after} {
		other := e.after
		if r == e.after {
			other = e.before
		}
		for _, p := range r.Diagnostics {
			if (p.Code == codes.UnknownKind || p.Code == codes.UnknownField) && p.Text != diag.Policies &&
				!slices.ContainsFunc(other.Diagnostics, func(o diag.Diagnostic) bool { return o.Code == p.Code && o.Text == p.Text && o.Span == p.Span }) {
				text := p.Summary // names the version for a kind
				if p.Code == codes.UnknownField {
					text = fmt.Sprintf("on Kubernetes %s: %s", r.Kubernetes, text)
				}
				e.add(text, "")
			}
		}
	}
}

// fields explains an object that the chain receives in another form.
func (e *explanation) fields(d Difference) {
	var paths []string
	for _, op := range diff.Objects(e.before.Input, e.after.Input) {
		paths = append(paths, op.Path)
	}
	if len(paths) > 0 && e.after.Request != nil {
		e.add(fmt.Sprintf("%s has other fields or defaults: %s", e.after.Request.Kind, strings.Join(paths, ", ")), d.What)
	}
}
