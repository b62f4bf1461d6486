package match

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/report"
)

// errNoMetadata is the accessor's error for an object without metadata.
var errNoMetadata = errors.New("object does not implement the Object interfaces")

// nameLabel is the label that every Namespace has, with its name.
const nameLabel = "kubernetes.io/metadata.name"

// errEmptyName is the client's error if a request without a namespace needs one.
var errEmptyName = errors.New("resource name may not be empty")

// namespaceSelector applies the namespaceSelector (semantics §4.4). An error does not decide by
// itself: the caller keeps it until the rules have matched.
func (c *comparison) namespaceSelector() (bool, error) {
	path := c.target.names.namespaceSelector
	if c.request.Namespace == "" && c.request.Resource.Resource != "namespaces" {
		c.add(report.MatchTest{Kind: "namespaceSelector", Path: path, Matched: true,
			Has: "a cluster-scoped resource, to which the selector does not apply"})
		return true, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(c.target.namespaceSelector)
	if err != nil {
		return c.selectorError("namespaceSelector", path, apierrors.NewInternalError(err))
	}
	if selector.Empty() {
		c.add(report.MatchTest{Kind: "namespaceSelector", Path: path, Matched: true, Has: "an empty selector, which selects everything"})
		return true, nil
	}
	namespaceLabels, who, err := c.namespaceLabels()
	if err != nil {
		return c.selectorError("namespaceSelector", path, err)
	}
	test := report.MatchTest{Kind: "namespaceSelector", Path: path, Labels: namespaceLabels,
		Matched: selector.Matches(labels.Set(namespaceLabels))}
	test.Assumed = c.assumedNamespace() && asksLabels(selector)
	if !test.Matched {
		all := failing(c.target.namespaceSelector, namespaceLabels)
		failed := all[0]
		test.Assumed = test.Assumed && failed.key != nameLabel
		test.Failed, test.Wants = path+failed.path, failed.wants
		test.Has = who + " " + failed.has
		reason := fmt.Sprintf("namespaceSelector wants %s, but %s", test.Wants, test.Has)
		if test.Assumed {
			reason = fmt.Sprintf("namespaceSelector wants %s, but the scenario has no Namespace %s, which is assumed to have no label but kubernetes.io/metadata.name", test.Wants, c.request.Namespace)
		}
		c.decide(test.Failed, reason)
		c.otherRequirements("namespaceSelector", who, all)
	}
	c.add(test)
	return test.Matched, nil
}

// assumedNamespace reports whether the labels belong to a Namespace that the text lacks.
func (c *comparison) assumedNamespace() bool {
	return c.request.Resource.Resource != "namespaces" && c.matcher.namespaces.Assumed(c.request.Namespace)
}

// asksLabels reports whether a selector uses a label other than the one that every Namespace has.
func asksLabels(s labels.Selector) bool {
	requirements, _ := s.Requirements()
	return slices.ContainsFunc(requirements, func(r labels.Requirement) bool { return r.Key() != nameLabel })
}

// namespaceLabels returns the labels for the namespaceSelector, and their owner. A request that
// writes a Namespace is compared by the labels that it writes, every other request by the stored
// Namespace's.
func (c *comparison) namespaceLabels() (found map[string]string, who string, err error) {
	r := c.request
	writes := r.Operation == "CREATE" || r.Operation == "UPDATE"
	if r.Resource.Resource == "namespaces" && r.SubResource == "" && writes {
		objectLabels, ok := labelsOf(r.Object, r.Operation)
		if !ok {
			return nil, "", apierrors.NewInternalError(errNoMetadata)
		}
		return objectLabels, "the namespace in the request", nil
	}
	if r.Namespace == "" {
		return nil, "", apierrors.NewInternalError(errEmptyName)
	}
	stored, ok := c.matcher.namespaces.Labels(r.Namespace)
	if !ok {
		return nil, "", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, r.Namespace)
	}
	return stored, "namespace " + r.Namespace, nil
}

// objectSelector applies the objectSelector to the object and the old object. One match is enough
// (semantics §4.5).
func (c *comparison) objectSelector() (bool, error) {
	path := c.target.names.objectSelector
	selector, err := metav1.LabelSelectorAsSelector(c.target.objectSelector)
	if err != nil {
		return c.selectorError("objectSelector", path, apierrors.NewInternalError(err))
	}
	if selector.Empty() {
		c.add(report.MatchTest{Kind: "objectSelector", Path: path, Matched: true, Has: "an empty selector, which selects everything"})
		return true, nil
	}
	var failures []report.MatchTest
	var who string
	var all []requirement // of the first of the two
	for _, side := range []struct {
		who    string
		object map[string]any
	}{{"the object", c.request.Object}, {"the old object", c.request.OldObject}} {
		objectLabels, ok := labelsOf(side.object, c.request.Operation)
		if !ok {
			continue
		}
		test := report.MatchTest{Kind: "objectSelector", Path: path, Labels: objectLabels}
		if test.Matched = selector.Matches(labels.Set(objectLabels)); test.Matched {
			test.Has = side.who
			c.add(test)
			return true, nil
		}
		own := failing(c.target.objectSelector, objectLabels)
		failed := own[0]
		if all == nil {
			who, all = side.who, own
		}
		test.Failed, test.Wants, test.Has = path+failed.path, failed.wants, side.who+" "+failed.has
		c.add(test)
		failures = append(failures, test)
	}
	if c.decideObjectSelector(path, failures); all != nil {
		c.otherRequirements("objectSelector", who, all)
	}
	return false, nil
}

// decideObjectSelector writes the reason why an objectSelector matches neither the object nor the
// old object.
func (c *comparison) decideObjectSelector(path string, failures []report.MatchTest) {
	if len(failures) == 0 {
		test := report.MatchTest{Kind: "objectSelector", Path: path, Failed: path, Has: "no object with labels"}
		c.add(test)
		c.decide(path, "objectSelector selects by labels, but the request has "+test.Has)
		return
	}
	var parts []string
	for i, test := range failures {
		if i > 0 && test.Wants == failures[0].Wants {
			parts = append(parts, test.Has)
			continue
		}
		parts = append(parts, fmt.Sprintf("wants %s, but %s", test.Wants, test.Has))
	}
	c.decide(failures[0].Failed, "objectSelector "+strings.Join(parts, " and "))
}

// selectorError records an invalid selector.
func (c *comparison) selectorError(kind, path string, err error) (bool, error) {
	c.add(report.MatchTest{Kind: kind, Path: path, Failed: path, Error: err.Error()})
	return false, err
}

// requirement is one of a selector's that the labels do not meet.
type requirement struct {
	path       string // relative to the selector: .matchLabels[env]
	key        string // of the label
	wants, has string
}

// failing are the requirements that the labels do not meet, at least one. The selector is valid and does
// not match.
func failing(selector *metav1.LabelSelector, set map[string]string) (all []requirement) {
	if selector == nil {
		return []requirement{{wants: "nothing, because it is missing", has: "is never selected"}}
	}
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		want := selector.MatchLabels[key]
		if have, ok := set[key]; !ok || have != want {
			all = append(all, requirement{".matchLabels[" + key + "]", key, key + "=" + want, describe(set, key)})
		}
	}
	for i := range selector.MatchExpressions {
		if key, wants := selector.MatchExpressions[i].Key, unmet(&selector.MatchExpressions[i], set); wants != "" {
			all = append(all, requirement{fmt.Sprintf(".matchExpressions[%d]", i), key, wants, describe(set, key)})
		}
	}
	if len(all) == 0 { // unreachable for a valid selector that does not match
		return []requirement{{wants: "other labels", has: "does not match"}}
	}
	return all
}

// unmet is what an expression of a selector wants that the labels do not have; empty if they have it.
func unmet(expression *metav1.LabelSelectorRequirement, set map[string]string) string {
	have, ok := set[expression.Key]
	listed := slices.Contains(expression.Values, have)
	values := "(" + strings.Join(expression.Values, ", ") + ")"
	switch expression.Operator {
	case metav1.LabelSelectorOpIn:
		if !ok || !listed {
			return expression.Key + " in " + values
		}
	case metav1.LabelSelectorOpNotIn:
		if ok && listed {
			return expression.Key + " not in " + values
		}
	case metav1.LabelSelectorOpExists:
		if !ok {
			return "a label " + expression.Key
		}
	case metav1.LabelSelectorOpDoesNotExist:
		if ok {
			return "no label " + expression.Key
		}
	}
	return ""
}

// describe says which value a label has.
func describe(set map[string]string, key string) string {
	if value, ok := set[key]; ok {
		return "has " + key + "=" + value
	}
	return "has no label " + key
}
