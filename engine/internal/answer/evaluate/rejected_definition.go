package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const definitionKind = "CustomResourceDefinition"

// ofDefinitions completes the problem of a request whose kind is not known: where the server
// rejects the definition of the kind, that is the mistake, and this no more than what comes
// of it; and where a definition has the kind in small letters, the definition is to be
// changed, as kinds are written with capitals.
func (e *Evaluation) ofDefinitions(problems []diag.Diagnostic) {
	for i := range problems {
		d := &problems[i]
		if d.Code != codes.UnknownKind || d.Severity != diag.Warning || d.Text != diag.Request {
			continue
		}
		of := e.requestDocument(d.Span)
		if of == nil {
			continue
		}
		group, _, _ := strings.Cut(of.APIVersion, "/")
		definition := e.definitionOf(group, of.Kind)
		if definition == nil {
			continue
		}
		kind, _, _ := unstructured.NestedString(definition.Value, "spec", "names", "kind")
		switch refused := e.refusedDefinition(definition); {
		case refused:
			d.Severity, d.Fixes = diag.Info, nil
			d.Summary = fmt.Sprintf("the server rejects the %s %s, so kind %s does not exist", definitionKind, definition.Name, of.Kind)
			d.Detail = "The server answers 404. Preadmit still runs the request, with fields of any type."
		case strings.EqualFold(kind, of.Kind) && kind != "" && unicode.IsLower(rune(kind[0])) && !unicode.IsLower(rune(of.Kind[0])):
			d.Fixes = []diag.Fix{{Title: "Change the kind of the definition to " + of.Kind, Edits: []diag.Edit{{
				Text: definition.Text, Span: definition.Locate("spec.names.kind"), New: scenario.Scalar(of.Kind)}}}}
		}
	}
}

// requestDocument is the document of the request's text that a place is in.
func (e *Evaluation) requestDocument(place diag.Span) *scenario.Document {
	for _, d := range e.Parsed(diag.Request) {
		if d.Span.Start <= place.Start && place.End <= d.Span.End && d.Kind != "" {
			return d
		}
	}
	return nil
}

// definitionOf is the definition of the kinds of a group: that of the kind if it is there,
// else the only one of the group. Nil if there is none.
func (e *Evaluation) definitionOf(group, kind string) *scenario.Document {
	var all []*scenario.Document
	for _, d := range slices.Concat(e.Compiled.Documents[diag.Policies], e.Compiled.Documents[diag.Cluster]) {
		of, _, _ := unstructured.NestedString(d.Value, "spec", "group")
		if d.Kind != definitionKind || of != group {
			continue
		}
		if name, _, _ := unstructured.NestedString(d.Value, "spec", "names", "kind"); strings.EqualFold(name, kind) {
			return d
		}
		all = append(all, d)
	}
	if len(all) == 1 {
		return all[0]
	}
	return nil
}

// refusedDefinition reports whether the server rejects a definition.
func (e *Evaluation) refusedDefinition(d *scenario.Document) bool {
	return slices.ContainsFunc(e.Report.Install, func(in report.Install) bool {
		return in.Code != 0 && in.Kind == definitionKind && in.Name == d.Name && in.Text == d.Text
	})
}

// ofClosedObject completes what is said of dropped fields of a custom resource: where the definition has an object
// without any fields around them, it is the definition that is hardly meant so.
func (e *Evaluation) ofClosedObject(r *request.Request, dropped []diag.Diagnostic) []diag.Diagnostic {
	d := e.Customs.Definitions[r.Resource.GroupResource()]
	if d == nil || d.Document == nil {
		return dropped
	}
	versions, _, _ := unstructured.NestedSlice(d.Document.Value, "spec", "versions")
	index := slices.IndexFunc(versions, func(v any) bool { version, _ := v.(map[string]any); return version["name"] == r.Resource.Version })
	if index < 0 {
		return dropped
	}
	for i := range dropped {
		p := &dropped[i]
		at := fieldpath.New("spec", "versions").Index(index).Child("schema", "openAPIV3Schema")
		around := fieldpath.Parse(strings.TrimPrefix(p.Path, r.ObjectPath+".")).Parent()
		for _, step := range around {
			if at = at.Child("properties").Key(step.Name()); step.IsIndex() {
				at = at.Parent().Parent().Child("items")
			}
		}
		node := fieldpath.As[map[string]any](at.Get(d.Document.Value))
		if node["type"] != "object" || node["properties"] != nil || node["additionalProperties"] != nil || node[preserve] != nil || len(around) == 0 {
			continue
		}
		p.Detail = fmt.Sprintf("The definition has %s as an object without fields, so the server drops what is in it.", around)
		if edit, ok := d.Document.Insert(at.String(), preserve, "true"); ok && len(p.Fixes) == 0 {
			p.Fixes = []diag.Fix{{Title: fmt.Sprintf("Add %s: true to %s in the definition", preserve, around), Edits: []diag.Edit{edit}}}
		}
	}
	return dropped
}

const preserve = "x-kubernetes-preserve-unknown-fields"
