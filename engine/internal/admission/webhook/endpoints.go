package webhook

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// withoutEndpoints says why nothing is behind a webhook's Service, if the cluster text shows it;
// else it is empty. The EndpointSlices decide. Without any, workloads do whose Pods it selects.
func (t target) withoutEndpoints(c *cluster.Cluster) string {
	ref := t.client.Service
	if ref == nil {
		return ""
	}
	service, ok := c.Get(schema.GroupKind{Kind: "Service"}, ref.Namespace, ref.Name)
	if !ok || untyped.Sub(service.Value, "spec")["type"] == "ExternalName" {
		return ""
	}
	slices := c.List(schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"}, ref.Namespace, labels.SelectorFromSet(labels.Set{"kubernetes.io/service-name": ref.Name}))
	for _, s := range slices {
		for _, endpoint := range untyped.Items(s.Value["endpoints"]) {
			if untyped.Sub(endpoint, "conditions")["ready"] != false {
				return ""
			}
		}
	}
	if len(slices) > 0 {
		return fmt.Sprintf("EndpointSlice %s has no ready endpoint", slices[0].Name)
	}
	selector, _, _ := unstructured.NestedStringMap(service.Value, "spec", "selector")
	if len(selector) == 0 {
		return ""
	}
	return scaledToZero(c, ref.Namespace, labels.SelectorFromSet(selector))
}

// scaledToZero says which workload has no replicas, if all have none whose Pods are selected, or that
// no selected Pod runs, if the text has their phases.
func scaledToZero(c *cluster.Cluster, namespace string, selector labels.Selector) (why string) {
	for _, pod := range c.List(schema.GroupKind{Kind: "Pod"}, namespace, selector) {
		phase, _ := untyped.Sub(pod.Value, "status")["phase"].(string)
		if phase != "Pending" && phase != "Succeeded" && phase != "Failed" {
			return ""
		}
		why = fmt.Sprintf("Pod %s is %s", pod.Name, phase)
	}
	if why != "" {
		return why
	}
	for _, kind := range []string{"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"} {
		for _, o := range c.List(schema.GroupKind{Group: "apps", Kind: kind}, namespace, labels.Everything()) {
			pods, _, _ := unstructured.NestedStringMap(o.Value, "spec", "template", "metadata", "labels")
			switch {
			case !selector.Matches(labels.Set(pods)):
			case untyped.Sub(o.Value, "spec")["replicas"] != int64(0):
				return ""
			case why == "":
				why = fmt.Sprintf("%s %s has replicas: 0", kind, o.Name)
			}
		}
	}
	return why
}
