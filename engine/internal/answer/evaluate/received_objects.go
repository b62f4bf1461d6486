package evaluate

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// charge charges for the defaults of an object.
func (e *Evaluation) charge(object map[string]any, extent worklimit.Extent) {
	if object == nil {
		return
	}
	gvk := request.KindOf(object)
	e.Budget.Make(4*extent.Bytes + 2*e.Catalog.DefaultBytes(gvk, object))
}

// asStored gives the objects of a manifest what the built-in plugins and storage
// gave the stored object when it was created: a change leaves that as it is.
func (e *Evaluation) asStored() {
	a := &e.Initial
	created := storage.Storage{Chain: e.Chain, Now: e.Now, SharedOnly: e.AdmissionOnly(), Registry: e.Store.Registry}
	var sent map[string]any
	if a.Operation == request.Update {
		sent = a.Object
	}
	old, object := e.builtin.Stored(e.Chain, a.OldObject, sent)
	a.OldObject, object = created.Stored(old, object)
	if a.SubResource == "" || a.SubResource == "status" {
		a.OldObject, _ = e.Catalog.Reread(a.Kind, a.OldObject)
	}
	if a.Operation == request.Update {
		a.Object = object
	}
	e.Report.Input, e.Report.OldObject = a.Object, a.OldObject
	e.start()
}

// defaulting reports whether the objects still must be brought into the form
// that the server gives them. Captured requests have it already.
func (e *Evaluation) defaulting(r *request.Request) bool {
	for _, option := range []*bool{e.Options.Defaulting, e.Scenario.Options.Defaulting} {
		if option != nil {
			return *option
		}
	}
	return r.Form == request.Object
}

// fieldValidation is what a request asks for that does not say it: what the scenario has, or for
// an object that has not been through a server that server's default.
func (e *Evaluation) fieldValidation(r *request.Request) string {
	if set := e.Scenario.Options.FieldValidation; set != "" || !e.defaulting(r) {
		return set
	}
	return metav1.FieldValidationWarn
}

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

// manageFields gives the objects of a manifest metadata.managedFields where a policy or webhook
// configuration speaks of them: a server writes them before the mutating phase. There is one
// entry, with the top-level fields; no other scenario needs the list, which is as long as the
// object.
func (e *Evaluation) manageFields(r *request.Request) {
	if !strings.Contains(e.Scenario.Policies, "managedFields") || r.SubResource != "" {
		return
	}
	r.Object, r.OldObject = e.managed(r.Object), e.managed(r.OldObject)
	e.Report.NotSimulated = append(e.Report.NotSimulated, "metadata.managedFields has one entry, which lists the object's top-level fields. The server lists every field.")
}

// managed is an object with managed fields, if it has none.
func (e *Evaluation) managed(object map[string]any) map[string]any {
	metadata := untyped.Sub(object, "metadata")
	if object == nil || metadata["managedFields"] != nil {
		return object
	}
	fields := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			fields["f:"+name] = map[string]any{}
		}
	}
	out := maps.Clone(object)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["managedFields"] = []any{map[string]any{"manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": object["apiVersion"],
		"time": e.Now, "fieldsType": "FieldsV1", "fieldsV1": fields}}
	out["metadata"] = metadata
	return out
}
