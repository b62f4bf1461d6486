package workload

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// templates are the paths of the Pod templates of kinds.
var templates = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template"},
	{Group: "apps", Kind: "ReplicaSet"}:  {"spec", "template"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template"},
	{Group: "batch", Kind: "CronJob"}:    {"spec", "jobTemplate", "spec", "template"},
	{Kind: "ReplicationController"}:      {"spec", "template"},
	{Kind: "Pod"}:                        {},
}

// Like returns an object of another kind that has the Pod of an object, its name, labels and
// annotations: a Deployment for a Pod, a Pod for a CronJob. It is nil where one of the kinds has no
// Pod.
func Like(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	from, known := templates[schema.FromAPIVersionAndKind(text(object["apiVersion"]), text(object["kind"])).GroupKind()]
	to, wanted := templates[kind.GroupKind()]
	given := untyped.Sub(object, from...)
	spec := untyped.Sub(given, "spec")
	if !known || !wanted || len(spec) == 0 {
		return nil
	}
	spec = runtime.DeepCopyJSON(spec)
	out := map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": runtime.DeepCopyJSON(untyped.Sub(object, "metadata"))}
	if len(to) == 0 {
		for _, field := range []string{"labels", "annotations"} {
			if value := untyped.Sub(given, "metadata")[field]; value != nil {
				untyped.Child(out, "metadata")[field] = runtime.DeepCopyJSONValue(value)
			}
		}
		out["spec"] = spec
		return out
	}
	metadata := map[string]any{}
	for _, field := range []string{"labels", "annotations"} {
		if value := untyped.Sub(given, "metadata")[field]; value != nil {
			metadata[field] = runtime.DeepCopyJSONValue(value)
		}
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
