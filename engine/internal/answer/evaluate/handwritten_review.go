package evaluate

import (
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
)

// unidentified reports whether a request is a review written by hand, with an old object
// that no server stored.
func (e *Evaluation) unidentified(r *request.Request) bool {
	return r.Operation != request.Create && r.SubResource == "" && !e.defaulting(r) && !e.AdmissionOnly() && storage.Unidentified(r.OldObject)
}

// identify gives the objects of a review that was written by hand the identity that every stored
// object has: no server sent the review.
func (e *Evaluation) identify() {
	a := &e.Initial
	s := storage.Storage{Chain: e.Chain, Now: e.Now}
	a.OldObject, a.Object = s.Identified(a.OldObject, a.Object)
	e.Report.Request.Derived = append(e.Report.Request.Derived, "The old object gets a uid, creationTimestamp, resourceVersion and generation, as a stored object has them.")
	e.Report.Input, e.Report.OldObject = a.Object, a.OldObject
	e.start()
}
