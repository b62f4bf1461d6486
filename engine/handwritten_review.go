package engine

import (
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
)

// unidentified reports whether a request is a review written by hand, with an old object
// that no server stored.
func (e *evaluation) unidentified(r *request.Request) bool {
	return r.Operation != request.Create && r.SubResource == "" && !e.defaulting(r) && !e.admissionOnly() && storage.Unidentified(r.OldObject)
}

// identify gives the objects of a review that was written by hand the identity that every stored
// object has: no server sent the review.
func (e *evaluation) identify() {
	a := &e.initial
	s := storage.Storage{Chain: e.chain, Now: e.now}
	a.OldObject, a.Object = s.Identified(a.OldObject, a.Object)
	e.report.Request.Derived = append(e.report.Request.Derived, "The old object gets a uid, creationTimestamp, resourceVersion and generation, as a stored object has them.")
	e.report.Input, e.report.OldObject = a.Object, a.OldObject
	e.start()
}
