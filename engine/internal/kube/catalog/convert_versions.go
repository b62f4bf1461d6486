package catalog

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// notConverted are off-by-default versions whose fields differ from other versions in ways that
// Convert does not support.
var notConverted = map[schema.GroupVersion]bool{
	{Group: "resource.k8s.io", Version: "v1alpha2"}: true,
	{Group: "resource.k8s.io", Version: "v1alpha3"}: true,
	{Group: "resource.k8s.io", Version: "v1beta1"}:  true,
}

// Convert returns an object of one kind as an equivalent kind shows it (semantics
// §4.7): the other versions of HorizontalPodAutoscaler and Event, which differ
// in their fields, versions that do not, and versions of a CRD without
// conversion webhook, where only apiVersion changes. The result is in normal
// form.
func (c *Catalog) Convert(obj map[string]any, from, to schema.GroupVersionKind) (map[string]any, error) {
	out := runtime.DeepCopyJSON(obj)
	if from == to {
		return out, nil
	}
	fromResource, known := c.ResourceForKind(from)
	toResource, toKnown := c.ResourceForKind(to)
	if !known || !toKnown || !sameStorage(fromResource, toResource) {
		return nil, fmt.Errorf("%v cannot be converted to %v", from, to)
	}
	if notConverted[from.GroupVersion()] || notConverted[to.GroupVersion()] {
		return nil, fmt.Errorf("the conversion from %v to %v is not simulated", from, to)
	}
	out["apiVersion"], out["kind"] = to.GroupVersion().String(), to.Kind
	switch {
	case !fromResource.Builtin:
		return out, nil
	case from.Kind == "HorizontalPodAutoscaler":
		if err := c.convertHPA(out, from.Version, to.Version); err != nil {
			return nil, err
		}
	case from.Kind == "Event":
		convertEvent(out, from.Group == "")
	case from.Kind == "PriorityLevelConfiguration":
		markZeroShares(out, to.Version)
	}
	t, _ := c.TypeOf(to)
	return normalise(t, false, out).(map[string]any), nil
}

// eventFields are the event fields with different names in core/v1 and events.k8s.io/v1.
var eventFields = []struct{ core, events string }{
	{"involvedObject", "regarding"},
	{"message", "note"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"},
	{"count", "deprecatedCount"},
	{"reportingComponent", "reportingController"},
}

// convertEvent renames the fields of an event in place.
func convertEvent(event map[string]any, fromCore bool) {
	for _, f := range eventFields {
		from, to := f.events, f.core
		if fromCore {
			from, to = f.core, f.events
		}
		if value, ok := event[from]; ok {
			event[to] = value
			delete(event, from)
		}
	}
}

// markZeroShares sets the annotation that tells v1beta3, where zero means unset, that zero shares
// are intended.
func markZeroShares(level map[string]any, to string) {
	const annotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
	delete(untyped.Sub(level, "metadata", "annotations"), annotation)
	if to == "v1beta3" && untyped.At[any](level, "spec", "limited", "nominalConcurrencyShares") == int64(0) {
		annotate(level, annotation, "")
	}
}
