package collect

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/cluster/internal/source"
)

// LastApplied is the annotation in which kubectl keeps what it applied.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Tidied is a copy of an object of the cluster without the records of who wrote which
// field, which nothing here looks at.
func Tidied(o source.Object) source.Object {
	out := runtime.DeepCopyJSON(o)
	unstructured.RemoveNestedField(out, "metadata", "managedFields")
	unstructured.RemoveNestedField(out, "metadata", "annotations", LastApplied)
	if a, found, _ := unstructured.NestedMap(out, "metadata", "annotations"); found && len(a) == 0 {
		unstructured.RemoveNestedField(out, "metadata", "annotations")
	}
	return out
}

// AsCreated is an object as its creator may have sent it: without what servers and
// controllers fill in. What policies have changed is still in it.
func AsCreated(o source.Object) source.Object {
	out := runtime.DeepCopyJSON(o)
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		unstructured.RemoveNestedField(out, "metadata", field)
	}
	unstructured.RemoveNestedField(out, "status")
	if out["apiVersion"] == "v1" && out["kind"] == "Pod" {
		unscheduled(out)
	}
	return out
}

// tokenVolume begins the name of the volume that the ServiceAccount plugin adds.
const tokenVolume = "kube-api-access-"

// unscheduled takes out of a Pod its node and the volume of its account.
func unscheduled(pod source.Object) {
	unstructured.RemoveNestedField(pod, "spec", "nodeName")
	without := func(holder map[string]any, list string) {
		items, found, _ := unstructured.NestedSlice(holder, list)
		if !found {
			return
		}
		items = slices.DeleteFunc(items, func(item any) bool {
			m, _ := item.(map[string]any)
			name, _ := m["name"].(string)
			return strings.HasPrefix(name, tokenVolume)
		})
		if len(items) == 0 {
			delete(holder, list)
			return
		}
		holder[list] = items
	}
	spec, _ := pod["spec"].(map[string]any)
	if spec == nil {
		return
	}
	without(spec, "volumes")
	for _, list := range []string{"initContainers", "containers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			if m, ok := c.(map[string]any); ok {
				without(m, "volumeMounts")
			}
		}
	}
}
