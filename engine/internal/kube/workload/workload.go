// Package workload creates the objects that controllers create for an object: a Deployment's
// ReplicaSet, a CronJob's Job, a StatefulSet's claims, and Pods (pkg/controller of
// k8s.io/kubernetes).
package workload

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// Made is an object that a controller creates.
type Made struct {
	// Object is the object that the controller sends.
	Object map[string]any
	// Account is the controller's ServiceAccount, in Namespace or kube-system.
	Account, Namespace string
	// More says that further controllers create Pods from the object.
	More bool
}

// Hash replaces a template's hash, which controllers compute, in names and labels.
const Hash = "6d4f8c9b7"

const (
	replicaSets  = "replicaset-controller"
	jobs         = "job-controller"
	statefulSets = "statefulset-controller"
)

// controllers are the functions that create an object's dependents.
var controllers = map[schema.GroupKind]func(parent map[string]any, now string) []Made{
	{Group: "apps", Kind: "Deployment"}:  replicaSet,
	{Group: "apps", Kind: "ReplicaSet"}:  replicas(replicaSets),
	{Group: "apps", Kind: "StatefulSet"}: ordinal,
	{Group: "apps", Kind: "DaemonSet"}:   daemon,
	{Group: "batch", Kind: "Job"}:        worker,
	{Group: "batch", Kind: "CronJob"}:    scheduled,
	{Kind: "ReplicationController"}:      replicas("replication-controller"),
}

// Of returns what a stored object's controller creates first, in order: one Pod or one intermediate
// object, and what precedes it. It is nil for other kinds, and if the object requires none, such as
// a suspended Job. now is the time in RFC 3339.
func Of(object map[string]any, now string) []Made {
	kind := schema.FromAPIVersionAndKind(text(object["apiVersion"]), text(object["kind"])).GroupKind()
	controller := controllers[kind]
	spec := untyped.Sub(object, "spec")
	if controller == nil || spec["suspend"] == true || spec["replicas"] == int64(0) || spec["parallelism"] == int64(0) {
		return nil
	}
	return controller(object, now)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// owned returns the metadata of an object created by a controller.
func owned(parent map[string]any) map[string]any {
	metadata := untyped.Sub(parent, "metadata")
	return map[string]any{
		"namespace": metadata["namespace"],
		"ownerReferences": []any{map[string]any{
			"apiVersion": parent["apiVersion"], "kind": parent["kind"], "name": metadata["name"], "uid": metadata["uid"],
			"controller": true, "blockOwnerDeletion": true,
		}},
	}
}

// pod returns a Pod from a template (controller.GetPodFromTemplate).
func pod(parent, template map[string]any) map[string]any {
	metadata := owned(parent)
	metadata["generateName"] = text(untyped.Sub(parent, "metadata")["name"]) + "-"
	given := untyped.Sub(template, "metadata")
	for _, field := range []string{"labels", "annotations", "finalizers"} {
		if value := given[field]; value != nil {
			metadata[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	spec := map[string]any{}
	maps.Copy(spec, runtime.DeepCopyJSON(untyped.Sub(template, "spec")))
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}

func template(parent map[string]any) map[string]any { return untyped.Sub(parent, "spec", "template") }

func replicas(account string) func(map[string]any, string) []Made {
	return func(parent map[string]any, _ string) []Made {
		return []Made{{Object: pod(parent, template(parent)), Account: account}}
	}
}

// replicaSet returns a Deployment's ReplicaSet (getNewReplicaSet of the deployment controller).
func replicaSet(deployment map[string]any, _ string) []Made {
	spec, metadata := untyped.Sub(deployment, "spec"), owned(deployment)
	own := runtime.DeepCopyJSON(map[string]any{"replicas": spec["replicas"], "selector": spec["selector"], "template": spec["template"]})
	if seconds := spec["minReadySeconds"]; seconds != nil {
		own["minReadySeconds"] = seconds
	}
	labels := untyped.Child(untyped.Child(untyped.Child(own, "template"), "metadata"), "labels")
	labels["pod-template-hash"] = Hash
	untyped.Child(untyped.Child(own, "selector"), "matchLabels")["pod-template-hash"] = Hash
	metadata["name"] = text(untyped.Sub(deployment, "metadata")["name"]) + "-" + Hash
	metadata["labels"] = maps.Clone(labels)
	annotations := maps.Clone(untyped.Sub(deployment, "metadata", "annotations"))
	if annotations == nil {
		annotations = map[string]any{}
	}
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	number, _ := spec["replicas"].(int64)
	annotations["deployment.kubernetes.io/revision"] = "1"
	annotations["deployment.kubernetes.io/desired-replicas"] = fmt.Sprint(number)
	annotations["deployment.kubernetes.io/max-replicas"] = fmt.Sprint(number + surge(spec, number))
	metadata["annotations"] = annotations
	return []Made{{
		Object:  map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": own},
		Account: "deployment-controller", More: true,
	}}
}

// surge returns how many extra Pods a rolling update may create.
func surge(spec map[string]any, number int64) int64 {
	rolling := untyped.Sub(spec, "strategy", "rollingUpdate")
	switch v := rolling["maxSurge"].(type) {
	case int64:
		return v
	case string:
		var percent int64
		if _, err := fmt.Sscanf(v, "%d%%", &percent); err == nil {
			return (number*percent + 99) / 100
		}
	}
	return 0
}

// ordinal returns a StatefulSet's claims and first Pod (newStatefulSetPod).
func ordinal(set map[string]any, _ string) []Made {
	spec, name := untyped.Sub(set, "spec"), text(untyped.Sub(set, "metadata")["name"])
	start, _ := untyped.Sub(spec, "ordinals")["start"].(int64)
	first := fmt.Sprintf("%s-%d", name, start)
	p := pod(set, template(set))
	own := untyped.Sub(p, "spec")
	var made []Made
	var volumes []any // the claims' volumes come first, on a server in random order
	others, _ := own["volumes"].([]any)
	for _, claim := range untyped.Items(spec["volumeClaimTemplates"]) {
		of := text(untyped.Sub(claim, "metadata")["name"])
		made = append(made, Made{Object: claimOf(set, claim, of+"-"+first), Account: statefulSets})
		others = slices.DeleteFunc(others, func(v any) bool { m, _ := v.(map[string]any); return m["name"] == of })
		volumes = append(volumes, map[string]any{"name": of, "persistentVolumeClaim": map[string]any{"claimName": of + "-" + first}})
	}
	if volumes = append(volumes, others...); len(volumes) > 0 {
		own["volumes"] = volumes
	}
	metadata := untyped.Sub(p, "metadata")
	metadata["name"] = first
	labels := untyped.Child(metadata, "labels")
	labels["statefulset.kubernetes.io/pod-name"], labels["apps.kubernetes.io/pod-index"] = first, fmt.Sprint(start)
	labels["controller-revision-hash"] = name + "-" + Hash
	own["hostname"] = first
	if service := text(spec["serviceName"]); service != "" {
		own["subdomain"] = service
	}
	return append(made, Made{Object: p, Account: statefulSets})
}

// claimOf returns a StatefulSet's claim: its template with the selector's labels.
func claimOf(set, template map[string]any, name string) map[string]any {
	claim := map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": runtime.DeepCopyJSON(untyped.Sub(template, "spec"))}
	metadata := runtime.DeepCopyJSON(untyped.Sub(template, "metadata"))
	metadata["name"], metadata["namespace"] = name, untyped.Sub(set, "metadata")["namespace"]
	delete(metadata, "creationTimestamp")
	maps.Copy(untyped.Child(metadata, "labels"), untyped.Sub(set, "spec", "selector", "matchLabels"))
	claim["metadata"] = metadata
	return claim
}

// worker returns a Job's first Pod (manageJob of the job controller).
func worker(job map[string]any, _ string) []Made {
	p := pod(job, template(job))
	metadata, spec := untyped.Sub(p, "metadata"), untyped.Sub(p, "spec")
	const tracking = "batch.kubernetes.io/job-tracking"
	finalizers, _ := metadata["finalizers"].([]any)
	if !slices.Contains(finalizers, any(tracking)) {
		metadata["finalizers"] = append(finalizers, tracking)
	}
	if untyped.Sub(job, "spec")["completionMode"] != "Indexed" {
		return []Made{{Object: p, Account: jobs}}
	}
	name := text(untyped.Sub(job, "metadata")["name"])
	metadata["generateName"], spec["hostname"] = name+"-0-", name+"-0"
	const index = "batch.kubernetes.io/job-completion-index"
	untyped.Child(metadata, "annotations")[index] = "0"
	if untyped.Sub(job, "spec")["backoffLimitPerIndex"] != nil {
		untyped.Child(metadata, "annotations")["batch.kubernetes.io/job-index-failure-count"] = "0"
	}
	untyped.Child(metadata, "labels")[index] = "0"
	for _, list := range []string{"containers", "initContainers"} {
		for _, container := range untyped.Items(spec[list]) {
			env, _ := container["env"].([]any)
			container["env"] = append(env, map[string]any{"name": "JOB_COMPLETION_INDEX", "valueFrom": map[string]any{
				"fieldRef": map[string]any{"fieldPath": "metadata.labels['" + index + "']"}}})
		}
	}
	return []Made{{Object: p, Account: jobs}}
}

// scheduled returns a CronJob's Job for the current time (getJobFromTemplate2).
func scheduled(cron map[string]any, now string) []Made {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		at = time.Unix(0, 0).UTC()
	}
	template, metadata := untyped.Sub(cron, "spec", "jobTemplate"), owned(cron)
	for _, field := range []string{"labels", "annotations"} {
		if value := untyped.Sub(template, "metadata")[field]; value != nil {
			metadata[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	untyped.Child(metadata, "annotations")["batch.kubernetes.io/cronjob-scheduled-timestamp"] = at.Format(time.RFC3339)
	metadata["name"] = fmt.Sprintf("%s-%d", text(untyped.Sub(cron, "metadata")["name"]), at.Unix()/60)
	return []Made{{
		Object:  map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": runtime.DeepCopyJSON(untyped.Sub(template, "spec"))},
		Account: "cronjob-controller", More: true,
	}}
}
