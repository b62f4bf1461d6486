package match

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

const admissionGroup = "admissionregistration.k8s.io"

// policyResources are exempt from policies, so that a policy cannot prevent its own repair. Webhook
// configurations are not exempt (semantics §4.6).
var policyResources = []string{
	"validatingadmissionpolicies", "validatingadmissionpolicybindings",
	"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
}

// webhookExemptKinds are never sent to webhooks. mutatingPolicyKinds are exempt only on some
// versions.
var (
	webhookExemptKinds = []string{
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	}
	mutatingPolicyKinds = []string{"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}
)

// virtualResources are queries about identity and permissions that are not stored.
var virtualResources = []schema.GroupResource{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
}

// NeverForPolicies reports whether no policy but a static one is evaluated for requests about a resource.
func NeverForPolicies(resource schema.GroupResource) bool {
	return slices.Contains(virtualResources, resource) || resource.Group == admissionGroup && slices.Contains(policyResources, resource.Resource)
}

// ExemptFromPolicies reports whether policies are never evaluated for a request, whatever their
// rules. A static policy, from a manifest file, cannot prevent its own repair and has fewer
// exemptions.
func (m *Matcher) ExemptFromPolicies(request *Request, static bool) (report.Match, bool) {
	resource := request.Resource.GroupResource()
	switch {
	case slices.Contains(virtualResources, resource):
		return exempt(resource.String() + " are never subject to admission policies")
	case !static && NeverForPolicies(resource):
		return exempt("admission policies do not apply to admission policies and their bindings")
	}
	return report.Match{}, false
}

// ExemptFromWebhooks reports whether webhooks are never called for a request. Here the server
// decides by kind, not resource. A static webhook comes from a manifest file.
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
