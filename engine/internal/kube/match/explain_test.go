package match

import (
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
)

func TestReasons(t *testing.T) {
	exact := v1.Exact
	autoscaler := &Request{Kind: gvk("autoscaling/v1", "HorizontalPodAutoscaler"), Resource: gvr("autoscaling/v1", "horizontalpodautoscalers"),
		Name: "h", Namespace: "default", Operation: "CREATE", Object: withLabels()}
	v2 := rule("*", "autoscaling", "v2", "horizontalpodautoscalers")
	tests := []struct {
		name               string
		request            *Request
		policy             *v1.MatchPolicyType
		rules              []v1.NamedRuleWithOperations
		excluded           []v1.NamedRuleWithOperations
		reason, path, hint string
	}{
		{name: "one rule", request: pod(), rules: []v1.NamedRuleWithOperations{rule("UPDATE", "core", "v1", "pods")},
			reason: "no rule matches: resourceRules[0] wants operations UPDATE, but the request is CREATE", path: "spec.matchConstraints.resourceRules[0].operations"},
		{name: "the closest of two", request: pod(),
			rules:  []v1.NamedRuleWithOperations{rule("CREATE", "apps", "v1", "deployments"), rule("CREATE", "core", "v1", "services secrets")},
			reason: `no rule matches: resourceRules[0] wants apiGroups apps, but the request has group ""; resourceRules[1] wants resources services, secrets, but the request is for pods`,
			path:   "spec.matchConstraints.resourceRules[1].resources"},
		{name: "many rules", request: pod(),
			rules: []v1.NamedRuleWithOperations{rule("UPDATE", "*", "*", "*"), rule("UPDATE", "*", "*", "*"),
				rule("*", "*", "*", "pods", "a"), rule("UPDATE", "*", "*", "*")},
			reason: "none of 4 rules matches; the closest: resourceRules[2] wants resourceNames a, but the request has the name web",
			path:   "spec.matchConstraints.resourceRules[2].resourceNames"},
		{name: "no name yet", request: pod(func(r *Request) { r.Name = "" }), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "pods", "a")},
			reason: "no rule matches: resourceRules[0] wants resourceNames a, but the request has no name yet", path: "spec.matchConstraints.resourceRules[0].resourceNames"},
		{name: "subresource", request: pod(func(r *Request) { r.SubResource = "status" }), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")},
			reason: "no rule matches: resourceRules[0] wants resources *, but the request is for pods/status (* excludes subresources; */* includes them)",
			path:   "spec.matchConstraints.resourceRules[0].resources"},
		{name: "a subresource where only another resource is wanted", request: pod(func(r *Request) { r.SubResource = "status" }), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "services")},
			reason: "no rule matches: resourceRules[0] wants resources services, but the request is for pods/status", path: "spec.matchConstraints.resourceRules[0].resources"},
		{name: "an empty list", request: pod(), rules: []v1.NamedRuleWithOperations{rule("*", "", "*", "*")},
			reason: `no rule matches: resourceRules[0] wants apiGroups nothing, but the request has group ""`, path: "spec.matchConstraints.resourceRules[0].apiGroups"},
		{name: "the second of two as an equivalent", request: autoscaler, policy: equivalent(), rules: []v1.NamedRuleWithOperations{rule("*", "apps", "*", "*"), v2},
			reason: "resourceRules[1] matches autoscaling/v2 horizontalpodautoscalers, an equivalent of the request's autoscaling/v1 horizontalpodautoscalers",
			path:   "spec.matchConstraints.resourceRules[1]"},
		{name: "scope", request: pod(), rules: []v1.NamedRuleWithOperations{scoped(rule("*", "*", "*", "*"), v1.ClusterScope)},
			reason: "no rule matches: resourceRules[0] wants scope Cluster, but the request is in namespace default", path: "spec.matchConstraints.resourceRules[0].scope"},
		{name: "excluded", request: pod(), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")},
			excluded: []v1.NamedRuleWithOperations{rule("*", "apps", "*", "*"), rule("*", "core", "*", "pods")},
			reason:   "excludeResourceRules[1] excludes v1 pods", path: "spec.matchConstraints.excludeResourceRules[1]"},
		{name: "excluded by name", request: pod(), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")},
			excluded: []v1.NamedRuleWithOperations{rule("*", "core", "*", "pods", "web")},
			reason:   "excludeResourceRules[0] excludes v1 pods with the name web", path: "spec.matchConstraints.excludeResourceRules[0]"},
		{name: "excluded as an equivalent", request: autoscaler, policy: equivalent(), rules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")},
			excluded: []v1.NamedRuleWithOperations{v2},
			reason:   "excludeResourceRules[0] excludes autoscaling/v2 horizontalpodautoscalers, an equivalent of the request's autoscaling/v1 horizontalpodautoscalers",
			path:     "spec.matchConstraints.excludeResourceRules[0]"},
		{name: "matched as an equivalent", request: autoscaler, policy: equivalent(), rules: []v1.NamedRuleWithOperations{v2},
			reason: "resourceRules[0] matches autoscaling/v2 horizontalpodautoscalers, an equivalent of the request's autoscaling/v1 horizontalpodautoscalers",
			path:   "spec.matchConstraints.resourceRules[0]"},
		{name: "exact, an equivalent would match", request: autoscaler, policy: &exact, rules: []v1.NamedRuleWithOperations{v2},
			reason: "no rule matches: resourceRules[0] wants apiVersions v2, but the request has version v1", path: "spec.matchConstraints.resourceRules[0].apiVersions",
			hint: "with matchPolicy Equivalent resourceRules[0] would match: it names autoscaling/v2 horizontalpodautoscalers, the same objects in another version"},
		{name: "no equivalent either", request: autoscaler, policy: equivalent(), rules: []v1.NamedRuleWithOperations{rule("*", "autoscaling", "v2beta2", "*")},
			reason: "no rule matches: resourceRules[0] wants apiVersions v2beta2, but the request has version v1", path: "spec.matchConstraints.resourceRules[0].apiVersions",
			hint: "the equivalent autoscaling/v2 horizontalpodautoscalers does not match either"},
		{name: "no rules", request: pod(), reason: "there are no resourceRules, so every resource matches"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resources := constraints(test.rules...)
			resources.MatchPolicy, resources.ExcludeResourceRules = test.policy, test.excluded
			why := matcher(t, "1.37").Policy(test.request, resources).Why
			if why.Reason != test.reason || why.Path != test.path || why.Hint != test.hint {
				t.Errorf("\nreason %q\npath   %q\nhint   %q", why.Reason, why.Path, why.Hint)
			}
		})
	}
}

func TestExempt(t *testing.T) {
	request := func(groupVersion, kind, resource string) *Request {
		return &Request{Kind: gvk(groupVersion, kind), Resource: gvr(groupVersion, resource), Operation: "CREATE"}
	}
	const admission = "admissionregistration.k8s.io/v1"
	tests := []struct {
		version           string
		request           *Request
		policies, webhook bool
	}{
		{"1.37", request("v1", "Pod", "pods"), false, false},
		{"1.37", request(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies"), true, true},
		{"1.37", request(admission, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"), true, true},
		{"1.31", request(admission, "MutatingAdmissionPolicy", "mutatingadmissionpolicies"), true, false},
		{"1.32", request(admission, "MutatingAdmissionPolicy", "mutatingadmissionpolicies"), true, true},
		{"1.37", request(admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"), false, true},
		{"1.30", request(admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"), false, true},
		{"1.36", request("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews"), true, false},
		{"1.37", request("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews"), true, true},
		{"1.37", request("authentication.k8s.io/v1", "TokenReview", "tokenreviews"), true, true},
		{"1.37", request("example.com/v1", "TokenReview", "tokenreviews"), false, false},
		{"1.37", request("example.com/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"), false, false},
		{"1.37", request(admission, "Other", "others"), false, false},
	}
	for _, test := range tests {
		m := matcher(t, test.version)
		why, policies := m.ExemptFromPolicies(test.request, false)
		if policies != test.policies || policies != (why.Reason != "") || why.Matched {
			t.Errorf("%s %s: exempt from policies = %v (%q)", test.version, test.request.Kind.Kind, policies, why.Reason)
		}
		why, webhooks := m.ExemptFromWebhooks(test.request, false)
		if webhooks != test.webhook || webhooks != (why.Reason != "") || why.Matched {
			t.Errorf("%s %s: exempt from webhooks = %v (%q)", test.version, test.request.Kind.Kind, webhooks, why.Reason)
		}
	}
}
