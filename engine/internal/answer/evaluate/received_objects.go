package evaluate

import (
	"maps"
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
	old, object := a.OldObject, sent
	if !storage.Printed(old) {
		old, object = e.builtin.Stored(e.Chain, old, object)
	}
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

// form says how a request was given. The objects of a captured one have the form that the server gives
// them. A review with an old object that no server stored was written by hand.
func (e *Evaluation) form(r *request.Request) requestForm {
	f := requestForm{Authorized: r.Form != request.Object, MadeUpUser: r.MadeUp, MadeUpScaled: r.MadeUpScaled, text: r}
	byHand := r.Operation != request.Create && r.SubResource == "" && !e.AdmissionOnly() && storage.Unidentified(r.OldObject)
	f.Captured = f.Authorized && !byHand
	if r.Apply != nil { // the server has not merged the object yet
		f.Captured, f.Authorized, f.Applied = false, false, true
	}
	for _, option := range []*bool{e.Scenario.Options.Defaulting, e.Options.Defaulting} {
		if option != nil && r.Apply == nil {
			f.Captured, f.Authorized = !*option, !*option
		}
	}
	return f
}

// whyDefaults says why the objects of a review get defaults.
func (f requestForm) whyDefaults() string {
	if f.Authorized {
		return "The objects get the server's defaults, because the old object has no uid, as in a manifest."
	}
	return "The objects get the server's defaults (options.defaulting). A captured request has them already."
}

// fieldValidation is what a request asks for that does not say it: what the scenario has, or for
// an object that has not been through a server that server's default.
func (e *Evaluation) fieldValidation() string {
	if set := e.Scenario.Options.FieldValidation; set != "" || e.Form.Captured {
		return set
	}
	return metav1.FieldValidationWarn
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
	e.Report.NotSimulated = append(e.Report.NotSimulated, "metadata.managedFields has one entry, which lists the top-level fields of the object and of its metadata. The server lists every field.")
}

// managed is an object with managed fields, if it has none.
func (e *Evaluation) managed(object map[string]any) map[string]any {
	metadata := untyped.Sub(object, "metadata")
	if object == nil || metadata["managedFields"] != nil {
		return object
	}
	fields := map[string]any{}
	for name := range object {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			fields["f:"+name] = map[string]any{}
		}
	}
	of := map[string]any{}
	for _, name := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		if metadata[name] != nil {
			of["f:"+name] = map[string]any{}
		}
	}
	if len(of) > 0 {
		fields["f:metadata"] = of
	}
	if len(fields) == 0 {
		return object // nobody manages a name
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
