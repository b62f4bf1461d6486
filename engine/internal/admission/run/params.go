package run

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/report"
)

// unknownParamKind is the configuration error of a policy whose paramKind the
// server does not serve.
func (c *Chain) unknownParamKind(p *Policy) error {
	if p.ParamKind == nil {
		return nil
	}
	gvk := paramGVK(p.ParamKind)
	if _, ok := c.Catalog.ResourceForKind(gvk); ok {
		return nil
	}
	return fmt.Errorf("failed to find resource referenced by paramKind: '%v'", gvk)
}

func paramGVK(k *v1.ParamKind) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)
}

// MissingParam is what a paramRef asks for and the cluster does not have.
type MissingParam struct {
	Kind schema.GroupVersionKind
	// Namespace is empty for a param of the whole cluster, Name where the
	// reference has a selector instead.
	Namespace, Name string
	Selector        *metav1.LabelSelector
	// Step is that of the binding.
	Step *report.Step
}

// noteMissing keeps that a step found no param; nil where that was not the matter.
func (c *Chain) noteMissing(m *MissingParam, step *report.Step) {
	if m != nil {
		m.Step = step
		c.MissingParams = append(c.MissingParams, *m)
	}
}

// params collects the params of a binding (semantics §5.3). A single nil means
// one evaluation without a param. missing is set where the reference finds none.
func (c *Chain) params(p *Policy, b *Binding, missing **MissingParam) ([]*cluster.Object, error) {
	ref := b.ParamRef
	if p.ParamKind == nil || ref == nil {
		return []*cluster.Object{nil}, nil
	}
	gvk := paramGVK(p.ParamKind)
	resource, ok := c.Catalog.ResourceForKind(gvk)
	if !ok {
		return nil, fmt.Errorf("paramKind kind `%v` not known", p.ParamKind)
	}
	namespace := ""
	if resource.Namespaced {
		if namespace = ref.Namespace; namespace == "" {
			namespace = c.Attributes.Namespace
		}
		if namespace == "" {
			return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
		}
	} else if ref.Namespace != "" {
		return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	}
	found, err := c.find(gvk, namespace, ref)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		*missing = &MissingParam{Kind: gvk, Namespace: namespace, Name: ref.Name, Selector: ref.Selector}
	}
	if len(found) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == v1.DenyAction {
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return found, nil
}

func (c *Chain) find(gvk schema.GroupVersionKind, namespace string, ref *v1.ParamRef) ([]*cluster.Object, error) {
	switch {
	case ref.Name != "":
		if ref.Selector != nil {
			return nil, errors.New("paramRef.name and paramRef.selector are mutually exclusive")
		}
		o, ok := c.Cluster.Get(gvk.GroupKind(), namespace, ref.Name)
		if !ok {
			return nil, nil
		}
		return c.asParams(gvk, o)
	case ref.Selector != nil:
		selector, err := metav1.LabelSelectorAsSelector(ref.Selector)
		if err != nil {
			return nil, err
		}
		return c.asParams(gvk, c.selectParams(gvk, namespace, selector)...)
	}
	return nil, errors.New("one of name or selector must be provided")
}

func (c *Chain) selectParams(gvk schema.GroupVersionKind, namespace string, selector labels.Selector) []cluster.Object {
	return c.Cluster.List(gvk.GroupKind(), namespace, selector)
}

// asParams converts stored objects to the version of the paramKind.
func (c *Chain) asParams(gvk schema.GroupVersionKind, objects ...cluster.Object) ([]*cluster.Object, error) {
	var out []*cluster.Object
	for _, o := range objects {
		if o.GVK != gvk {
			value, err := c.Catalog.Convert(o.Value, o.GVK, gvk)
			if err != nil {
				return nil, err
			}
			o.GVK, o.Value = gvk, value
		}
		out = append(out, &o)
	}
	return out, nil
}

// FirstParam returns the first param that any binding of the policy finds, nil
// when there is none.
func (c *Chain) FirstParam(p *Policy) map[string]any {
	for i := range p.Bindings {
		// Errors are reported where the policy is evaluated.
		if params, err := c.params(p, &p.Bindings[i], new(*MissingParam)); err == nil && len(params) > 0 && params[0] != nil {
			return params[0].Value
		}
	}
	return nil
}
