package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// kindless are objects of a cluster that people write without saying what they are, by the one
// field that they have besides metadata.
var kindless = map[string]struct{ apiVersion, kind string }{
	"":     {"v1", "Namespace"},
	"data": {"v1", "ConfigMap"},
}

// withoutKind reports an object of the cluster that has no kind, with the one that its fields are
// those of.
func (p *clusterReader) withoutKind(d *scenario.Document) {
	missing := "kind"
	if d.APIVersion == "" {
		missing = "apiVersion and kind"
	}
	p.diagnose([]diag.Diagnostic{{Code: codes.UnknownKind, Severity: diag.Warning, Text: d.Text, Span: d.Locate(""), Document: "/" + d.Name,
		Summary: fmt.Sprintf("this object has no %s, so its kind is unknown", missing),
		Detail:  "The object is left out.", Fixes: kindFor(d)}})
}

// kindFor writes the kind of an object that has none.
func kindFor(d *scenario.Document) []diag.Fix {
	field := ""
	for name := range d.Value {
		switch {
		case slices.Contains([]string{"metadata", "apiVersion", "kind"}, name):
		case field != "":
			return nil
		default:
			field = name
		}
	}
	is, ok := kindless[field]
	if !ok || d.Name == "" || field == "" && d.Has("metadata.namespace") || d.APIVersion != "" && d.APIVersion != is.apiVersion || d.Brackets("") || d.Has("kind") {
		return nil
	}
	var lines strings.Builder
	if d.APIVersion == "" && !d.Has("apiVersion") {
		lines.WriteString("apiVersion: " + is.apiVersion + "\n")
	}
	lines.WriteString("kind: " + is.kind + "\n")
	at := diag.Span{Start: d.Span.Start, End: d.Span.Start}
	return []diag.Fix{{Title: "Make it a " + is.kind, Edits: []diag.Edit{{Text: d.Text, Span: at, New: lines.String()}}}}
}
