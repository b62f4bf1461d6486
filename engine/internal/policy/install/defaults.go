package install

import (
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// setDefault is the server's defaulting of one pointer: what is set stays.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// The defaults of semantics §11.1. What is not here has none: sideEffects,
// admissionReviewVersions, reinvocationPolicy of a policy, validationActions.

func defaultMatchResources(m *v1.MatchResources) {
	if m == nil {
		return
	}
	setDefault(&m.MatchPolicy, v1.Equivalent)
	setDefault(&m.NamespaceSelector, metav1.LabelSelector{})
	setDefault(&m.ObjectSelector, metav1.LabelSelector{})
	for i := range m.ResourceRules {
		setDefault(&m.ResourceRules[i].Scope, v1.AllScopes)
	}
	for i := range m.ExcludeResourceRules {
		setDefault(&m.ExcludeResourceRules[i].Scope, v1.AllScopes)
	}
}

// defaultParamRef sets the one default that only v1alpha1 has.
func defaultParamRef(r *v1.ParamRef, version string) {
	if r != nil && version == "v1alpha1" {
		setDefault(&r.ParameterNotFoundAction, v1.DenyAction)
	}
}

func defaultValidatingPolicy(p *v1.ValidatingAdmissionPolicy) {
	setDefault(&p.Spec.FailurePolicy, v1.Fail)
	defaultMatchResources(p.Spec.MatchConstraints)
}

func defaultMutatingPolicy(p *v1.MutatingAdmissionPolicy) {
	setDefault(&p.Spec.FailurePolicy, v1.Fail)
	defaultMatchResources(p.Spec.MatchConstraints)
}

func defaultValidatingWebhooks(c *v1.ValidatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules, w.ClientConfig.Service)
	}
}

func defaultMutatingWebhooks(c *v1.MutatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules, w.ClientConfig.Service)
		setDefault(&w.ReinvocationPolicy, v1.NeverReinvocationPolicy)
	}
}

// defaultWebhook sets what both kinds of webhook have.
func defaultWebhook(failure **v1.FailurePolicyType, match **v1.MatchPolicyType, namespaces, objects **metav1.LabelSelector, timeout **int32, rules []v1.RuleWithOperations, service *v1.ServiceReference) {
	setDefault(failure, v1.Fail)
	setDefault(match, v1.Equivalent)
	setDefault(namespaces, metav1.LabelSelector{})
	setDefault(objects, metav1.LabelSelector{})
	setDefault(timeout, 10)
	for i := range rules {
		setDefault(&rules[i].Scope, v1.AllScopes)
	}
	if service != nil {
		setDefault(&service.Port, 443)
	}
}
