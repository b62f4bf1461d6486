package evaluate

import (
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/completion"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
)

// sketched are the ways on with an object that is rejected as it lacks something: to fill that in, and to
// leave the validation out, as people try policies on sketches.
func (e *Evaluation) sketched(status *apierrors.StatusError) []diag.Fix {
	if !slices.ContainsFunc(status.ErrStatus.Details.Causes, completion.Lacks) {
		return nil
	}
	var fixes []diag.Fix
	if edits := e.completed(); edits != nil {
		fixes = append(fixes, diag.Fix{Title: "Complete this object", Edits: edits, Draft: true})
	}
	return append(fixes, diag.Fix{Title: "Check the policies only", Edits: []diag.Edit{}, AdmissionOnly: true})
}

// completed are the edits of the request with which the server accepts a new object; nil where there
// are none that will do.
func (e *Evaluation) completed() []diag.Edit {
	a := &e.Chain.Attributes
	given, ok := e.Sent()
	if !ok || e.Registered == nil || a.Operation != request.Create || a.SubResource != "" {
		return nil
	}
	sent, known := e.Catalog.TypeOf(a.Kind)
	if !known {
		return nil
	}
	after, ok := completion.Object(sent, given.Value, e.causes)
	if !ok {
		return nil
	}
	edits, ok := objecttext.Edits(given.Document, given.At, given.Value, after)
	if !ok {
		return nil
	}
	return objecttext.Joined(edits)
}

// Sent is the object of the request as its text has it. It is false where the text is not at hand.
func (e *Evaluation) Sent() (objecttext.Object, bool) {
	given := e.Form.text
	if given == nil {
		return objecttext.Object{}, false
	}
	path := ""
	if given.Form != request.Object {
		path = given.ObjectPath
	}
	return objecttext.In(given.Document(), path)
}

// causes is why the server's own validation rejects an object in place of the request's; nil where it
// does not.
func (e *Evaluation) causes(object map[string]any) []metav1.StatusCause {
	a := &e.Chain.Attributes
	tried := maps.Clone(object)
	tried["metadata"] = runtime.DeepCopyJSONValue(a.Object["metadata"])
	tried = e.Catalog.Default(a.Kind, tried)
	s := storage.Storage{Chain: e.Chain, Now: e.Now, Changes: e.Scenario.BeforeValidation, Variant: e.variant, Registry: e.Store.Registry}
	status := s.Refusal(tried)
	switch {
	case status == nil:
		return nil
	case status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0:
		return []metav1.StatusCause{{Message: status.Error()}}
	}
	return status.ErrStatus.Details.Causes
}
