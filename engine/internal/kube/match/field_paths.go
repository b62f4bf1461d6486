package match

import (
	"slices"
	"sync"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// This file caches the targets' paths and rules, which are the same for every request.

// names are the paths of a target's fields.
type names struct {
	namespaceSelector, objectSelector string
	excluded, rules                   ruleNames
}

// ruleNames are the paths of a list of rules.
type ruleNames struct {
	path, field string
	items       []ruleName // of the first rules
}

// ruleName names a rule: its path, its name in sentences, and the sentence that it matches.
type ruleName struct{ path, short, matches string }

func newNames(path, rulesField string, excluded, rules int) *names {
	return &names{
		namespaceSelector: fieldpath.Below(path, "namespaceSelector"), objectSelector: fieldpath.Below(path, "objectSelector"),
		excluded: newRuleNames(path, "excludeResourceRules", excluded), rules: newRuleNames(path, rulesField, rules),
	}
}

func newRuleNames(path, field string, count int) ruleNames {
	r := ruleNames{path: fieldpath.Below(path, field), field: field}
	for i := range count {
		r.items = append(r.items, r.item(i))
	}
	return r
}

// item returns a rule's name, and creates it unless cached.
func (r *ruleNames) item(i int) ruleName {
	if i < len(r.items) {
		return r.items[i]
	}
	short := fieldpath.Item(r.field, i)
	return ruleName{fieldpath.Item(r.path, i), short, short + " matches"}
}

// namedRules is how many rule names of policies and bindings are cached. All policies share the
// same names.
const namedRules = 8

var (
	policyNames  = sync.OnceValue(func() *names { return newNames(policyPath, resourceRules, namedRules, namedRules) })
	bindingNames = sync.OnceValue(func() *names { return newNames(bindingPath, resourceRules, namedRules, namedRules) })
)

// At prepares a webhook for comparison at its path in the configuration, such as webhooks[0].
func (w Webhook) At(path string) Webhook {
	w.named, w.names = namedAll(w.Rules), newNames(path, webhookRules, 0, len(w.Rules))
	return w
}

// namedAll converts rules to the form of a policy's.
func namedAll(rules []v1.RuleWithOperations) []v1.NamedRuleWithOperations {
	out := make([]v1.NamedRuleWithOperations, len(rules))
	for i, rule := range rules {
		out[i] = v1.NamedRuleWithOperations{RuleWithOperations: rule}
	}
	return slices.Clip(out)
}
