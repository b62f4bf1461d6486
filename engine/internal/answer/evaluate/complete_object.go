package evaluate

import (
	"fmt"
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
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// sketched are the ways on with an object that is rejected as it lacks something: to fill that in, and to
// leave the validation out, as people try policies on sketches. That is no repair, so it never stands alone. own are
// the repairs of the first of the errors, which end only that one.
func (e *Evaluation) sketched(status *apierrors.StatusError, own []diag.Fix, repaired bool) []diag.Fix {
	causes := status.ErrStatus.Details.Causes
	if !slices.ContainsFunc(causes, completion.Lacks) {
		return own
	}
	if len(own) == 0 || len(causes) > 1 {
		if edits := e.completed(); edits != nil {
			whole := diag.Fix{Title: "Complete this object", Edits: edits, Draft: true}
			if !slices.ContainsFunc(causes, func(c metav1.StatusCause) bool { return !completion.Lacks(c) }) {
				own = []diag.Fix{whole}
			} else {
				own = append(own, whole)
			}
		}
	}
	policies := len(e.MutatingPolicies)+len(e.ValidatingPolicies)+len(e.MutatingHooks)+len(e.ValidatingHooks) > 0
	if policies && (repaired || len(own) > 0) {
		own = append(own, diag.Fix{Title: "Check the policies only", Edits: []diag.Edit{}, AdmissionOnly: true})
	}
	return own
}

// requiredBuiltin names a field that the server requires, and offers an example of it.
func (e *Evaluation) requiredBuiltin(d *diag.Diagnostic, cause metav1.StatusCause, sent objecttext.Object) {
	path := fieldpath.Parse(cause.Field)
	if value, there := path.Get(sent.Value); there {
		d.Detail = fmt.Sprintf("To the server, %s is missing where its value is %s.", path.Last(), shortened(shown(value)))
	} else if around := path.Parent(); len(around) > 0 {
		d.Detail = fmt.Sprintf("The server requires %s in %s, and has no default for it.", path.Last(), around)
	} else {
		d.Detail = fmt.Sprintf("The server requires %s, and has no default for it.", path.Last())
	}
	of, known := e.Catalog.TypeOf(e.Chain.Attributes.Kind)
	if !known || sent.Value == nil {
		return
	}
	after, ok := completion.Fill(of, sent.Value, cause)
	value, there := path.Get(after)
	if !ok || !there {
		return
	}
	a := &advised{sent: sent, path: path}
	for _, p := range a.write(path, value, true) {
		if e.clears(sent, cause, p.change) {
			for _, fix := range sent.Fix(p.title, p.change) {
				fix.Draft = true
				d.Fixes = append(d.Fixes, fix)
			}
		}
	}
}

// completed are the edits of the request with which the server accepts a new object; nil where there
// are none that will do.
func (e *Evaluation) completed() []diag.Edit {
	a := &e.Chain.Attributes
	given, ok := e.Sent()
	if !ok || e.Registered == nil || a.Operation != request.Create && a.Operation != request.Update || a.SubResource != "" {
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
