package catalog

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// podLevelResources fills in the resources of the whole pod (KEP-2837). First huge page limits and
// requests come from the containers, then requests from the pod's limits. It does nothing unless
// the pod sets some of them. Since 1.37 the server does this after the mutating phase.
func podLevelResources(pod map[string]any) {
	spec := untyped.Sub(pod, "spec")
	resources := untyped.Sub(spec, "resources")
	if resources == nil {
		return
	}
	limits, requests := untyped.Sub(resources, "limits"), untyped.Sub(resources, "requests")
	if len(limits) > 0 || len(requests) > 0 {
		for name, total := range podresources.OfContainers(spec, "limits") {
			_, requested := requests[name]
			_, limited := limits[name]
			if isHugePages(name) && !requested && !limited {
				untyped.Child(resources, "limits")[name] = total.ToUnstructured()
			}
		}
	}
	limits = untyped.Sub(resources, "limits")
	if len(limits) == 0 {
		return
	}
	for name, total := range podresources.OfContainers(spec, "requests") {
		if _, exists := untyped.Sub(resources, "requests")[name]; !exists && (name == "cpu" || name == "memory") {
			untyped.Child(resources, "requests")[name] = total.ToUnstructured()
		}
	}
	for name, limit := range limits {
		if _, exists := untyped.Sub(resources, "requests")[name]; !exists && (name == "cpu" || name == "memory" || isHugePages(name)) {
			untyped.Child(resources, "requests")[name] = limit
		}
	}
}

func isHugePages(name string) bool { return strings.HasPrefix(name, "hugepages-") }
