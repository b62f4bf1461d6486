package webhook

import (
	"slices"

	"github.com/preadmit/preadmit/engine/scenario"
)

// reviewGroup is the group of AdmissionReviews.
const reviewGroup = "admission.k8s.io/"

// OtherVersion is an answer whose AdmissionReview has another version than the question.
type OtherVersion struct {
	Name            string // of the webhook and its WebhookResponse
	Answered, Asked string // admission.k8s.io/v1beta1
	Document        *scenario.Document
	Path            string // of the webhook in Document
}

// OtherVersions lists the answers of webhooks that are AdmissionReviews of another version of the API than
// the one in which the server asks.
func OtherVersions(responses Responses, hooks ...[]*Hook) []OtherVersion {
	var out []OtherVersion
	for _, list := range hooks {
		for _, h := range list {
			answers := responses[h.name]
			asked, err := h.prepare(false)
			if err != nil || answers == nil || answers.APIVersion == nil || slices.ContainsFunc(out, func(o OtherVersion) bool { return o.Name == h.name }) {
				continue
			}
			answered := *answers.APIVersion
			if answered != reviewGroup+asked && slices.Contains([]string{reviewGroup + "v1", reviewGroup + "v1beta1"}, answered) {
				out = append(out, OtherVersion{Name: h.name, Answered: answered, Asked: reviewGroup + asked, Document: h.document, Path: h.path})
			}
		}
	}
	return out
}
