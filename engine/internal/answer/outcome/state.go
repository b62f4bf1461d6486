package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// decideState decides the state of the outcome, when all the rest of the report is
// known.
func decideState(e *evaluate.Evaluation) {
	r, o := e.Report, &e.Report.Outcome
	refused, unstarted := firstRefused(r.Install), notStarting(r.Diagnostics)
	switch {
	case e.Ended != nil:
		o.State, o.StateReason = report.StateUndecided, undecided(e)
	case refused != nil:
		o.State, o.StateReason = report.StatePolicyRefused, refusal(refused, r.Diagnostics)
	case unstarted != "":
		o.State, o.StateReason = report.StatePolicyRefused, "the API server does not start: "+unstarted
	case r.Request == nil:
		o.State, o.StateReason = report.StateNoRequest, noRequest(r.Diagnostics)
	case !o.Allowed:
		o.State = report.StateDenied
	case len(e.Scenario.Options.PolicyFiles) > 0:
		o.State, o.StateReason = report.StateUndecided, "the scenario names policy files that were not read, and one of them might deny the request"
	case compile.Unreadable(r.Diagnostics, diag.Policies), compile.Unreadable(r.Diagnostics, diag.Cluster):
		o.State, o.StateReason = report.StateUndecided, "part of the text cannot be read, and might deny the request"
	case unreadResponse(r) != "":
		o.State, o.StateReason = report.StateUndecided, unreadResponse(r)+" cannot be read, and might deny the request"
	default:
		o.State = report.StateAdmitted
		if o.Mutated {
			o.State = report.StateMutated
		}
		if o.Unmatched = unmatched(e); len(o.Unmatched) > 0 {
			o.State, o.StateReason = report.StateNoPolicyRan, noneRan(o.Unmatched)
		} else if noPolicies(e) {
			o.State, o.StateReason = report.StateNoPolicies, onlyTheServer(e)
		}
	}
}

// unreadResponse is the WebhookResponse with an error that belongs to a called webhook; "" if there is none.
func unreadResponse(r *report.Report) string {
	for _, d := range r.Diagnostics.Errors() {
		name, ok := strings.CutPrefix(d.Document, webhook.ResponseKind+"/")
		if ok && slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Called && !s.Simulated && s.Webhook == name }) {
			return d.Document
		}
	}
	return ""
}

// firstRefused is the first rejected document of the texts; nil when the server
// takes all.
func firstRefused(list []report.Install) *report.Install {
	var first *report.Install
	for i := range list {
		if in := &list[i]; in.Code != 0 && (first == nil || before(in, first)) {
			first = in
		}
	}
	return first
}

// notStarting is the first mistake in the server's own files; "" when there is none.
func notStarting(problems diag.Diagnostics) string {
	for _, d := range problems.Errors() {
		if d.Code == codes.ServerConfiguration || d.Code == codes.StaticManifest {
			return d.Summary
		}
	}
	return ""
}

// before reports whether a document comes before another. Those of the policies
// text come before those that are in the cluster text by mistake.
func before(a, b *report.Install) bool {
	if a.Text != b.Text {
		return a.Text == diag.Policies
	}
	return cmp.Less(a.Span.Start, b.Span.Start)
}

// refusal names a rejected document and its first error, in our words if there are
// any, and in the server's if not.
func refusal(in *report.Install, problems diag.Diagnostics) string {
	name := strings.TrimSpace(in.Kind + " " + in.Name)
	for _, d := range problems.Errors() {
		if d.Text == in.Text && !d.Next && d.Span.Start >= in.Span.Start && d.Span.End <= in.Span.End {
			return name + ": " + d.Summary
		}
	}
	line, _, _ := strings.Cut(in.Message, "\n")
	return name + ": " + line
}

func noRequest(problems diag.Diagnostics) string {
	for _, d := range problems.Errors() {
		if d.Text == diag.Request {
			return "the request cannot be read: " + d.Summary
		}
	}
	return "there is no request"
}

func noneRan(list []report.Unmatched) string {
	if len(list) == 1 {
		return list[0].Name + ": " + list[0].Reason
	}
	return fmt.Sprintf("none of %d policies and webhooks matched this request", len(list))
}

// noPolicies reports whether nothing that a scenario gives was asked about the request:
// no policy and no webhook, no schema or rule of a custom resource, no roles whose
// rights may not be given away, no Pod Security level of the namespace, none that warns
// or audits either, and no exemption from them.
func noPolicies(e *evaluate.Evaluation) bool {
	if len(e.MutatingPolicies)+len(e.MutatingHooks)+len(e.ValidatingPolicies)+len(e.ValidatingHooks) > 0 || e.Initial.Kind.GroupKind() == crd.GroupKind {
		return false
	}
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		if s.OfPolicy() || s.Kind == crd.Kind || s.Kind == evaluate.ServerKind || len(s.Warnings) > 0 {
			return false
		}
	}
	annotations := e.Report.Outcome.AuditAnnotations
	if annotations["pod-security.kubernetes.io/audit-violations"] != "" || annotations["pod-security.kubernetes.io/exempt"] != "" {
		return false
	}
	level := annotations["pod-security.kubernetes.io/enforce-policy"]
	return level == "" || strings.HasPrefix(level, "privileged:")
}

// onlyTheServer is what is said where there is nothing else to ask: which plugins of the
// server changed the object, if any did. What else was asked is in the report (Checked).
func onlyTheServer(e *evaluate.Evaluation) string {
	var plugins []string
	for i := range e.Report.Steps {
		if s := &e.Report.Steps[i]; s.Verdict == report.Mutate && !slices.Contains(plugins, s.Policy) {
			plugins = append(plugins, s.Policy)
		}
	}
	if len(plugins) > 0 {
		return "no policies or webhooks; the server itself changed the object (" + strings.Join(plugins, ", ") + ")"
	}
	return "no policies or webhooks: only the server's built-in checks ran"
}

// unmatched lists the policies and webhooks and why each did not run. It is empty
// when one had, and when there are none.
func unmatched(e *evaluate.Evaluation) []report.Unmatched {
	if e.Deleted {
		return notRun(e)
	}
	var out []report.Unmatched
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		if s.Webhook == "" && s.Kind != mutate.Kind && s.Kind != validate.Kind {
			continue // a plugin, or the check of a custom resource
		}
		if s.Ran() {
			return nil
		}
		out = append(out, report.Unmatched{Name: stepName(s), Reason: s.Reason, Step: i})
	}
	if e.Initial.Operation == request.Delete {
		for _, p := range e.MutatingPolicies {
			out = append(out, report.Unmatched{Name: p.Name, Reason: notForDelete, Step: -1})
		}
	}
	return out
}

func stepName(s *report.Step) string {
	switch {
	case s.Webhook != "":
		return s.Webhook
	case s.Binding != "" && s.Binding != s.Policy:
		return s.Policy + "/" + s.Binding
	}
	return s.Policy
}

// undecided is the reason of a run without a verdict, with what is known of it.
func undecided(e *evaluate.Evaluation) string {
	for i := range e.Report.Steps {
		if s := &e.Report.Steps[i]; s.Verdict == report.Deny {
			return fmt.Sprintf("%s; %s denies the request in any case", stopReason(e), stepName(s))
		}
	}
	return stopReason(e)
}

func stopReason(e *evaluate.Evaluation) string {
	return "stopped at " + e.Ended.Step + ": " + compile.Why(e.Ended)
}
