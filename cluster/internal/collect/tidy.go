package collect

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/cluster/internal/source"
)

// LastApplied is kubectl's annotation for the applied configuration.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Tidied returns a copy of a cluster object without managed fields, which nothing here uses.
func Tidied(o source.Object) source.Object {
	out := runtime.DeepCopyJSON(o)
	unstructured.RemoveNestedField(out, "metadata", "managedFields")
	unstructured.RemoveNestedField(out, "metadata", "annotations", LastApplied)
	if a, found, _ := unstructured.NestedMap(out, "metadata", "annotations"); found && len(a) == 0 {
		unstructured.RemoveNestedField(out, "metadata", "annotations")
	}
	return out
}

// AsCreated returns an object as its creator may have sent it, without what servers and controllers
// fill in. Policies' changes remain.
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

// tokenVolume is the name prefix of the ServiceAccount plugin's volume.
const tokenVolume = "kube-api-access-"

// unscheduled removes a Pod's node and its account's volume.
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
