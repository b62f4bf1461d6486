package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// unusedResponses says of each WebhookResponse that no webhook asks for why that is: its
// name is another one, or the server rejects the configuration that its webhook is in, which
// is no mistake of the response.
func (p *compiler) unusedResponses() {
	names := webhook.Names(p.MutatingHooks, p.ValidatingHooks)
	refused := p.refusedHooks()
	for _, name := range webhook.UnknownResponses(p.Responses, p.MutatingHooks, p.ValidatingHooks) {
		d := diag.Diagnostic{Code: codes.UnusedWebhookResponse, Severity: diag.Warning, Text: diag.Cluster, Path: "metadata.name", Document: webhook.ResponseKind + "/" + name,
			Summary: fmt.Sprintf("no webhook is named %q, so this WebhookResponse is never used", name)}
		switch named := strings.Contains(p.scenario.Policies, name) && p.hasProblems(diag.Policies); {
		case refused != "":
			d.Severity, d.Summary = diag.Info, fmt.Sprintf("the server %s, so the WebhookResponse %q is not used", refused, name)
		case named:
			d.Severity, d.Detail = diag.Info, "The policies define it: the server will have it once their problems are fixed."
		}
		for _, of := range p.Documents[diag.Cluster] {
			if of.Kind != webhook.ResponseKind || of.Name != name {
				continue
			}
			d.Span = of.Locate("metadata.name")
			if meant := p.responseFor(names, name); meant != "" && d.Severity == diag.Warning {
				d.Fixes = []diag.Fix{{Title: "Change to " + meant, Edits: []diag.Edit{{Text: of.Text, Span: d.Span, New: scenario.Scalar(meant)}}}}
			}
			break
		}
		p.diagnose([]diag.Diagnostic{d})
	}
}

// hasProblems reports whether a text has an error or a warning.
func (p *compiler) hasProblems(text diag.Text) bool {
	return slices.ContainsFunc(p.Report.Diagnostics, func(d diag.Diagnostic) bool { return d.Text == text && d.Severity != diag.Info })
}

// responseFor is the webhook that a response is probably of: the one with a name like it, or
// else the only one without a response. Empty if there is none.
func (p *compiler) responseFor(names []string, name string) string {
	if best, ok := suggest.Of(names, name); ok {
		return best
	}
	names = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(names))), func(n string) bool { return p.Responses[n] != nil })
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// refusedHooks says what the server does with a configuration of webhooks that it does not
// have, empty if it has all.
func (p *compiler) refusedHooks() string {
	if Unreadable(p.Report.Diagnostics, diag.Policies) {
		return "cannot read the policies"
	}
	i := slices.IndexFunc(p.Report.Install, func(in report.Install) bool {
		return in.Code != 0 && strings.HasSuffix(in.Kind, "WebhookConfiguration")
	})
	if i < 0 {
		return ""
	}
	return strings.TrimSuffix("rejects the "+p.Report.Install[i].Kind+" "+p.Report.Install[i].Name, " ")
}

// whoseResponses writes an answer that does not say of which webhook it is as the WebhookResponse of each
// that it can be of.
func (p *compiler) whoseResponses() {
	for i := range p.Report.Diagnostics {
		problem := &p.Report.Diagnostics[i]
		if problem.Code != codes.WhichWebhook {
			continue
		}
		for _, d := range p.Documents[problem.Text] {
			if d.Span.Start > problem.Span.Start || d.Span.End < problem.Span.End {
				continue
			}
			names, texts := scenario.Responses(d, p.scenario.Cluster, p.Documents[diag.Policies])
			for j, name := range names {
				problem.Fixes = append(problem.Fixes, diag.Fix{Title: "Make it the answer of " + name, Edits: []diag.Edit{{Text: d.Text, Span: d.Span, New: texts[j]}}})
			}
		}
	}
}

// reviewVersions reports each WebhookResponse whose AdmissionReview has another version than the server's
// request to the webhook. The server cannot read it. Old recordings and documentation have such responses.
func (p *compiler) reviewVersions() {
	for _, other := range webhook.OtherVersions(p.Responses, p.MutatingHooks, p.ValidatingHooks) {
		d := diag.Diagnostic{Code: codes.WebhookResponse, Severity: diag.Warning, Text: diag.Cluster, Path: "spec.apiVersion", Document: webhook.ResponseKind + "/" + other.Name,
			Summary: fmt.Sprintf("the answer is an AdmissionReview in %s, but the webhook is called in %s", other.Answered, other.Asked),
			Detail:  "The server only reads the version of its request: the first known one in the webhook's admissionReviewVersions."}
		for _, of := range p.Documents[diag.Cluster] {
			if of.Kind != webhook.ResponseKind || of.Name != other.Name || !of.Has(d.Path) {
				continue
			}
			d.Text, d.Span = of.Text, of.Locate(d.Path)
			if e, ok := of.Rewrite(d.Path, other.Asked); ok {
				d.Fixes = append(d.Fixes, diag.Fix{Title: "Change to " + other.Asked, Edits: []diag.Edit{e}})
			}
			break
		}
		if hook := other.Document; hook != nil {
			_, version, _ := strings.Cut(other.Answered, "/")
			if e, ok := hook.Rewrite(other.Path+".admissionReviewVersions", "["+version+"]"); ok {
				d.Fixes = append(d.Fixes, diag.Fix{Title: "Call the webhook in " + version, Edits: []diag.Edit{e}})
			}
		}
		p.diagnose([]diag.Diagnostic{d})
	}
}
