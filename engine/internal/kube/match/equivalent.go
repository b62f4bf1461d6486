package match

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/report"
)

// match is the matching rule and the resource as which it matched.
type match struct {
	matched  bool
	rule     int
	path     string
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
	err      error
}

// findRule returns the first matching rule: first all rules against the request's own resource,
// then, with matchPolicy Equivalent, all rules against each equivalent resource.
func (c *comparison) findRule(kind string, rules []v1.NamedRuleWithOperations, names *ruleNames) match {
	own := c.request.Resource
	for i := range rules {
		rulePath := names.item(i).path
		mis := compareRule(&rules[i].RuleWithOperations, c.request, own)
		if mis == (mismatch{}) {
			mis = compareNames(rules[i].ResourceNames, c.request)
		}
		c.addRule(kind, rulePath, "", mis)
		if mis == (mismatch{}) {
			return match{matched: true, rule: i, path: rulePath, resource: own, kind: c.request.Kind}
		}
	}
	if !c.target.equivalent || len(rules) == 0 {
		return match{}
	}
	for i := range rules {
		rulePath := names.item(i).path
		for _, resource := range c.equivalents() {
			found := c.tryEquivalent(kind, &rules[i], rulePath, resource)
			if found.matched || found.err != nil {
				found.rule = i
				return found
			}
		}
	}
	return match{}
}

// tryEquivalent compares a rule with the request as if it were for another
// resource that serves the same objects.
func (c *comparison) tryEquivalent(test string, rule *v1.NamedRuleWithOperations, path string, resource schema.GroupVersionResource) match {
	mis := compareRule(&rule.RuleWithOperations, c.request, resource)
	if mis != (mismatch{}) {
		c.addRule(test, path, resource.String(), mis)
		return match{}
	}
	kind, ok := c.matcher.catalog.KindFor(resource, c.request.SubResource)
	if !ok {
		// The server looks up the kind before it compares resourceNames.
		err := fmt.Errorf("unable to convert to %v: unknown kind", resource)
		if c.target.internalErrors {
			err = apierrors.NewInternalError(err)
		}
		c.add(report.MatchTest{Kind: test, Path: path, Resource: resource.String(), Error: err.Error()})
		return match{path: path, err: err}
	}
	mis = compareNames(rule.ResourceNames, c.request)
	c.addRule(test, path, resource.String(), mis)
	return match{matched: mis == (mismatch{}), path: path, resource: resource, kind: kind}
}

// equivalents lists the equivalent resources, without the request's own.
func (c *comparison) equivalents() []schema.GroupVersionResource {
	all := c.matcher.catalog.Equivalents(c.request.Resource, c.request.SubResource)
	return slices.DeleteFunc(slices.Clone(all), func(r schema.GroupVersionResource) bool { return r == c.request.Resource })
}
