package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// verdict writes the client's response.
func (o *out) verdict(r *report.Report) {
	a := r.Outcome
	switch a.State {
	case report.StateNoRequest:
		o.linef("%s  %s", o.style(bold, "NO REQUEST"), a.StateReason)
		return
	case report.StatePolicyRefused:
		o.linef("%s  %s", o.style(red, "POLICY REJECTED"), a.StateReason)
		if r.Request == nil {
			return
		}
		if r.KindRefused() {
			o.linef("  Without the rejected documents: 404, because the request's kind does not exist")
			return
		}
		o.linef("  Without the rejected documents: %s", strings.Join(present(answer(r)...), ", "))
	case report.StateUndecided:
		o.linef("%s  %s", o.style(yellow, "UNDECIDED"), a.StateReason)
	case report.StateDenied:
		if a.Panic {
			o.linef("%s  the API server crashes on this request and closes the connection", o.style(red, "PANIC"))
			break
		}
		o.linef("%s  %s", o.style(red, "DENIED"), strings.Join(present(code(a), decidedBy(r)), ", ")+assuming(r))
	case report.StateNoPolicyRan:
		o.linef("%s  %s%s", o.style(yellow, "ADMITTED, NO POLICY RAN"), code(a), assuming(r))
		for _, u := range a.Unmatched {
			o.linef("  %s: %s", u.Name, u.Reason)
		}
	case report.StateNoPolicies:
		o.linef("%s  %s", o.style(yellow, "ADMITTED, NO POLICIES"), code(a))
		o.linef("  %s", a.StateReason)
	case report.StateMutated:
		o.linef("%s  %s, %s%s", o.style(yellow, "ADMITTED, MUTATED"), code(a), report.Plural(len(a.Patch), "change"), assuming(r))
	default:
		o.linef("%s  %s%s", o.style(green, "ADMITTED"), strings.Join(present(code(a), "no policy changed the object"), ", "), assuming(r))
	}
	if a.Message != "" {
		o.indented("  ", a.Brief(a.Message))
	}
	if a.Kubectl != "" {
		o.indented("  ", "kubectl would reject this: "+a.Kubectl)
	}
	at := 0 // after the last cause in the message, which mostly has them in order
	for _, c := range a.Causes {
		switch i := strings.Index(a.Message[at:], c); {
		case i >= 0:
			at += i + len(c)
		case !strings.Contains(a.Message[:at], c):
			o.indented("  cause: ", c)
		}
	}
	if line := report.DidNotRun(r.NotReached()); line != "" {
		o.linef("  %s", line)
	}
	undenied := ""
	for i := range r.Steps {
		line := "  Not denied by " + r.Steps[i].Policy + ": " + r.Steps[i].Undenied()
		if r.Steps[i].Undenied() != "" && line != undenied { // once for all params
			undenied = line
			o.linef("%s", line)
		}
	}
	for _, w := range a.Warnings {
		o.linef("  %s %s", o.style(yellow, "Warning:"), w)
	}
	for _, k := range slices.Sorted(maps.Keys(a.AuditAnnotations)) {
		o.linef("  Audit annotation: %s=%s", k, a.AuditAnnotations[k])
	}
}

// assuming lists what the verdict assumes, as a continuation of its sentence; empty if nothing.
func assuming(r *report.Report) string {
	var what []string
	for _, a := range r.Assumed {
		what = append(what, a.What)
	}
	if len(what) == 0 {
		return ""
	}
	return "; assumed: " + strings.Join(what, "; ")
}

// restsOn writes what was not checked, on one line.
func (o *out) restsOn(r *report.Report) {
	if line := r.Unchecked(); line != "" {
		o.linef("  %s", o.style(faint, line))
	}
}

// workload writes the result for the object's Pods.
func (o *out) workload(w *report.Workload) {
	switch {
	case w == nil:
	case w.Outcome.Allowed:
		o.linef("  %s: %s", w.Name(), answerOf(w.Outcome, w.Steps))
	default:
		o.linef("  %s: %s", w.Name(), o.style(red, answerOf(w.Outcome, w.Steps)))
		o.indented("    ", w.Outcome.Message)
	}
}

// answer is the client's response, as a continuation of a sentence.
func answer(r *report.Report) []string {
	switch {
	case r.Outcome.Allowed && r.Outcome.Mutated:
		return []string{"admitted", report.Plural(len(r.Outcome.Patch), "change")}
	case r.Outcome.Allowed:
		return []string{"admitted"}
	}
	return []string{"denied " + code(r.Outcome), decidedBy(r)}
}

// answerOf is an additional request's verdict in one line.
func answerOf(a report.Outcome, steps []report.Step) string {
	return strings.Join(present(answer(&report.Report{Outcome: a, Steps: steps})...), ", ")
}

func code(a report.Outcome) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.Code, a.Reason))
}

func decidedBy(r *report.Report) string {
	i := r.Outcome.DecidedBy
	if i < 0 || i >= len(r.Steps) {
		return ""
	}
	return "by " + StepName(r.Steps[i])
}

func present(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// StepName names a step: the policy with its binding and param, or the webhook with its
// configuration.
func StepName(s report.Step) string {
	if s.Webhook != "" {
		return s.Kind + " " + s.Configuration + ", webhook " + s.Webhook
	}
	name := s.Kind + " " + s.Policy
	if s.Binding != "" {
		name += ", binding " + s.Binding
	}
	if s.Param != "" {
		name += ", param " + s.Param
	}
	return name
}

func (o *out) request(r *report.Report) {
	q := r.Request
	if q == nil {
		return
	}
	o.linef("")
	resource, subresource := q.Resource, ""
	if q.SubResource != "" {
		subresource = "/" + q.SubResource
	}
	if groupVersion, plural, ok := strings.Cut(resource, ", Resource="); ok {
		resource = strings.TrimPrefix(groupVersion, "/") + " " + plural
	}
	name := q.Name
	if q.Namespace != "" && !strings.HasSuffix(resource, " namespaces") {
		name = q.Namespace + "/" + name
	}
	o.linef("%s  %s %s%s %s, Kubernetes %s", o.style(bold, "Request"), q.Operation, resource, subresource, name, r.Kubernetes)
	groups := ""
	if len(q.Groups) > 0 {
		groups = " (" + strings.Join(q.Groups, ", ") + ")"
	}
	dryRun := ""
	if q.DryRun {
		dryRun = ", dry run"
	}
	o.linef("         by %s%s%s", q.User, groups, dryRun)
	for _, d := range q.Derived {
		o.linef("         %s", o.style(faint, d))
	}
}

func (o *out) expression(e *report.Evaluation) {
	if e == nil {
		return
	}
	o.heading("Expression")
	o.evaluations("  ", []labelled{{"", *e}})
	o.variables("  ", e.Variables)
}

func (o *out) findings(list []report.Finding) {
	if len(list) == 0 {
		return
	}
	o.heading("Findings")
	for _, f := range list {
		policy := ""
		if f.Policy != "" {
			policy = f.Policy + ": "
		}
		o.linef("  %s %s%s", o.style(severityStyles[f.Level], string(f.Level)+":"), policy, f.Summary)
		if f.Detail != "" {
			o.indented("    ", f.Detail)
		}
		o.changes("    ", f.Diff, nil)
	}
}

// budgets writes the used cost limits. It omits single calls below a hundredth of theirs, whose
// costs are next to the expressions.
func (o *out) budgets(r *report.Report) {
	list := slices.DeleteFunc(slices.Clone(r.Budgets), func(b report.Budget) bool {
		return b.Outlook == nil && !b.Exceeded && (b.Used == 0 || b.Scope == report.CallScope && b.Used < b.Limit/100)
	})
	if len(list) == 0 {
		return
	}
	o.heading("Cost budgets")
	var rows [][]cell
	for _, b := range list {
		what := budgetScopes[b.Scope]
		if what == "" {
			what = string(b.Scope)
		}
		if b.Name != "" {
			what += " (" + b.Name + ")"
		}
		share := cell{fmt.Sprintf("%.1f%%", 100*float64(b.Used)/float64(max(b.Limit, 1))), ""}
		switch {
		case b.Exceeded && b.Used <= b.Limit:
			share = cell{"EXCEEDED: the next part did not fit", red}
		case b.Exceeded:
			share = cell{"EXCEEDED", red}
		}
		rows = append(rows, []cell{{"  " + budgetOwner(r, b), ""}, {what, ""}, {report.Number(b.Used) + " of " + report.Number(b.Limit), ""}, share})
	}
	o.table("", rows)
	for i, b := range list {
		if b.Outlook != nil {
			o.linef("  %s, %s: %s", rows[i][0].text[2:], rows[i][1].text, b.Outlook.Sentence())
		}
	}
}

var budgetScopes = map[report.Scope]string{
	report.CallScope:             "most expensive call",
	report.MatchConditionsScope:  "match conditions",
	report.ValidationsScope:      "validations and messages",
	report.AuditAnnotationsScope: "audit annotations",
	report.MutationScope:         "mutation",
}

func budgetOwner(r *report.Report, b report.Budget) string {
	if b.Step < 0 || b.Step >= len(r.Steps) {
		return b.Policy
	}
	s := r.Steps[b.Step]
	parts := present(s.Policy+s.Webhook, differs(s.Binding, s.Policy), s.Param)
	if s.Pass > 0 && s.Phase == report.Mutating {
		parts = append(parts, "pass 2")
	}
	return strings.Join(parts, " / ")
}

func differs(s, other string) string {
	if s == other {
		return ""
	}
	return s
}

// assumed writes what the verdict assumes.
func (o *out) assumed(list []report.Assumption) {
	if len(list) == 0 {
		return
	}
	o.heading("Assumed")
	for _, a := range list {
		o.linef("  - %s: %s", a.What, a.Why)
		for _, f := range a.Fixes {
			o.linef("    fix: %s", f.Title)
		}
	}
}

func (o *out) notSimulated(list []string) {
	if len(list) == 0 {
		return
	}
	o.heading("Not simulated")
	for _, s := range list {
		o.linef("  - %s", s)
	}
}

// install writes the server's response when the documents are created.
func (o *out) install(list []report.Install) {
	if len(list) == 0 {
		return
	}
	o.heading("Creating the configuration")
	for _, i := range list {
		place := ""
		if at, ok := o.Sources.Place(i.Text, i.Span); ok {
			place = at.String() + ": "
		}
		if i.Code != 0 {
			o.linef("  %s%s %s %s: the server answers %d %s", place, o.style(red, "REJECTED"), i.Kind, i.Name, i.Code, i.Reason)
			o.indented("    ", i.Message)
		}
		for _, w := range i.Warnings {
			o.linef("  %s%s %s %s: %s", place, o.style(yellow, "Warning:"), i.Kind, i.Name, w)
		}
	}
}

// Summary is one line about a report: the verdict and who decided.
func Summary(r *report.Report) string {
	var parts []string
	switch r.Outcome.State {
	case report.StatePolicyRefused:
		parts = append(parts, "policy rejected")
	case report.StateNoRequest:
		parts = append(parts, "no request")
	case report.StateNoPolicyRan:
		parts = append(parts, "admitted, no policy ran")
	case report.StateNoPolicies:
		parts = append(parts, "admitted, no policies")
	case report.StateUndecided:
		parts = append(parts, "undecided")
	default:
		parts = present(answer(r)...)
	}
	if diag.HasErrors(r.Diagnostics) {
		parts = append(parts, "with errors")
	}
	return strings.Join(parts, ", ")
}
