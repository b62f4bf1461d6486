package evaluate

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// invalidOptions marks what the server rejects of the request's options, and shortens what is too long.
func (e *Evaluation) invalidOptions(status *apierrors.StatusError) (out []diag.Diagnostic) {
	given := e.Form.text
	if given == nil || given.Form == request.Object || status.ErrStatus.Details == nil {
		return nil // no text has them
	}
	options, ok := objecttext.In(given.Document(), fieldpath.Parse(given.ObjectPath).Parent().Child("options").String())
	if !ok {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		path := options.Path(cause.Field)
		d := diag.Diagnostic{Code: codes.InvalidObject, Severity: diag.Warning, Text: diag.Request, Span: options.Document.Locate(path), Path: path,
			Summary: firstLine(cause.Message), Detail: "The server rejects the options before it looks at the object."}
		if limit := longText.FindStringSubmatch(cause.Message); limit != nil {
			shorten(&d, options, fieldpath.Parse(cause.Field), limit[1])
		}
		out = append(out, d)
	}
	return out
}
