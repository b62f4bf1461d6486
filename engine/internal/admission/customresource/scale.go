package customresource

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// scale checks an update through the scale subresource: the server sets the
// number of replicas in the custom resource and validates that as updated.
//
// The request has only Scales. Where the cluster text has no such custom
// resource, one is put together from the Scale: then nothing is missing from it,
// and a rule that fails because a field is not there says nothing.
func (s *stage) scale() (Result, string) {
	a := &s.Attributes
	name := untyped.At[string](a.Object, "metadata", "name")
	if name == "" {
		name = a.Name
	}
	stored, found := s.stored(name)
	if !found {
		stored = s.madeUp(name)
		s.NotSimulated(fmt.Sprintf("The scenario's cluster has no %s %s. For this scale request it is assumed to be valid, and its rules see only the Scale's numbers.", s.resource.Kind.Kind, name))
	}
	old := stored
	if replicas, ok, _ := unstructured.NestedInt64(a.OldObject, "spec", "replicas"); ok && !found {
		_ = unstructured.SetNestedField(old, replicas, replicasPath(s.resource.scale.SpecReplicasPath)...)
	}
	object := runtime.DeepCopyJSON(old)
	replicas, _, _ := unstructured.NestedInt64(a.Object, "spec", "replicas")
	if err := unstructured.SetNestedField(object, replicas, replicasPath(s.resource.scale.SpecReplicasPath)...); err != nil {
		s.NotSimulated(fmt.Sprintf("%s %s has no place for %s.", s.resource.Kind.Kind, name, s.resource.scale.SpecReplicasPath))
		return Result{}, name
	}
	if found {
		return s.resource.Update(s.Evaluator, object, old, s.visit), name
	}
	unknown := map[*field.Error]bool{}
	result := s.resource.Update(s.Evaluator, object, old, func(v rules.Visit) {
		if v.Result.CELErr != "" {
			unknown[v.Error] = true
			return
		}
		s.visit(v)
	})
	result.Errors = slices.DeleteFunc(result.Errors, func(err *field.Error) bool { return unknown[err] || err.Type == field.ErrorTypeRequired })
	if len(result.Errors) == 1 && result.Blocked { // what blocks the rules is what is missing
		result.Errors, result.Blocked = nil, false
	}
	return result, name
}

// stored is the custom resource in the cluster.
func (s *stage) stored(name string) (map[string]any, bool) {
	namespace := ""
	if s.resource.namespaced {
		namespace = s.Attributes.Namespace
	}
	o, ok := s.Cluster.Get(s.resource.Kind.GroupKind(), namespace, name)
	if !ok {
		return nil, false
	}
	value := runtime.DeepCopyJSON(o.Value)
	value["apiVersion"] = s.resource.Kind.GroupVersion().String()
	return value, true
}

// madeUp is a custom resource with what the old Scale says of it.
func (s *stage) madeUp(name string) map[string]any {
	out := map[string]any{"metadata": map[string]any{"name": name, "resourceVersion": "1"}}
	out["apiVersion"], out["kind"] = s.resource.Kind.ToAPIVersionAndKind()
	if s.Attributes.Namespace != "" {
		out["metadata"].(map[string]any)["namespace"] = s.Attributes.Namespace
	}
	if replicas, ok, _ := unstructured.NestedInt64(s.Attributes.OldObject, "status", "replicas"); ok {
		_ = unstructured.SetNestedField(out, replicas, replicasPath(s.resource.scale.StatusReplicasPath)...)
	}
	if selector, ok, _ := unstructured.NestedString(s.Attributes.OldObject, "status", "selector"); ok && selector != "" && s.resource.scale.LabelSelectorPath != nil {
		_ = unstructured.SetNestedField(out, selector, replicasPath(*s.resource.scale.LabelSelectorPath)...)
	}
	return out
}
