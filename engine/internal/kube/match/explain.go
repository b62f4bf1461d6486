package match

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// This file explains a comparison's outcome.

// maxRulesNamed is how many rules an explanation names if no rule matches. With more rules it names
// only the closest.
const maxRulesNamed = 3

func (c *comparison) add(test report.MatchTest) {
	if c.why.Tests == nil {
		c.why.Tests = make([]report.MatchTest, 0, 2+len(c.target.excluded)+min(len(c.target.rules), 2)) // selectors and rules
	}
	c.why.Tests = append(c.why.Tests, test)
}

func (c *comparison) addRule(kind, path, resource string, mis mismatch) {
	c.add(report.MatchTest{Kind: kind, Path: path, Resource: resource,
		Matched: mis == (mismatch{}), Failed: mis.field, Wants: mis.wants, Has: mis.has})
}

// decide records the deciding reason for the reader.
func (c *comparison) decide(path, reason string) {
	c.why.Path, c.why.Reason = path, reason
}

func (c *comparison) notMatched() Result {
	return Result{Why: c.why, Near: c.near()}
}

// failed returns the result of a comparison that ends with an error.
func (c *comparison) failed(path string, err error) Result {
	result := failed(path, err)
	result.Why.Tests = c.why.Tests
	return result
}

func failed(path string, err error) Result {
	return Result{Err: err, Why: report.Match{Path: path,
		Reason: fmt.Sprintf("%s cannot be applied: %v", lastField(path), err)}}
}

// lastField returns a field path's last element: resourceRules[1] of
// spec.matchConstraints.resourceRules[1].
func lastField(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}

func (c *comparison) matchedSentence(found match) string {
	var text string
	switch {
	case found.rule < 0:
		text = "there are no " + c.target.names.rules.field + ", so every resource matches"
	case found.resource == c.request.Resource:
		text = c.target.names.rules.item(found.rule).matches
	default:
		text = fmt.Sprintf("%s matches %s, an equivalent of the request's %s",
			c.ruleName(found.rule), c.resourceName(found.resource), c.resourceName(c.request.Resource))
	}
	if c.onlyOldObject() {
		text += "; objectSelector selects only the old object"
	}
	return text
}

// ruleName names a rule as the server's field paths do: resourceRules[0].
func (c *comparison) ruleName(i int) string {
	return c.target.names.rules.item(i).short
}

// onlyOldObject reports whether the objectSelector failed for the object and
// matched the old one.
func (c *comparison) onlyOldObject() bool {
	failedObject := slices.ContainsFunc(c.why.Tests, func(t report.MatchTest) bool {
		return t.Kind == "objectSelector" && !t.Matched && t.Error == ""
	})
	matchedOld := slices.ContainsFunc(c.why.Tests, func(t report.MatchTest) bool {
		return t.Kind == "objectSelector" && t.Matched
	})
	return failedObject && matchedOld
}

func (c *comparison) excludedSentence(found match) string {
	text := fmt.Sprintf("%s excludes %s", lastField(found.path), c.resourceName(found.resource))
	if names := c.target.excluded[found.rule].ResourceNames; len(names) > 0 {
		text += " with the name " + c.request.Name
	}
	if found.resource != c.request.Resource {
		text += ", an equivalent of the request's " + c.resourceName(c.request.Resource)
	}
	return text
}

// resourceName names a resource as group/version resource, with the request's subresource: apps/v1
// deployments/scale.
func (c *comparison) resourceName(resource schema.GroupVersionResource) string {
	return resource.GroupVersion().String() + " " + withSubResource(resource.Resource, c.request.SubResource)
}

// explainNoRule says which part of which rule failed if no rule matches.
func (c *comparison) explainNoRule(path string) {
	if len(c.target.rules) == 0 {
		c.decide(path, "there are no "+c.target.names.rules.field+", so nothing matches")
		return
	}
	var sentences []string
	closest, closestField := 0, mismatch{}
	for i := range c.target.rules {
		mis := c.ruleMismatch(i, c.request.Resource)
		sentences = append(sentences, mis.sentence(c.ruleName(i)))
		if i == 0 || distance(mis) > distance(closestField) {
			closest, closestField = i, mis
		}
	}
	text := "no rule matches: " + strings.Join(sentences, "; ")
	if len(sentences) > maxRulesNamed {
		text = fmt.Sprintf("none of %d rules matches; the closest: %s", len(sentences), sentences[closest])
	}
	c.decide(fieldpath.Below(fieldpath.Item(path, closest), closestField.field), text)
	c.why.Hint = c.equivalentHint()
}

// ruleMismatch compares one rule, names included.
func (c *comparison) ruleMismatch(i int, resource schema.GroupVersionResource) mismatch {
	mis := compareRule(&c.target.rules[i].RuleWithOperations, c.request, resource)
	if mis == (mismatch{}) {
		mis = compareNames(c.target.rules[i].ResourceNames, c.request)
	}
	return mis
}

// distance says how many parts of a rule matched before it failed.
func distance(mis mismatch) int { return slices.Index(ruleFields, mis.field) }

// equivalentHint says whether matchPolicy Equivalent would have matched, or which equivalents did
// not match.
func (c *comparison) equivalentHint() string {
	var tried []string
	for _, resource := range c.equivalents() {
		for i := range c.target.rules {
			if !c.target.equivalent && c.ruleMismatch(i, resource) == (mismatch{}) {
				return fmt.Sprintf("with matchPolicy Equivalent %s would match: it names %s, the same objects in another version",
					c.ruleName(i), c.resourceName(resource))
			}
		}
		tried = append(tried, c.resourceName(resource))
	}
	if !c.target.equivalent || len(tried) == 0 {
		return ""
	}
	return "the equivalent " + strings.Join(tried, ", ") + " does not match either"
}
