package engine

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// invalidObject marks the values of the request's object that the server's own validation
// refuses, where there is one that was most likely meant. The verdict has the server's text.
func (e *evaluation) invalidObject(status *apierrors.StatusError) []diag.Diagnostic {
	given := e.form.text
	if given == nil || status.ErrStatus.Details == nil {
		return nil
	}
	var out []diag.Diagnostic
	for _, cause := range status.ErrStatus.Details.Causes {
		path := cause.Field
		if given.Form != request.Object {
			path = fieldpath.Join(given.ObjectPath, path)
		}
		value, _ := fieldpath.Parse(path).Get(given.Document().Value)
		got, _ := value.(string)
		meant := allowedValue(got, cause.Message)
		if meant == "" {
			continue
		}
		if edit, ok := given.Document().Rewrite(path, meant); ok {
			out = append(out, diag.Diagnostic{Code: codes.InvalidObject, Severity: diag.Warning, Text: diag.Request, Span: given.Document().Locate(path), Path: path, Summary: cause.Message,
				Detail: "The server refuses the object for it.", Fixes: []diag.Fix{{Title: "Change to " + meant, Edits: []diag.Edit{edit}}}})
		}
	}
	return out
}

// notInLabel is what no DNS label has in it, betweenWords where a word begins in a name.
var (
	notInLabel   = lazy.Regexp{Text: `[^a-z0-9.-]+`}
	betweenWords = lazy.Regexp{Text: `([a-z0-9])([A-Z])`}
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
		name := strings.ToLower(betweenWords.ReplaceAllString(got, "$1-$2"))
		if name = strings.Trim(notInLabel.ReplaceAllString(name, "-"), "-."); name != got {
			return name
		}
	}
	return ""
}
