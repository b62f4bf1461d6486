package ask

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/scenario"
)

// nameLabel is the label that the server gives a Namespace.
const nameLabel = "kubernetes.io/metadata.name"

// selectors are what a policy and one of its bindings require of the labels of Namespaces and of objects.
type selectors struct{ namespaces, objects labels.Requirements }

// selectorsOf returns those of each binding of a policy, each once; those of the policy alone if it has none.
func selectorsOf(policy *scenario.Document, all []*scenario.Document) (out []selectors) {
	said := map[string]bool{}
	add := func(bindings ...any) {
		var one selectors
		for _, value := range append(bindings, at(policy, "spec.matchConstraints")) {
			var m v1.MatchResources
			if raw, err := json.Marshal(value); err == nil && json.Unmarshal(raw, &m) == nil {
				one.namespaces = append(one.namespaces, requirements(m.NamespaceSelector)...)
				one.objects = append(one.objects, requirements(m.ObjectSelector)...)
			}
		}
		if key := fmt.Sprint(one.namespaces, "/", one.objects); !said[key] {
			said[key] = true
			out = append(out, one)
		}
	}
	for _, b := range all {
		if b.Kind == policy.Kind+"Binding" && at(b, "spec.policyName") == policy.Name {
			add(at(b, "spec.matchResources"))
		}
	}
	if out == nil {
		add()
	}
	return out
}

func requirements(s *metav1.LabelSelector) labels.Requirements {
	of, err := metav1.LabelSelectorAsSelector(s)
	if s == nil || err != nil {
		return nil
	}
	list, _ := of.Requirements()
	return list
}

// labelled returns labels with what the requirements want of them, as few as possible; nil if no labels meet
// all requirements.
func labelled(have map[string]string, wanted labels.Requirements) map[string]string {
	out := map[string]string{}
	maps.Copy(out, have)
	for _, r := range wanted {
		if r.Matches(labels.Set(out)) {
			continue
		}
		values := []string{"example", "other"}
		for _, other := range wanted {
			if other.Key() == r.Key() {
				values = append(other.ValuesUnsorted(), values...)
			}
		}
		slices.Sort(values)
		if delete(out, r.Key()); meets(out, r.Key(), wanted) {
			continue
		}
		i := slices.IndexFunc(values, func(value string) bool {
			out[r.Key()] = value
			return meets(out, r.Key(), wanted)
		})
		if i < 0 {
			return nil
		}
	}
	return out
}

// meets reports whether labels meet the requirements for a key.
func meets(have map[string]string, key string, wanted labels.Requirements) bool {
	return !slices.ContainsFunc(wanted, func(r labels.Requirement) bool { return r.Key() == key && !r.Matches(labels.Set(have)) })
}

// namespaces are those in which requests are tried: the cluster's, and made ones if only they have the labels that a
// selector wants.
type namespaces struct {
	labels map[string]map[string]string
	made   []string
	fixed  bool // none may be made
}

func newNamespaces(sets []*engine.Configuration) *namespaces {
	n := &namespaces{labels: map[string]map[string]string{"default": {nameLabel: "default"}}}
	for _, c := range sets {
		for _, d := range c.Sources().Documents {
			if d.Kind == "Namespace" && d.Value["apiVersion"] == "v1" {
				n.labels[d.Name] = untyped.Labels(d.Value)
				n.labels[d.Name][nameLabel] = d.Name
			}
		}
	}
	return n
}

// choose returns a Namespace that meets requirements, preferring one; empty if there is none.
func (n *namespaces) choose(preferred string, wanted labels.Requirements) string {
	if n.labels[preferred] == nil { // the server has it, with no other label
		n.labels[preferred] = map[string]string{nameLabel: preferred}
	}
	for _, name := range append([]string{preferred}, slices.Sorted(maps.Keys(n.labels))...) {
		if of := n.labels[name]; of != nil && labels.NewSelector().Add(wanted...).Matches(labels.Set(of)) {
			return name
		}
	}
	for i := range mostNames {
		name := "example"
		if i > 0 {
			name = fmt.Sprint("example-", i+1)
		}
		of := labelled(map[string]string{nameLabel: name}, slices.Concat(named, wanted))
		if name = of[nameLabel]; n.labels[name] != nil || name == "" {
			continue // that one has other labels
		}
		if len(of) > 1 {
			if n.fixed {
				return ""
			}
			n.made = append(n.made, name)
		}
		n.labels[name] = of
		return name
	}
	return ""
}

// mostNames bounds the names that are tried for a made Namespace.
const mostNames = 10

// named is what every Namespace meets.
var named = requirements(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: nameLabel, Operator: metav1.LabelSelectorOpExists}}})

// added is the text of a made Namespace; empty for another one.
func (n *namespaces) added(name string) string {
	if !slices.Contains(n.made, name) {
		return ""
	}
	of := maps.Clone(n.labels[name])
	delete(of, nameLabel)
	return written(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name, "labels": values(of)}})
}

// extend adds the made Namespaces to the cluster of a set.
func (n *namespaces) extend(c *engine.Configuration) *engine.Configuration {
	s := c.Settings()
	for _, name := range n.made {
		s.Cluster += "\n---\n" + n.added(name)
	}
	if extended, _ := engine.Compile(s); extended != nil {
		return extended
	}
	return c
}

// selected gives a request what selectors want, and reports whether that is possible.
func (n *namespaces) selected(r *request, s selectors) bool {
	itself := r.resource.GVR.Group == "" && r.resource.GVR.Resource == "namespaces"
	wanted := s.objects
	if itself { // a selector for Namespaces selects it by its own labels
		wanted = slices.Concat(named, s.objects, s.namespaces)
	}
	for _, metadata := range r.metadata() {
		have := untyped.Labels(map[string]any{"metadata": metadata})
		if itself {
			have[nameLabel], _ = metadata["name"].(string)
		}
		of := labelled(have, wanted)
		if of == nil {
			return false
		}
		if itself {
			metadata["name"] = of[nameLabel]
			delete(of, nameLabel)
		}
		if delete(metadata, "labels"); len(of) > 0 {
			metadata["labels"] = values(of)
		}
	}
	if !r.resource.Namespaced {
		return true
	}
	namespace := n.choose(r.namespace(), s.namespaces)
	if namespace != "" && namespace != r.namespace() {
		r.in(namespace)
	}
	return namespace != ""
}

// values are labels as an object has them.
func values(of map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range of {
		out[key] = value
	}
	return out
}
