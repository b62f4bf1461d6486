package workload

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// templateOf returns the path of a kind's Pod template; of a Pod it is the object. known is false for other kinds.
func templateOf(kind schema.GroupKind) (path []string, known bool) {
	switch {
	case kind == schema.GroupKind{Kind: "Pod"}:
		return nil, true
	case kind.Kind == "CronJob":
		path = []string{"spec", "jobTemplate", "spec", "template"}
	default:
		path = []string{"spec", "template"}
	}
	return path, controllers[kind] != nil
}

// WithPodOf returns an object of another kind that has the Pod of an object, its name, labels and
// annotations: a Deployment for a Pod, a Pod for a CronJob. It is nil where one of the kinds has no
// Pod.
func WithPodOf(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	from, known := templateOf(schema.FromAPIVersionAndKind(text(object["apiVersion"]), text(object["kind"])).GroupKind())
	to, wanted := templateOf(kind.GroupKind())
	given := untyped.Sub(object, from...)
	if !known || !wanted || len(untyped.Sub(given, "spec")) == 0 {
		return nil
	}
	spec := runtime.DeepCopyJSON(untyped.Sub(given, "spec"))
	out := map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": runtime.DeepCopyJSON(untyped.Sub(object, "metadata"))}
	metadata := map[string]any{} // of the Pod
	if len(to) == 0 {
		metadata = untyped.Child(out, "metadata")
	}
	for _, field := range []string{"labels", "annotations"} {
		if value := untyped.Sub(given, "metadata")[field]; value != nil {
			metadata[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	if len(to) == 0 {
		out["spec"] = spec
		return out
	}
	own := map[string]any{}
	switch kind.Kind {
	case "Job":
		spec["restartPolicy"] = "Never"
	case "CronJob":
		spec["restartPolicy"] = "Never"
		own["schedule"] = "0 0 * * *"
	default:
		spec["restartPolicy"] = "Always"
		if len(untyped.Sub(metadata, "labels")) == 0 {
			metadata["labels"] = map[string]any{"app": "example"}
		}
		own["selector"] = selector(kind, runtime.DeepCopyJSON(untyped.Sub(metadata, "labels")))
	}
	out["spec"] = own
	at := out
	for _, step := range to {
		at = untyped.Child(at, step)
	}
	at["metadata"], at["spec"] = metadata, spec
	return out
}

func selector(kind schema.GroupVersionKind, labels map[string]any) map[string]any {
	if kind.Kind == "ReplicationController" {
		return labels
	}
	return map[string]any{"matchLabels": labels}
}
