package compile

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// reviewVersions says of each WebhookResponse that it is an AdmissionReview of another version than the
// one in which its webhook is asked, which the server cannot read: what a webhook answered years ago, or
// what documents print.
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
