package lint

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// requirement is what a selector demands of one label.
type requirement outcomes.TextSet

func requirements(s *metav1.LabelSelector) map[string]requirement {
	out := map[string]requirement{}
	if s == nil {
		return out
	}
	in := func(key string, values []string) {
		r := out[key]
		r.Exists = true
		if r.In == nil {
			r.In = slices.Clone(values)
		} else {
			r.In = slices.DeleteFunc(slices.Clone(r.In), func(v string) bool { return !slices.Contains(values, v) })
		}
		out[key] = r
	}
	for key, value := range s.MatchLabels {
		in(key, []string{value})
	}
	for _, e := range s.MatchExpressions {
		r := out[e.Key]
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			in(e.Key, e.Values)
			continue
		case metav1.LabelSelectorOpNotIn:
			r.NotIn = append(r.NotIn, e.Values...)
		case metav1.LabelSelectorOpExists:
			r.Exists = true
		case metav1.LabelSelectorOpDoesNotExist:
			r.Missing = true
		}
		out[e.Key] = r
	}
	return out
}

// join adds a requirement to what is known of a text.
func (r requirement) join(texts map[string]outcomes.TextSet, name string) {
	known := requirement(texts[name])
	texts[name] = outcomes.TextSet(known.and(r))
}

func (r requirement) and(other requirement) requirement {
	out := requirement{NotIn: slices.Concat(r.NotIn, other.NotIn), Exists: r.Exists || other.Exists, Missing: r.Missing || other.Missing, In: r.In}
	switch {
	case r.In == nil:
		out.In = other.In
	case other.In != nil:
		out.In = slices.DeleteFunc(slices.Clone(r.In), func(v string) bool { return !slices.Contains(other.In, v) })
	}
	return out
}

// of writes the requirement of a label as kubectl's selectors do.
func (r requirement) of(key string) string {
	switch {
	case len(r.In) == 1:
		return key + "=" + r.In[0]
	case len(r.In) > 1:
		return key + " in (" + strings.Join(r.In, ", ") + ")"
	case r.Missing:
		return "!" + key
	case len(r.NotIn) > 0:
		return key + " notin (" + strings.Join(r.NotIn, ", ") + ")"
	}
	return key
}

// impossible reports whether no label meets the requirement.
func (r requirement) impossible() bool {
	if r.Exists && r.Missing {
		return true
	}
	return r.In != nil && !slices.ContainsFunc(r.In, func(v string) bool { return !slices.Contains(r.NotIn, v) })
}

// contradiction is a label of which several selectors together demand what cannot be.
func contradiction(selectors ...*metav1.LabelSelector) string {
	all := map[string]requirement{}
	for _, s := range selectors {
		for key, r := range requirements(s) {
			all[key] = all[key].and(r)
		}
	}
	var found []string
	for key, r := range all {
		if r.impossible() {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// contradictorySelectors finds selectors that select nothing.
func contradictorySelectors(p *policy) {
	look := func(d *scenario.Document, path string, s *metav1.LabelSelector, what string) {
		if key := contradiction(s); key != "" {
			p.report(d, codes.ContradictorySelector, diag.Warning, path, "no "+what+" meets all requirements for the label "+key,
				"A selector matches only if all its requirements hold. For an alternative, write another binding or webhook.")
		}
	}
	look(p.document, p.matchField+"namespaceSelector", p.match.NamespaceSelector, "namespace")
	look(p.document, p.matchField+"objectSelector", p.match.ObjectSelector, "object")
	for _, b := range p.bindings {
		if b.match != nil {
			look(b.document, "spec.matchResources.namespaceSelector", b.match.NamespaceSelector, "namespace")
			look(b.document, "spec.matchResources.objectSelector", b.match.ObjectSelector, "object")
		}
	}
}
