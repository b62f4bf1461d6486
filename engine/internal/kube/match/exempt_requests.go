package match

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

const admissionGroup = "admissionregistration.k8s.io"

// policyResources are never looked at by policies, so that a policy cannot
// lock the cluster against its own repair. Webhook configurations are not
// among them (semantics §4.6).
var policyResources = []string{
	"validatingadmissionpolicies", "validatingadmissionpolicybindings",
	"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
}

// webhookExemptKinds are never sent to webhooks, mutatingPolicyKinds not on every
// version.
var (
	webhookExemptKinds = []string{
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	}
	mutatingPolicyKinds = []string{"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}
)

// virtualResources are questions about identity and permission that nothing
// stores.
var virtualResources = []schema.GroupResource{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
}

// ExemptFromPolicies reports whether no policy is ever asked about a request,
// whatever its rules say. A static one, from a manifest file, cannot lock the
// cluster against its own repair, and is asked about more.
func (m *Matcher) ExemptFromPolicies(request *Request, static bool) (report.Match, bool) {
	resource := request.Resource.GroupResource()
	switch {
	case slices.Contains(virtualResources, resource):
		return exempt(resource.String() + " are never subject to admission policies")
	case !static && resource.Group == admissionGroup && slices.Contains(policyResources, resource.Resource):
		return exempt("admission policies do not apply to admission policies and their bindings")
	}
	return report.Match{}, false
}

// ExemptFromWebhooks reports whether no webhook is ever called for a request.
// The server decides here by kind, not by resource. A static webhook is one from a
// manifest file.
func (m *Matcher) ExemptFromWebhooks(request *Request, static bool) (report.Match, bool) {
	resource := request.Resource.GroupResource()
	if m.version.Has(version.ExemptReviews) && slices.Contains(virtualResources, resource) {
		return exempt(resource.String() + " are not sent to webhooks since Kubernetes " + version.ExemptReviews.Since().String())
	}
	listed := slices.Contains(webhookExemptKinds, request.Kind.Kind) ||
		m.version.Has(version.ExemptMutatingPolicies) && slices.Contains(mutatingPolicyKinds, request.Kind.Kind)
	if !static && request.Kind.Group == admissionGroup && listed {
		return exempt("webhooks are not called for " + request.Kind.Kind + " objects")
	}
	return report.Match{}, false
}

func exempt(reason string) (report.Match, bool) {
	return report.Match{Reason: reason, Tests: []report.MatchTest{{Kind: "exempt", Has: reason}}}, true
}
