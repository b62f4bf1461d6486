package match

import (
	"maps"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

func selector(labels map[string]string, expressions ...metav1.LabelSelectorRequirement) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: labels, MatchExpressions: expressions}
}

func TestNamespaceSelector(t *testing.T) {
	prod := selector(map[string]string{"env": "prod"})
	onNamespace := func(operation, sub string) *Request {
		return &Request{Kind: gvk("v1", "Namespace"), Resource: namespacesResource, SubResource: sub, Name: "prod", Namespace: "prod",
			Operation: operation, Object: withLabels("env", "dev"), OldObject: withLabels("env", "prod")}
	}
	other := func(namespace string) *Request {
		r := pod()
		r.Namespace = namespace
		return r
	}
	node := &Request{Kind: gvk("v1", "Node"), Resource: gvr("v1", "nodes"), Operation: "CREATE", Object: withLabels()}
	tests := []struct {
		name     string
		request  *Request
		selector *metav1.LabelSelector
		matched  bool
		reason   string
		path     string
	}{
		{"label differs", other("default"), prod, false, "namespaceSelector wants env=prod, but namespace default has env=dev", "matchLabels[env]"},
		{"label matches", other("prod"), prod, true, "rules[0] matches", ""},
		{"no labels", other("bare"), prod, false, "namespaceSelector wants env=prod, but namespace bare has no label env", "matchLabels[env]"},
		{"cluster-scoped", node, prod, true, "rules[0] matches", ""},
		{"missing selector", other("prod"), nil, false, "namespaceSelector wants nothing, because it is missing, but namespace prod is never selected", ""},
		{"namespace created", onNamespace("CREATE", ""), prod, false, "namespaceSelector wants env=prod, but the namespace in the request has env=dev", "matchLabels[env]"},
		{"namespace updated", onNamespace("UPDATE", ""), prod, false, "namespaceSelector wants env=prod, but the namespace in the request has env=dev", "matchLabels[env]"},
		{"namespace deleted", onNamespace("DELETE", ""), prod, true, "rules[0] matches", ""},
		{"namespace finalized", onNamespace("UPDATE", "finalize"), prod, true, "rules[0] matches", ""},
		{"in", other("default"), selector(nil, metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpIn, Values: []string{"prod", "test"}}),
			false, "namespaceSelector wants env in (prod, test), but namespace default has env=dev", "matchExpressions[0]"},
		{"in, without the label", other("bare"), selector(nil, metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpIn, Values: []string{"prod", ""}}),
			false, "namespaceSelector wants env in (prod, ), but namespace bare has no label env", "matchExpressions[0]"},
		{"not in, which holds, and exists", other("default"), selector(nil,
			metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"prod"}},
			metav1.LabelSelectorRequirement{Key: "a", Operator: metav1.LabelSelectorOpExists}),
			false, "namespaceSelector wants a label a, but namespace default has no label a", "matchExpressions[1]"},
		{"not in, without the label, and exists", other("bare"), selector(nil,
			metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpNotIn, Values: []string{""}},
			metav1.LabelSelectorRequirement{Key: "a", Operator: metav1.LabelSelectorOpExists}),
			false, "namespaceSelector wants a label a, but namespace bare has no label a", "matchExpressions[1]"},
		{"not in", other("default"), selector(nil,
			metav1.LabelSelectorRequirement{Key: "a", Operator: metav1.LabelSelectorOpDoesNotExist},
			metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"dev"}}),
			false, "namespaceSelector wants env not in (dev), but namespace default has env=dev", "matchExpressions[1]"},
		{"exists", other("default"), selector(nil, metav1.LabelSelectorRequirement{Key: "guard", Operator: metav1.LabelSelectorOpExists}),
			false, "namespaceSelector wants a label guard, but namespace default has no label guard", "matchExpressions[0]"},
		{"does not exist", other("default"), selector(nil, metav1.LabelSelectorRequirement{Key: "env", Operator: metav1.LabelSelectorOpDoesNotExist}),
			false, "namespaceSelector wants no label env, but namespace default has env=dev", "matchExpressions[0]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hook := Webhook{Rules: []v1.RuleWithOperations{rule("*", "*", "*", "*/*").RuleWithOperations},
				NamespaceSelector: test.selector, ObjectSelector: &metav1.LabelSelector{}}
			got := matcher(t, "1.37").Webhook(test.request, &hook, "webhooks[2]")
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if got.Matched != test.matched || got.Why.Reason != test.reason {
				t.Errorf("matched = %v, reason %q", got.Matched, got.Why.Reason)
			}
			want := "webhooks[2].namespaceSelector"
			if test.path != "" {
				want += "." + test.path
			}
			if !test.matched && got.Why.Path != want {
				t.Errorf("path %q, want %q", got.Why.Path, want)
			}
		})
	}
}

// TestNamespaceSelectorWithoutName covers a foreign resource that is also called namespaces: the
// server only looks at the resource's name.
func TestNamespaceSelectorWithoutName(t *testing.T) {
	request := &Request{Kind: gvk("example.com/v1", "Namespace"), Resource: gvr("example.com/v1", "namespaces"), Operation: "DELETE"}
	constraints := constraints(rule("*", "*", "*", "*"))
	constraints.NamespaceSelector = selector(map[string]string{"env": "prod"})
	got := matcher(t, "1.37").Policy(request, constraints)
	if got.Err == nil || got.Err.Error() != "Internal error occurred: resource name may not be empty" {
		t.Errorf("error %v", got.Err)
	}
	request.Operation = "CREATE"
	got = matcher(t, "1.37").Policy(request, constraints)
	if got.Err == nil || got.Err.Error() != "Internal error occurred: object does not implement the Object interfaces" {
		t.Errorf("error %v", got.Err)
	}
}

func TestObjectSelector(t *testing.T) {
	on := map[string]string{"guard": "on"}
	tests := []struct {
		name             string
		operation        string
		object, old      map[string]any
		selector         *metav1.LabelSelector
		matched          bool
		reason, lastPath string
	}{
		{"object", "UPDATE", withLabels("guard", "on"), withLabels(), selector(on), true, "resourceRules[0] matches", ""},
		{"old object only", "UPDATE", withLabels(), withLabels("guard", "on"), selector(on), true, "resourceRules[0] matches; objectSelector selects only the old object", ""},
		{"deleted object", "DELETE", nil, withLabels("guard", "on"), selector(on), true, "resourceRules[0] matches", ""},
		{"neither", "UPDATE", withLabels("guard", "off"), withLabels(), selector(on), false,
			"objectSelector wants guard=on, but the object has guard=off and the old object has no label guard", "matchLabels[guard]"},
		{"neither, for different reasons", "UPDATE", withLabels("a", "1"), withLabels("b", "1"), selector(map[string]string{"a": "1", "b": "1"}), false,
			"objectSelector wants b=1, but the object has no label b and wants a=1, but the old object has no label a", "matchLabels[b]"},
		{"created object", "CREATE", withLabels(), nil, selector(on), false, "objectSelector wants guard=on, but the object has no label guard", "matchLabels[guard]"},
		{"options have no metadata", "CONNECT", map[string]any{"container": "c"}, nil,
			selector(nil, metav1.LabelSelectorRequirement{Key: "guard", Operator: metav1.LabelSelectorOpDoesNotExist}), false,
			"objectSelector selects by labels, but the request has no object with labels", ""},
		{"options, empty selector", "CONNECT", map[string]any{"container": "c"}, nil, selector(nil), true, "resourceRules[0] matches", ""},
		{"null label is an empty one", "CREATE", map[string]any{"metadata": map[string]any{"labels": map[string]any{"guard": nil}}}, nil,
			selector(map[string]string{"guard": ""}), true, "resourceRules[0] matches", ""},
		{"one bad label hides all", "CREATE", map[string]any{"metadata": map[string]any{"labels": map[string]any{"guard": "on", "n": int64(1)}}}, nil,
			selector(on), false, "objectSelector wants guard=on, but the object has no label guard", "matchLabels[guard]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resources := constraints(rule("*", "*", "*", "*"))
			resources.ObjectSelector = test.selector
			request := pod(func(r *Request) { r.Operation, r.Object, r.OldObject = test.operation, test.object, test.old })
			got := matcher(t, "1.37").Binding(request, resources)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if got.Matched != test.matched || got.Why.Reason != test.reason {
				t.Errorf("matched = %v, reason %q", got.Matched, got.Why.Reason)
			}
			want := "spec.matchResources.objectSelector"
			if test.lastPath != "" {
				want += "." + test.lastPath
			}
			if !test.matched && got.Why.Path != want {
				t.Errorf("path %q, want %q", got.Why.Path, want)
			}
		})
	}
}

// assuming are Namespaces that no text has.
type assuming struct{ namespaces }

func (assuming) Assumed(string) bool { return true }

// TestAssumedLabels: a result that depends on an assumed Namespace's labels says so. The name label
// is known, because every Namespace has it.
func TestAssumedLabels(t *testing.T) {
	for _, c := range []struct {
		name     string
		selector *metav1.LabelSelector
		request  *Request
		assumed  bool
		reason   string
	}{
		{"another label", selector(map[string]string{"a": "b"}), pod(), true, "namespaceSelector wants a=b, but the scenario has no Namespace default, which is assumed to have no label but kubernetes.io/metadata.name"},
		{"its name", selector(map[string]string{nameLabel: "default"}), pod(), false, "resourceRules[0] matches"},
		{"another name", selector(map[string]string{nameLabel: "prod"}), pod(), false, "namespaceSelector wants kubernetes.io/metadata.name=prod, but namespace default has kubernetes.io/metadata.name=default"},
		{"no label, which holds", selector(nil, metav1.LabelSelectorRequirement{Key: "a", Operator: metav1.LabelSelectorOpDoesNotExist}), pod(), true, "resourceRules[0] matches"},
		{"a Namespace itself", selector(map[string]string{"a": "b"}), &Request{Kind: gvk("v1", "Namespace"), Resource: namespacesResource, Name: "default", Namespace: "default", Operation: "CREATE", Object: withLabels()}, false,
			"namespaceSelector wants a=b, but the namespace in the request has no label a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resources := constraints(rule("*", "*", "*", "*"))
			resources.NamespaceSelector = c.selector
			why := New(version.MustParse("1.37"), catalog{}, assuming{stored}).Policy(c.request, resources).Why
			if got := why.Tests[0]; got.Kind != "namespaceSelector" || got.Assumed != c.assumed || why.Reason != c.reason {
				t.Errorf("%s, assumed: %t; %+v", why.Reason, got.Assumed, got)
			}
		})
	}
}

func TestTraceShowsLabels(t *testing.T) {
	resources := constraints(rule("*", "*", "*", "*"))
	resources.NamespaceSelector = selector(map[string]string{"env": "dev"})
	resources.ObjectSelector = selector(map[string]string{"app": "web"})
	got := matcher(t, "1.37").Policy(pod(), resources)
	if len(got.Why.Tests) != 3 {
		t.Fatalf("%d tests: %+v", len(got.Why.Tests), got.Why.Tests)
	}
	if namespace := got.Why.Tests[0]; !maps.Equal(namespace.Labels, stored["default"]) || !namespace.Matched {
		t.Errorf("namespace test %+v", namespace)
	}
	if object := got.Why.Tests[1]; !maps.Equal(object.Labels, map[string]string{"app": "web"}) || !object.Matched {
		t.Errorf("object test %+v", object)
	}
	if r := got.Why.Tests[2]; r.Kind != "rule" || r.Path != "spec.matchConstraints.resourceRules[0]" || !r.Matched {
		t.Errorf("rule test %+v", r)
	}
}
