package catalog

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"k8s.io/apimachinery/pkg/api/resource"
)

// podLevelResources fills in the resources of the whole pod (KEP-2837). First huge page limits and
// requests come from the containers, then requests from the pod's limits. It does nothing unless
// the pod sets some of them. Since 1.37 the server does this after the mutating phase.
func podLevelResources(pod map[string]any) {
	resources := untyped.Sub(pod, "spec", "resources")
	if resources == nil {
		return
	}
	limits, requests := untyped.Sub(resources, "limits"), untyped.Sub(resources, "requests")
	if len(limits) > 0 || len(requests) > 0 {
		for name, total := range aggregate(pod, "limits") {
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
	for name, total := range aggregate(pod, "requests") {
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

type quantities map[string]resource.Quantity

// aggregate computes the most that a pod's containers need at one time: all containers and sidecars
// together, or an init container and the sidecars started before it.
func aggregate(pod map[string]any, which string) quantities {
	total, sidecars, peak := quantities{}, quantities{}, quantities{}
	for _, container := range untyped.Items(pod, "spec", "containers") {
		total.add(untyped.Sub(container, "resources", which))
	}
	for _, container := range untyped.Items(pod, "spec", "initContainers") {
		own := untyped.Sub(container, "resources", which)
		if untyped.At[string](container, "restartPolicy") == "Always" {
			total.add(own)
			sidecars.add(own)
			peak.raise(sidecars)
			continue
		}
		now := quantities{}
		now.add(own)
		for name, quantity := range sidecars {
			now.addOne(name, quantity)
		}
		peak.raise(now)
	}
	total.raise(peak)
	return total
}

func (q quantities) add(list map[string]any) {
	for name, value := range list {
		text, _ := value.(string)
		if quantity, err := resource.ParseQuantity(text); err == nil {
			q.addOne(name, quantity)
		}
	}
}

func (q quantities) addOne(name string, quantity resource.Quantity) {
	sum := quantity.DeepCopy()
	if have, ok := q[name]; ok {
		sum = have.DeepCopy()
		sum.Add(quantity)
	}
	q[name] = sum
}

// raise raises each quantity to other's if that is greater.
func (q quantities) raise(other quantities) {
	for name, quantity := range other {
		if have, ok := q[name]; !ok || quantity.Cmp(have) > 0 {
			q[name] = quantity.DeepCopy()
		}
	}
}
