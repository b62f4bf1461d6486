package storage

import (
	"maps"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
)

// registers reports whether the server's own code prepares the object and validates it.
func (e *Storage) registers() bool {
	a := &e.Attributes
	if a.Operation == "UPDATE" && (a.OldObject == nil || e.reviewed()) || a.Operation == "CREATE" && a.SubResource != "" || a.Operation != "CREATE" && a.Operation != "UPDATE" {
		return false
	}
	return e.knows(a.SubResource)
}

// knows reports whether there is code for the kind of the request.
func (e *Storage) knows(subResource string) bool {
	a := &e.Attributes
	return e.Registry != nil && !e.SharedOnly && e.Registry.Knows(a.Kind, a.Resource.GroupResource(), subResource)
}

// question asks for an object that is new, or replaces old.
func (e *Storage) question(object, old map[string]any) registry.Request {
	a := &e.Attributes
	q := registry.Request{Kubernetes: e.Version.String(), Create: old == nil, Resource: a.Resource, Kind: a.Kind, Name: a.Name, Namespace: a.Namespace,
		User: a.User, Object: object, Old: old}
	q.NamespaceLabels, _ = e.Cluster.Labels(a.Namespace)
	if old != nil {
		q.SubResource = a.SubResource
	}
	return q
}

// Refusal is why the server's own code would refuse another object in place of the request's; nil where
// it would not. The object is changed.
func (e *Storage) Refusal(object map[string]any) *apierrors.StatusError {
	if _, status := e.register(object, nil); status != nil {
		return status
	}
	return e.Registered.Status
}

// sent is the request's object with its empty lists and maps; nil where the server decoded another one.
func (e *Storage) sent() map[string]any {
	if r := e.Report; r != nil && !e.Captured && reflect.DeepEqual(r.Input, e.Attributes.Object) { // what is changed is decoded again
		return r.Sent
	}
	return nil
}

// register is the object as the server's own code leaves it, or its rejection. The code also sees the
// empty lists and maps of the sent object. The storage of a Service gives it addresses and ports before
// its strategy runs; that happens here.
func (e *Storage) register(object, sent map[string]any) (map[string]any, *apierrors.StatusError) {
	a := &e.Attributes
	create := a.Operation == "CREATE"
	service := a.Kind.GroupKind() == serviceKind && a.SubResource == ""
	switch {
	case create:
		e.identified(object)
		if service {
			allocate(e, object)
		}
	case service:
		keepAllocated(e, object, a.OldObject)
	}
	old := a.OldObject
	if create {
		old = nil
	}
	q := e.question(object, old)
	q.Decoded = withGivenEmpty(object, sent)
	answer, err := e.Registry.Before(q)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	e.Registered = &answer
	if answer.Status != nil {
		return object, nil // which validation says
	}
	if create {
		e.sharedOrBelieved(answer.Object)
	}
	return answer.Object, nil
}

// withGivenEmpty is an object with the lists and maps without items that the sent one has and that it does
// not; nil where there are none.
func withGivenEmpty(object, sent map[string]any) map[string]any {
	var out map[string]any
	set := func(field string, value any) {
		if out == nil {
			out = maps.Clone(object)
		}
		out[field] = value
	}
	for field, given := range sent {
		is, there := object[field]
		if !there {
			if v := reflect.ValueOf(given); (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0 && !v.IsNil() {
				set(field, given)
			}
		} else if filled := filledWith(is, given); filled != nil {
			set(field, filled)
		}
	}
	return out
}

// filledWith is withGivenEmpty for any value.
func filledWith(value, given any) any {
	switch given := given.(type) {
	case map[string]any:
		if object, ok := value.(map[string]any); ok && !same(object, given) {
			if out := withGivenEmpty(object, given); out != nil {
				return out
			}
		}
	case []any:
		list, ok := value.([]any)
		if !ok || len(list) != len(given) || len(list) == 0 || &list[0] == &given[0] {
			return nil
		}
		var out []any
		for i := range given {
			if filled := filledWith(list[i], given[i]); filled != nil {
				if out == nil {
					out = slices.Clone(list)
				}
				out[i] = filled
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// same reports whether two maps are one.
func same(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// sharedOrBelieved is what the code of the newest release does not do to a new object by itself: a
// Job without labels shares the map of its template's, before 1.37 the class that a Pod brings
// in its status is believed (qos.GetPodQOS), and before 1.34 its AppArmor profiles are annotations
// too (KEP-24) and its spread constraints select as they were written.
func (e *Storage) sharedOrBelieved(object map[string]any) {
	switch e.Attributes.Kind.GroupKind() {
	case jobKind:
		if e.sharesLabels() {
			metadata := maps.Clone(untyped.Sub(object, "metadata"))
			metadata["labels"] = maps.Clone(untyped.Sub(object, "spec", "template", "metadata", "labels"))
			object["metadata"] = metadata
		} else if labels := untyped.Sub(e.Attributes.Object, "metadata", "labels"); e.Captured && len(labels) > 0 && reflect.DeepEqual(labels, untyped.Sub(e.Attributes.Object, "spec", "template", "metadata", "labels")) {
			e.NotSimulated("The labels of the Job are those of its template. If its author wrote none, the server adds the controller's labels to both. A captured request does not show that.")
		}
	case podKind:
		class := text(untyped.Sub(e.Attributes.Object, "status")["qosClass"])
		if class != "" && !e.Version.Has(version.PodClassComputed) {
			status := maps.Clone(untyped.Sub(object, "status"))
			status["qosClass"], object["status"] = class, status
		}
		if !e.Version.Has(version.AppArmorFieldsOnly) {
			annotateProfiles(object)
		}
		e.spreadAsWritten(object, e.Attributes.Object)
	}
}

// spreadAsWritten leaves the selectors of a new Pod's spread constraints as they are in releases that do not
// merge their keys into them.
func (e *Storage) spreadAsWritten(pod, sent map[string]any) {
	given := untyped.Sub(sent, "spec")["topologySpreadConstraints"]
	if e.Attributes.Kind.GroupKind() != podKind || given == nil || e.Version.Has(version.SpreadKeysMerged) {
		return
	}
	spec := maps.Clone(untyped.Sub(pod, "spec"))
	spec["topologySpreadConstraints"], pod["spec"] = given, spec
}

// sharesLabels reports whether a new Job has no labels of its own. Its defaults are then the labels of its
// template, as the same map (SetDefaults_Job): what storage adds to the template, the Job gets too, unless
// something has changed the object before.
func (e *Storage) sharesLabels() bool {
	r, a := e.Report, &e.Attributes
	return r != nil && a.Operation == "CREATE" && len(untyped.Sub(r.Sent, "metadata", "labels")) == 0 && untyped.Sub(r.Sent, "spec", "template", "metadata", "labels") != nil && reflect.DeepEqual(r.Input, a.Object)
}

// missing sets what is missing.
func missing(m map[string]any, key, value string) {
	if _, exists := m[key]; !exists {
		m[key] = value
	}
}

const appArmor = "container.apparmor.security.beta.kubernetes.io/"

// annotateProfiles writes the AppArmor profile of each container into an annotation, unless there
// is one.
func annotateProfiles(pod map[string]any) {
	spec := untyped.Sub(pod, "spec")
	if untyped.Sub(spec, "os")["name"] == "windows" {
		return
	}
	annotations := maps.Clone(untyped.Sub(pod, "metadata", "annotations"))
	if annotations == nil {
		annotations = map[string]any{}
	}
	before := len(annotations)
	for _, field := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range untyped.Items(spec[field]) {
			key := appArmor + text(container["name"])
			profile := untyped.Sub(container, "securityContext", "appArmorProfile")
			if profile == nil {
				profile = untyped.Sub(spec, "securityContext", "appArmorProfile")
			}
			if shown := profileAnnotation(profile); shown != "" && annotations[key] == nil {
				annotations[key] = shown
			}
		}
	}
	if len(annotations) > before {
		metadata := maps.Clone(untyped.Sub(pod, "metadata"))
		metadata["annotations"], pod["metadata"] = annotations, metadata
	}
}

// profileAnnotation is the annotation for a profile; empty where it has none.
func profileAnnotation(profile map[string]any) string {
	switch text(profile["type"]) {
	case "Unconfined":
		return "unconfined"
	case "RuntimeDefault":
		return "runtime/default"
	case "Localhost":
		if name := text(profile["localhostProfile"]); name != "" {
			return "localhost/" + name
		}
	}
	return ""
}
