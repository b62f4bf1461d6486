package keep

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/source"
)

const group = "admissionregistration.k8s.io"

var (
	namespaces  = schema.GroupKind{Kind: "Namespace"}
	definitions = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	policyKinds = []schema.GroupKind{
		{Group: group, Kind: "MutatingAdmissionPolicy"}, {Group: group, Kind: "MutatingAdmissionPolicyBinding"},
		{Group: group, Kind: "ValidatingAdmissionPolicy"}, {Group: group, Kind: "ValidatingAdmissionPolicyBinding"},
	}
	rightKinds = []schema.GroupKind{
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, {Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
		{Group: "rbac.authorization.k8s.io", Kind: "Role"}, {Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
	}
)

// needed returns the kinds that policies use besides namespaces and definitions: params, except
// Secrets, and roles if an expression uses an authorizer.
func (k *Keeper) needed(policies []source.Object) []schema.GroupKind {
	var out []schema.GroupKind
	rights := false
	for _, o := range policies {
		rights = rights || collect.Mentions(o, "authorizer")
		kind, found := paramKind(o)
		switch {
		case !found || slices.Contains(out, kind):
		case source.IsSecret(kind):
			k.once("Secrets are not watched: policies that have them as params find none")
		default:
			out = append(out, kind)
		}
	}
	if rights {
		out = append(out, rightKinds...)
	}
	return out
}

func paramKind(policy source.Object) (schema.GroupKind, bool) {
	ref, found, _ := unstructured.NestedStringMap(policy, "spec", "paramKind")
	return schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind(), found
}

// looked returns the cluster objects that policies use. Of the params, these are only those that a
// binding can select.
func (k *Keeper) looked(policies []source.Object) []source.Object {
	out := append(k.objects(namespaces), k.objects(definitions)...)
	for _, kind := range k.needed(policies) {
		for _, o := range k.objects(kind) {
			if slices.Contains(rightKinds, kind) || meant(o, kind, policies) {
				out = append(out, o)
			}
		}
	}
	return out
}

// meant reports whether a binding for a policy with this kind of params can select an object.
func meant(o source.Object, kind schema.GroupKind, policies []source.Object) bool {
	u := unstructured.Unstructured{Object: o}
	return slices.ContainsFunc(policies, func(b source.Object) bool {
		ref, found, _ := unstructured.NestedMap(b, "spec", "paramRef")
		if !found || !paramsOf(b, kind, policies) {
			return false
		}
		if namespace, _ := ref["namespace"].(string); namespace != "" && namespace != u.GetNamespace() {
			return false
		}
		if name, _ := ref["name"].(string); name != "" {
			return name == u.GetName()
		}
		raw, _ := ref["selector"].(map[string]any)
		var selector metav1.LabelSelector
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
			return false
		}
		parsed, err := metav1.LabelSelectorAsSelector(&selector)
		return err == nil && parsed.Matches(labels.Set(u.GetLabels()))
	})
}

// paramsOf reports whether a binding's policy has this kind of params.
func paramsOf(binding source.Object, kind schema.GroupKind, policies []source.Object) bool {
	name, _, _ := unstructured.NestedString(binding, "spec", "policyName")
	return slices.ContainsFunc(policies, func(p source.Object) bool {
		own, _ := p["kind"].(string)
		has, found := paramKind(p)
		return found && has == kind && binding["kind"] == own+"Binding" && (&unstructured.Unstructured{Object: p}).GetName() == name
	})
}
