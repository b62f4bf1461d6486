package collect

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/source"
)

// params adds the params that bindings name, of their policies' kinds.
func (c *collector) params(r Request) {
	for _, binding := range c.out.policies {
		kind, _ := binding["kind"].(string)
		ref, found, _ := unstructured.NestedMap(binding, "spec", "paramRef")
		if !found {
			continue
		}
		policy, _, _ := unstructured.NestedString(binding, "spec", "policyName")
		paramKind, ok := c.paramKind(kind[:len(kind)-len("Binding")], policy)
		if !ok {
			continue
		}
		mapping, err := c.from.Mapping(paramKind.GroupKind(), paramKind.Version)
		if err != nil {
			c.out.assume(fmt.Sprintf("there are no params of kind %s", paramKind), "the server does not have it: "+err.Error())
			continue
		}
		c.definition(mapping.Resource.GroupResource())
		c.named(mapping, ref, r)
	}
}

// paramKind returns the kind of a policy's params.
func (c *collector) paramKind(kind, name string) (schema.GroupVersionKind, bool) {
	i := slices.IndexFunc(c.out.policies, func(o source.Object) bool {
		return o["kind"] == kind && (&unstructured.Unstructured{Object: o}).GetName() == name
	})
	if i < 0 {
		return schema.GroupVersionKind{}, false
	}
	ref, found, _ := unstructured.NestedStringMap(c.out.policies[i], "spec", "paramKind")
	return schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]), found
}

// named adds the params that one paramRef selects for the request.
func (c *collector) named(mapping *meta.RESTMapping, ref map[string]any, r Request) {
	namespace, _ := ref["namespace"].(string)
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = ""
	} else if namespace == "" {
		if namespace = r.Namespace; namespace == "" {
			return // the server rejects such a request in any case
		}
	}
	kind := mapping.GroupVersionKind.GroupKind()
	name, _ := ref["name"].(string)
	if source.IsSecret(kind) {
		c.secret(namespace, name)
		return
	}
	if name != "" {
		c.add(c.from.Get(c.ctx, kind, namespace, name))
		return
	}
	raw, _ := ref["selector"].(map[string]any)
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
		c.out.assume("the selector of params selects nothing", err.Error())
		return
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		c.out.assume("the selector of params selects nothing", err.Error())
		return
	}
	for _, o := range c.from.List(c.ctx, kind, namespace, parsed.String()) {
		c.add(o)
	}
}

// secret adds the name of a Secret that is a param, without reading it.
func (c *collector) secret(namespace, name string) {
	if name == "" {
		c.out.assume("no Secret in the namespace "+namespace+" is a param", "Secrets are not read, so a selector finds none")
		return
	}
	c.add(source.Object{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": namespace}})
	c.out.assume(fmt.Sprintf("the Secret %s/%s exists and is empty", namespace, name), "it is a param of a policy, and Secrets are not read")
}
