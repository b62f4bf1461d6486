package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// FieldValidation is the server's reaction when it decodes the request's object.
type FieldValidation struct {
	// Status is the rejection, or nil. Problems are its causes' places.
	Status   *apierrors.StatusError
	Problems []diag.Diagnostic
	Warnings []string
	// Strict is the server's message to kubectl, which requests strict validation. It is empty if
	// the request sets fieldValidation, or if nothing is wrong.
	Strict string
}

// ValidateFields returns the server's reaction to duplicate keys and unknown fields, by the
// fieldValidation option of the request: a rejection for Strict, warnings for Warn. A request
// without the option uses the directive usual. If that is empty, or the request is not decoded
// here, the result is empty.
func (r *Request) ValidateFields(c *catalog.Catalog, usual string) FieldValidation {
	said, _ := r.Options["fieldValidation"].(string)
	directive := cmp.Or(said, usual)
	strict := directive == metav1.FieldValidationStrict
	if !strict && directive != metav1.FieldValidationWarn || r.Object == nil || r.Operation != Create && r.Operation != Update {
		return FieldValidation{}
	}
	if said == "" && r.read != nil && len(r.read.dropped) == 0 {
		return FieldValidation{} // kubectl resolves duplicates before it sends JSON
	}
	var out FieldValidation
	var errs []error
	for _, d := range r.decoded(c) {
		out.Warnings, out.Problems, errs = append(out.Warnings, d.Summary), append(out.Problems, d), append(errs, errors.New(d.Summary))
	}
	if len(errs) == 0 {
		return FieldValidation{}
	}
	refusal := r.unreadable(c, runtime.NewStrictDecodingError(errs))
	switch {
	case strict:
		return FieldValidation{Status: refusal, Problems: out.Problems}
	case said == "":
		out.Strict = refusal.ErrStatus.Message
	}
	out.Problems = nil
	return out
}

// decoded returns duplicate keys and unknown fields in the server's order. For a custom resource
// these are first duplicates, then metadata, then the rest by name; for a built-in kind they follow
// the text.
func (r *Request) decoded(c *catalog.Catalog) []diag.Diagnostic {
	var out []diag.Diagnostic
	said := func(code, path, text string) {
		path = fieldpath.Join(r.ObjectPath, path)
		out = append(out, diag.Diagnostic{Code: code, Severity: diag.Error, Text: diag.Request, Span: r.Document().LocateKey(path), Path: path, Summary: text,
			Detail: "The request has strict field validation (fieldValidation), so the server rejects it."})
	}
	for _, path := range r.Document().DuplicateFields(r.ObjectPath) {
		said(codes.DuplicateKey, path, fmt.Sprintf("duplicate field %q", path))
	}
	_, dropped := c.Normalise(r.Kind, r.Object)
	dropped = slices.DeleteFunc(dropped, func(p catalog.Problem) bool { return !p.Unknown })
	slices.SortStableFunc(dropped, func(a, b catalog.Problem) int { return inMetadata(b) - inMetadata(a) })
	for _, problem := range dropped {
		said(codes.UnknownField, problem.Path, problem.Message)
	}
	if resource, known := c.ResourceForKind(r.Kind); known && resource.Builtin {
		slices.SortStableFunc(out, func(a, b diag.Diagnostic) int { return a.Span.Start - b.Span.Start })
	}
	return out
}

// inMetadata is 1 for a problem in the object's own metadata, else 0.
func inMetadata(p catalog.Problem) int {
	if strings.HasPrefix(p.Path, "metadata.") {
		return 1
	}
	return 0
}

// resolvedKeys reports keys that an object's text sets twice by merging mappings. What the server
// sees of them depends on the client.
func (r *Request) resolvedKeys() []diag.Diagnostic {
	if r.Form != Object {
		return nil
	}
	twice := r.Document().DuplicateKeys()
	if len(twice) == 0 || len(r.Document().DuplicateFields("")) > 0 { // the text has direct duplicates, which are reported
		return nil
	}
	return []diag.Diagnostic{{Code: codes.DuplicateKey, Severity: diag.Warning, Text: diag.Request, Span: r.Document().Span,
		Summary: "sent as YAML, the server warns: " + strings.Join(twice, "; "),
		Detail:  "kubectl resolves merge keys (<<) before it sends JSON, so the server never sees them. A client that sends application/yaml gets the warning, or with fieldValidation=Strict the answer 400."}}
}
