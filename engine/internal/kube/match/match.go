package match

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Paths of the match resources in their documents.
const (
	policyPath  = "spec.matchConstraints"
	bindingPath = "spec.matchResources"
)

// The fields that hold rules.
const (
	resourceRules = "resourceRules" // of policies and bindings
	webhookRules  = "rules"
)

// Policy compares a request with a policy's matchConstraints (semantics §4.3). The matched kind and
// resource are those that the policy sees.
func (m *Matcher) Policy(request *Request, constraints *v1.MatchResources) Result {
	if constraints == nil {
		return failed(policyPath, errors.New("policy contained no match constraints, a required field"))
	}
	return m.matchResources(request, constraints, policyNames())
}

// Binding compares a request with a binding's matchResources. A binding without them matches every
// request that its policy matches.
func (m *Matcher) Binding(request *Request, resources *v1.MatchResources) Result {
	if resources == nil {
		return Result{Matched: true, Resource: request.Resource, Kind: request.Kind,
			Why: report.Match{Matched: true, Reason: "the binding has no matchResources, so it covers everything that the policy matches"}}
	}
	return m.matchResources(request, resources, bindingNames())
}

func (m *Matcher) matchResources(request *Request, resources *v1.MatchResources, names *names) Result {
	if m.version.Has(version.MissingSelectorErrors) {
		if resources.NamespaceSelector == nil {
			return failed(names.namespaceSelector, errNilSelector("namespace"))
		}
		if resources.ObjectSelector == nil {
			return failed(names.objectSelector, errNilSelector("object"))
		}
	}
	c := comparison{matcher: m, request: request, target: target{
		names:             names,
		namespaceSelector: resources.NamespaceSelector,
		objectSelector:    resources.ObjectSelector,
		excluded:          resources.ExcludeResourceRules,
		rules:             resources.ResourceRules,
		// Here a missing matchPolicy means Exact, whatever the API's default, and every value
		// except Exact means Equivalent.
		equivalent:   resources.MatchPolicy != nil && *resources.MatchPolicy != v1.Exact,
		emptyMatches: true,
	}}
	return c.run()
}

// Webhook is the part of a webhook that selects requests.
type Webhook struct {
	Rules             []v1.RuleWithOperations
	MatchPolicy       *v1.MatchPolicyType
	NamespaceSelector *metav1.LabelSelector
	ObjectSelector    *metav1.LabelSelector

	named []v1.NamedRuleWithOperations // the rules; nil until At
	names *names
}

// FromMutating returns a mutating webhook's matching fields.
func FromMutating(w *v1.MutatingWebhook) Webhook {
	return Webhook{Rules: w.Rules, MatchPolicy: w.MatchPolicy, NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector}
}

// FromValidating returns a validating webhook's matching fields.
func FromValidating(w *v1.ValidatingWebhook) Webhook {
	return Webhook{Rules: w.Rules, MatchPolicy: w.MatchPolicy, NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector}
}

// Webhook compares a request with a webhook's rules and selectors, without its match conditions
// (semantics §4.2). The path is the webhook's in its configuration: webhooks[0]. A selection from
// At compares faster.
func (m *Matcher) Webhook(request *Request, webhook *Webhook, path string) Result {
	if webhook.names == nil {
		prepared := webhook.At(path)
		webhook = &prepared
	}
	c := comparison{matcher: m, request: request, target: target{
		names:             webhook.names,
		namespaceSelector: webhook.NamespaceSelector,
		objectSelector:    webhook.ObjectSelector,
		rules:             webhook.named,
		equivalent:        webhook.MatchPolicy != nil && *webhook.MatchPolicy == v1.Equivalent,
		internalErrors:    true,
	}}
	return c.run()
}

// target is the common part of policies, bindings and webhooks.
type target struct {
	names                             *names
	namespaceSelector, objectSelector *metav1.LabelSelector
	excluded, rules                   []v1.NamedRuleWithOperations
	equivalent                        bool // matchPolicy
	emptyMatches                      bool // whether an empty list of rules matches everything
	internalErrors                    bool // rule errors are status 500 (webhooks)
}

// comparison is one request compared with one target.
type comparison struct {
	matcher *Matcher
	request *Request
	target  target
	why     report.Match
}

// run makes the tests in the server's order.
func (c *comparison) run() Result {
	matches, namespaceErr := c.namespaceSelector()
	if !matches && namespaceErr == nil {
		c.also(objectSelectorReason, excludedReasons(0), ruleReason)
		return c.notMatched()
	}
	matches, objectErr := c.objectSelector()
	if !matches && objectErr == nil {
		c.also(excludedReasons(0), ruleReason)
		return c.notMatched()
	}
	excluded := c.findRule("excludeRule", c.target.excluded, &c.target.names.excluded)
	if excluded.err != nil {
		return c.failed(excluded.path, excluded.err)
	}
	if excluded.matched {
		c.decide(excluded.path, c.excludedSentence(excluded))
		c.also(excludedReasons(excluded.rule+1), ruleReason)
		return c.notMatched()
	}
	found := match{matched: c.target.emptyMatches, resource: c.request.Resource, kind: c.request.Kind, rule: -1}
	if len(c.target.rules) > 0 {
		found = c.findRule("rule", c.target.rules, &c.target.names.rules)
	}
	if found.err != nil {
		return c.failed(found.path, found.err)
	}
	if !found.matched {
		c.explainNoRule(c.target.names.rules.path)
		otherParts(c)
		return c.notMatched()
	}
	// Errors of selectors only count now that the rules match.
	if namespaceErr != nil {
		return c.failed(c.target.names.namespaceSelector, namespaceErr)
	}
	if objectErr != nil {
		return c.failed(c.target.names.objectSelector, objectErr)
	}
	c.decide(found.path, c.matchedSentence(found))
	c.why.Matched = true
	return Result{Matched: true, Resource: found.resource, Kind: found.kind, Why: c.why}
}

func errNilSelector(which string) error {
	return fmt.Errorf("a nil %s selector was passed, please ensure selectors are initialized properly", which)
}
