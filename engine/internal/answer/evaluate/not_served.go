package evaluate

import (
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// notServed is the answer to a request for what the server has no path for: a version of its own kinds
// that it does not serve, or a subresource that a resource does not have. Nil where there may be one.
func (e *Evaluation) notServed(r *request.Request) *apierrors.StatusError {
	if e.AdmissionOnly() {
		return nil
	}
	resource, known := e.Catalog.ResourceFor(r.Resource)
	_, has := resource.Subresources[r.SubResource]
	definition := e.Customs.Definitions[r.Resource.GroupResource()]
	switch {
	case known && definition != nil && definition.Unestablished(e.Version) && !e.Form.Captured:
	case !known && e.Catalog.OnlyBuiltin(r.Kind):
		e.refusedKind()
	case known && r.SubResource != "" && !has && !resource.Builtin:
		e.Diagnose([]diag.Diagnostic{e.withoutSubresource(r, resource)})
		return apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	default:
		return nil
	}
	return apierrors.NewGenericServerResponse(http.StatusNotFound, strings.ToLower(r.Operation), r.Resource.GroupResource(), r.Name, "", 0, false)
}

// refusedKind makes the doubt about the kind a mistake, as no definition could serve it.
func (e *Evaluation) refusedKind() {
	for i := range e.Report.Diagnostics {
		if d := &e.Report.Diagnostics[i]; d.Code == codes.UnknownKind && d.Text == diag.Request {
			d.Severity = diag.Error
		}
	}
}

// withoutSubresource says that the definition of a resource does not switch its subresource on.
func (e *Evaluation) withoutSubresource(r *request.Request, resource catalog.Resource) diag.Diagnostic {
	name := resource.GVR.GroupResource().String()
	out := diag.Diagnostic{Code: codes.NoResource, Severity: diag.Error, Text: diag.Request, Span: r.Document().Span,
		Summary: fmt.Sprintf("%s %s has no subresource %s in version %s, so the server answers 404", definitionKind, name, r.SubResource, resource.GVR.Version)}
	d := e.definitionOf(r.Kind.Group, r.Kind.Kind)
	fields := map[string]string{"status": "{}", "scale": "{specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}"}[r.SubResource]
	if d == nil || fields == "" {
		return out
	}
	out.Detail = "The server serves a subresource of custom resources only where their definition names it. Without it, the fields are written with the object itself."
	list := fieldpath.As[[]any](fieldpath.Parse("spec.versions").Get(d.Value))
	for i := range list {
		at := fieldpath.New("spec", "versions").Index(i)
		if is, _ := at.Child("name").Get(d.Value); is != resource.GVR.Version {
			continue
		}
		parent, field, value := at, "subresources", "{"+r.SubResource+": "+fields+"}"
		if d.Has(at.Child("subresources").String()) {
			parent, field, value = at.Child("subresources"), r.SubResource, fields
		}
		if edit, ok := d.Insert(parent.String(), field, value); ok {
			out.Text, out.Span, out.Path, out.Document = d.Text, d.Locate(at.String()), at.String(), d.Kind+"/"+d.Name
			out.Fixes = []diag.Fix{{Title: "Add the subresource " + r.SubResource, Edits: []diag.Edit{edit}, Draft: r.SubResource == "scale"}}
		}
	}
	return out
}
