package workload

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// Node is the placeholder for the node of a DaemonSet's Pod.
const Node = "node-1"

// tolerated are the taints that a DaemonSet's Pods tolerate, with their effects
// (AddOrUpdateDaemonPodTolerations).
var tolerated = [][2]string{
	{"node.kubernetes.io/not-ready", "NoExecute"}, {"node.kubernetes.io/unreachable", "NoExecute"}, {"node.kubernetes.io/disk-pressure", "NoSchedule"},
	{"node.kubernetes.io/memory-pressure", "NoSchedule"}, {"node.kubernetes.io/pid-pressure", "NoSchedule"}, {"node.kubernetes.io/unschedulable", "NoSchedule"},
}

// daemon returns a DaemonSet's Pod on one node (CreatePodTemplate of the daemon controller).
func daemon(set map[string]any, _ string) []Made {
	p := pod(set, template(set))
	spec := untyped.Sub(p, "spec")
	labels := untyped.Child(untyped.Sub(p, "metadata"), "labels")
	labels["controller-revision-hash"] = Hash
	labels["pod-template-generation"] = fmt.Sprint(max(catalog.TemplateGeneration(set), 1))
	taints := tolerated
	if spec["hostNetwork"] == true {
		taints = append(taints[:len(taints):len(taints)], [2]string{"node.kubernetes.io/network-unavailable", "NoSchedule"})
	}
	list, _ := spec["tolerations"].([]any)
	for _, taint := range taints {
		toleration := map[string]any{"key": taint[0], "operator": "Exists", "effect": taint[1]}
		if !slices.ContainsFunc(list, func(given any) bool { return reflect.DeepEqual(given, any(toleration)) }) {
			list = append(list, toleration)
		}
	}
	spec["tolerations"] = list
	required := untyped.Child(untyped.Child(untyped.Child(spec, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution")
	required["nodeSelectorTerms"] = []any{map[string]any{"matchFields": []any{
		map[string]any{"key": "metadata.name", "operator": "In", "values": []any{Node}}}}}
	return []Made{{Object: p, Account: "daemon-set-controller"}}
}
