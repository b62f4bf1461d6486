package evaluate

import (
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxInvalid is how many causes of a rejection are marked in the texts. The verdict has them all.
const maxInvalid = 10

// invalidObject marks what the server's own validation rejects: the value in the request, with a
// repair where one is likely, or the policy or webhook that set it. The verdict has the server's
// text.
func (e *Evaluation) invalidObject(status *apierrors.StatusError) []diag.Diagnostic {
	if status.ErrStatus.Details == nil {
		return nil
	}
	var out []diag.Diagnostic
	seen := map[string]bool{}
	for _, cause := range status.ErrStatus.Details.Causes {
		if seen[cause.Field+cause.Message] || len(out) == maxInvalid {
			continue
		}
		seen[cause.Field+cause.Message] = true
		if e.knows(cause.Field, cause.Message) {
			continue
		}
		if by, ok := e.setBy(cause.Field); ok {
			fixes := slices.Concat(e.writtenValue(by.step, cause.Field, cause.Message), e.withoutUpdate(by, cause))
			out = append(out, by.problem(cause, nameOf(by.step)+" changes "+cause.Field+", and the server rejects the object for it.", fixes...))
		} else if by, ok := e.brokenBy(cause); ok {
			out = append(out, by.problem(cause, "The server rejects "+cause.Field+" because of what "+nameOf(by.step)+" changes elsewhere in the object. Before that change the field was valid."))
		} else if d, ok := e.invalidValue(cause.Field, cause.Message); ok {
			e.explainCause(&d, cause)
			e.explainKept(&d, cause.Field)
			out = append(out, d)
		}
	}
	if first := slices.IndexFunc(out, func(d diag.Diagnostic) bool { return d.Text == diag.Request }); first >= 0 {
		repaired := slices.ContainsFunc(out, func(d diag.Diagnostic) bool { return len(d.Fixes) > 0 })
		out[first].Fixes = e.sketched(status, out[first].Fixes, repaired)
	}
	return out
}

// knows reports whether there is a better diagnostic of a field of the request.
func (e *Evaluation) knows(field, message string) bool {
	return slices.ContainsFunc(e.Report.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Text == diag.Request && (d.Severity == diag.Error && d.Path == field || d.Code == codes.SelectorMismatch && strings.Contains(message, "`selector` does not match"))
	})
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// changer is a policy, one of its mutations or a webhook that changed the object.
type changer struct {
	step *report.Step
	path string
	span diag.Span
}

// problem is what the server says of an object that the changer made invalid.
func (c changer) problem(cause metav1.StatusCause, detail string, fixes ...diag.Fix) diag.Diagnostic {
	return diag.Diagnostic{Code: codes.InvalidObject, Severity: diag.Warning, Text: c.step.Text, Span: c.span, Path: c.path,
		Summary: firstLine(cause.Message), Detail: detail, Fixes: fixes}
}

// lastChanger is the last that changed the object in a way that f looks for.
func (e *Evaluation) lastChanger(f func(before, after map[string]any) bool) (changer, bool) {
	for _, s := range slices.Backward(e.Chain.Steps()) {
		if s.Before == nil || s.After == nil || !s.OfPolicy() || s.Text == "" {
			continue
		}
		for i := range slices.Backward(s.Mutations) {
			if m := &s.Mutations[i]; m.Before != nil && m.After != nil && m.Text == s.Text && f(m.Before, m.After) {
				return changer{s, m.Path, m.Span}, true
			}
		}
		if f(s.Before, s.After) {
			return changer{s, "", s.Span}, true
		}
	}
	return changer{}, false
}

// setBy is what changed a field last.
func (e *Evaluation) setBy(field string) (changer, bool) {
	at := fieldpath.Parse(field)
	return e.lastChanger(func(before, after map[string]any) bool {
		was, _ := at.Get(before)
		is, _ := at.Get(after)
		return !reflect.DeepEqual(was, is)
	})
}

// brokenBy is what changed other fields so that a field became invalid, such as a selector that no longer
// matches the labels. There is none where the request itself is to blame.
func (e *Evaluation) brokenBy(cause metav1.StatusCause) (changer, bool) {
	if e.Once || e.Registered == nil {
		return changer{}, false
	}
	invalid := func(c metav1.StatusCause) bool { return c.Field == cause.Field && c.Type == cause.Type }
	return e.lastChanger(func(before, after map[string]any) bool {
		return !reflect.DeepEqual(before, after) && !slices.ContainsFunc(e.causes(before), invalid)
	})
}

// writtenValue repairs a value where a policy writes it, if its text has it once.
func (e *Evaluation) writtenValue(by *report.Step, field, message string) []diag.Fix {
	got := fieldpath.As[string](fieldpath.Parse(field).Get(by.After))
	meant := allowedValue(got, message)
	for _, d := range e.Parsed(by.Text) {
		if d.Kind != by.Kind || d.Name != by.Policy || meant == "" || by.Text != diag.Policies {
			continue
		}
		if text := e.Scenario.Policies[d.Span.Start:d.Span.End]; strings.Count(text, got) == 1 {
			start := d.Span.Start + strings.Index(text, got)
			return []diag.Fix{{Title: "Change to " + meant, Edits: []diag.Edit{{Text: by.Text, Span: diag.Span{Start: start, End: start + len(got)}, New: meant}}}}
		}
	}
	return nil
}

func nameOf(s *report.Step) string {
	if s.Webhook != "" {
		return "webhook " + s.Webhook
	}
	return s.Kind + " " + s.Policy
}

// invalidValue marks a field of the request. It is false where its text is not at hand.
func (e *Evaluation) invalidValue(field, message string) (diag.Diagnostic, bool) {
	given := e.Form.text
	if given == nil {
		return diag.Diagnostic{}, false
	}
	path := field
	if e.Form.Applied {
		path = e.pathInConfig(field)
	}
	if given.Form != request.Object {
		path = fieldpath.Join(given.ObjectPath, path)
	}
	d := diag.Diagnostic{Code: codes.InvalidObject, Severity: diag.Warning, Text: diag.Request, Span: given.Document().Locate(path), Path: path,
		Summary: report.WithoutValue(firstLine(message), maxShown), Detail: "The server rejects the object because of this."}
	got := fieldpath.As[string](fieldpath.Parse(path).Get(given.Document().Value))
	meant := []string{allowedValue(got, message)}
	if meant[0] == "" {
		meant = suggest.Listed(message)
	}
	if len(meant) > maxAllowed {
		return d, true
	}
	for _, value := range meant {
		if edit, ok := given.Document().Rewrite(path, value); ok && got != "" {
			d.Fixes = append(d.Fixes, diag.Fix{Title: "Change to " + value, Edits: []diag.Edit{edit}})
		}
	}
	return d, true
}

// maxAllowed is the number of allowed values up to which each is offered.
const maxAllowed = 4

// notInLabel is what no DNS label has in it, betweenWords where a word begins in a name.
var (
	notInLabel   = lazy.Regexp{Text: `[^a-z0-9.-]+`}
	betweenWords = lazy.Regexp{Text: `([a-z0-9])([A-Z])`}
	// hostOf matches a URL or an address with a port, and the host in it.
	hostOf = lazy.Regexp{Text: `^(?:[a-z]+://([a-z0-9.-]+).*|([a-z0-9-]+(?:\.[a-z0-9-]+)+)[:/].*)$`}
)

// allowedValue is the value that another one probably means, by what the server says of it:
// one of those that it lists, or a name in the letters that names have. It is empty where
// that is not plain.
func allowedValue(got, message string) string {
	switch {
	case got == "":
		return ""
	case strings.HasPrefix(message, "Unsupported value"):
		return suggest.Supported(message, got)
	case strings.Contains(message, "RFC 1123") || strings.Contains(message, "DNS-1035"):
		if host := hostOf.FindStringSubmatch(got); host != nil {
			return host[1] + host[2]
		}
		name := strings.ToLower(betweenWords.ReplaceAllString(got, "$1-$2"))
		if name = strings.Trim(notInLabel.ReplaceAllString(name, "-"), "-."); name != got {
			return name
		}
	}
	return ""
}

// invalidBefore reports whether the old object has all errors that the new one is rejected for, so
// that the update is not to blame: a stored object is valid, and this old object is a sketch of it.
// The objects that a search makes up are no sketches: there an invalid one proves nothing.
func (e *Evaluation) invalidBefore(status *apierrors.StatusError) bool {
	a := &e.Chain.Attributes
	if e.Once || e.Registered == nil || a.Operation != request.Update || a.OldObject == nil || status.ErrStatus.Details == nil {
		return false
	}
	s := storage.Storage{Chain: e.Chain, Now: e.Now, Changes: e.Scenario.BeforeValidation, Variant: e.variant, Registry: e.Store.Registry}
	before := s.Refusal(runtime.DeepCopyJSON(a.OldObject))
	if before == nil || before.ErrStatus.Details == nil {
		return false
	}
	old := before.ErrStatus.Details.Causes
	return !slices.ContainsFunc(status.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool { return !slices.Contains(old, c) })
}

// leftAside are the errors that the old object has as well, as remarks.
func (e *Evaluation) leftAside(status *apierrors.StatusError) []diag.Diagnostic {
	list := e.invalidObject(status)
	for i := range list {
		list[i].Severity, list[i].Fixes = diag.Info, nil
		list[i].Summary = "ignored: the old object has the same error: " + list[i].Summary
		list[i].Detail = "The API server would reject this update. But a stored object is valid, so Preadmit treats both objects as drafts."
	}
	return list
}
