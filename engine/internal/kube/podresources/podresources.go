// Package podresources adds up the resources that a Pod's containers request, as the API server
// does for LimitRanges, quotas and the Pod's quality of service.
package podresources

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// List is an amount of each resource, by name.
type List map[string]resource.Quantity

// Of reads a field such as resources.requests. It skips invalid quantities, which the server would
// not have decoded.
func Of(field any) List {
	values, _ := field.(map[string]any)
	out := List{}
	for name, value := range values {
		if q, err := resource.ParseQuantity(fmt.Sprint(value)); err == nil { // it may be a number
			out[name] = q
		}
	}
	return out
}

// Names returns the resource names in order.
func (l List) Names() []string { return slices.Sorted(maps.Keys(l)) }

// Add adds amounts.
func (l List) Add(more List) {
	for name, amount := range more {
		sum, ok := l[name]
		if !ok {
			l[name] = amount.DeepCopy()
			continue
		}
		sum.Add(amount)
		l[name] = sum
	}
}

// raise raises each amount to at least other's.
func (l List) raise(other List) {
	for name, amount := range other {
		if own, ok := l[name]; !ok || amount.Cmp(own) > 0 {
			l[name] = amount.DeepCopy()
		}
	}
}

// The lists of containers that request resources; ephemeral containers cannot.
const (
	containers     = "containers"
	initContainers = "initContainers"
)

// Container returns one container's requests or limits.
func Container(container map[string]any, field string) List {
	resources, _ := container["resources"].(map[string]any)
	return Of(resources[field])
}

// PodLevel returns the Pod-level requests or limits. ok is false if there are none, or the release
// does not support them.
func PodLevel(spec map[string]any, field string, v version.Version) (List, bool) {
	resources, ok := spec["resources"].(map[string]any)
	if !ok || !v.Has(version.PodLevelResources) {
		return nil, false
	}
	return Of(resources[field]), true
}

// OfContainers returns the most that a Pod's containers need at one time (KEP-753): all containers
// and sidecars together, or an init container with the sidecars before it. field is requests or
// limits.
func OfContainers(spec map[string]any, field string) List {
	total, sidecars, highest := List{}, List{}, List{}
	for _, c := range untyped.Items(spec, containers) {
		total.Add(Container(c, field))
	}
	for _, c := range untyped.Items(spec, initContainers) {
		own := Container(c, field)
		if c["restartPolicy"] == "Always" {
			total.Add(own)
			sidecars.Add(own)
			highest.raise(sidecars)
			continue
		}
		own = maps.Clone(own)
		own.Add(sidecars)
		highest.raise(own)
	}
	total.raise(highest)
	return total
}

// Sum is OfContainers, where Pod-level amounts replace the sums.
func Sum(spec map[string]any, field string, v version.Version) List {
	total := OfContainers(spec, field)
	whole, _ := PodLevel(spec, field, v)
	for _, name := range []string{"cpu", "memory"} {
		if amount, ok := whole[name]; ok {
			total[name] = amount
		}
	}
	return total
}

// Containers returns a Pod's containers that request resources: the main ones or the init
// containers.
func Containers(spec map[string]any) (main, init []map[string]any) {
	return untyped.Items(spec, containers), untyped.Items(spec, initContainers)
}

// The quality of service classes.
const (
	Guaranteed = "Guaranteed"
	Burstable  = "Burstable"
	BestEffort = "BestEffort"
)

// QOS returns a new Pod's class, which the server writes into its status. Only cpu and memory
// count.
func QOS(spec map[string]any, v version.Version) string {
	requests, limits, guaranteed := List{}, List{}, true
	add := func(to List, from List) (both bool) {
		n := 0
		for _, name := range []string{"cpu", "memory"} {
			if amount, ok := from[name]; ok && amount.Sign() > 0 {
				to.Add(List{name: amount})
				n++
			}
		}
		return n == 2
	}
	if whole, ok := PodLevel(spec, "requests", v); ok {
		add(requests, whole)
		if whole, _ = PodLevel(spec, "limits", v); len(whole) > 0 {
			guaranteed = add(limits, whole)
		}
	} else {
		for _, list := range []string{containers, initContainers} {
			for _, c := range untyped.Items(spec, list) {
				add(requests, Container(c, "requests"))
				guaranteed = add(limits, Container(c, "limits")) && guaranteed
			}
		}
	}
	if len(requests) == 0 && len(limits) == 0 {
		return BestEffort
	}
	for name, amount := range requests {
		limit, ok := limits[name]
		guaranteed = guaranteed && ok && limit.Cmp(amount) == 0
	}
	if guaranteed && len(requests) == len(limits) {
		return Guaranteed
	}
	return Burstable
}
