package foresee

import "github.com/preadmit/preadmit/engine/internal/kube/untyped"

// Lingering is a request without which an object that is being deleted stays, with requests to compare it with.
type Lingering struct {
	*Request
	// Unchanged is the same user's update that changes nothing, nil for a deletion.
	Unchanged *Request
	// Other is the same request by a user whom the expressions mention; nil for none.
	Other *Request
}

// finalized are the kinds whose objects all have a finalizer, with it and the controller that removes it.
var finalized = map[string][2]string{
	"PersistentVolumeClaim": {"kubernetes.io/pvc-protection", "sa:pvc-protection-controller"},
	"PersistentVolume":      {"kubernetes.io/pv-protection", "sa:pv-protection-controller"},
}

// Finalized reports whether all objects at an endpoint have a finalizer.
func (e *Endpoint) Finalized() bool { return e.Kind.Version == "v1" && finalized[e.Kind.Kind][0] != "" }

// readsUser reports whether expressions can tell users apart.
func (s *Source) readsUser() bool {
	return s.Reads["request"].Child("userInfo") != nil
}

// CanLinger reports whether requests at an endpoint may keep an object from being deleted, while the same policy
// admits others like them: the removal of a finalizer, and the deletion of what is in a namespace.
func (s *Source) CanLinger(e Endpoint) bool {
	switch {
	case e.SubResource != "" || e.Name != "":
		return false
	case e.Operation == "UPDATE":
		return true
	}
	return e.Operation == "DELETE" && e.Namespaced
}

// Lingering is the request of the garbage collector or of the namespace controller for an object with the fields of
// a state. It is false where the selectors select no namespace.
func (s *Source) Lingering(e Endpoint, state State) (*Lingering, bool) {
	of := *s
	of.ends = e.Operation == "DELETE"
	r, ok := of.Request(e, state)
	if !ok || r.OldObject == nil {
		return nil, false
	}
	out := &Lingering{Request: r}
	who := r.User
	if e.Operation == "DELETE" {
		r.User = systemUser("sa:namespace-controller")
		r.Name = "" // it deletes collections (k8s.io/apiserver pkg/registry/rest/delete.go)
		r.InNamespace, _ = untyped.Copy(r.InNamespace).(map[string]any)
		r.InNamespace["metadata"].(map[string]any)["deletionTimestamp"] = systemTime
		r.InNamespace["status"] = map[string]any{"phase": "Terminating"}
	} else {
		finalizer, by := "foregroundDeletion", "sa:generic-garbage-collector"
		if e.Finalized() {
			finalizer, by = finalized[e.Kind.Kind][0], finalized[e.Kind.Kind][1]
		}
		r.User = systemUser(by)
		unchanged := *r
		unchanged.Object = r.OldObject
		out.Unchanged = &unchanged
		old, _ := untyped.Copy(r.OldObject).(map[string]any)
		meta := old["metadata"].(map[string]any)
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = systemTime, int64(0)
		r.Object, _ = untyped.Copy(old).(map[string]any)
		meta["finalizers"], r.OldObject = []any{finalizer}, old
		delete(r.Object["metadata"].(map[string]any), "finalizers")
	}
	if s.readsUser() && who.Name+" "+who.Groups[0] != r.User.Name+" "+r.User.Groups[0] {
		other := *r
		other.User = who
		out.Other = &other
	}
	return out, true
}
