package foresight

import (
	"fmt"
	"maps"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// nearParams finds bindings whose paramRef finds none of the scenario's params, but nearly one: of a similar name, of
// the same name in another namespace, or with another value of a label that the selector demands.
func (f *foresight) nearParams(s *subject) {
	if s.kind == nil || s.unbound || s.binding.ParamRef == nil || s.binding.Document == nil {
		return
	}
	var params []*scenario.Document
	for _, d := range slices.Concat(f.Documents[diag.Policies], f.Documents[diag.Cluster]) {
		if apiVersion, _ := d.Value["apiVersion"].(string); apiVersion != s.kind.APIVersion || d.Kind != s.kind.Kind {
			continue
		}
		if s.refersTo(d) {
			return
		}
		params = append(params, d)
	}
	for _, d := range params {
		if path, wanted, has := s.nearly(d); path != "" {
			f.reportNear(s, d, path, wanted, has)
			return
		}
	}
}

// nearly is the field of a paramRef that keeps it from finding a param, with its value and the one that finds it; empty
// for a param that it does not mean.
func (s *subject) nearly(d *scenario.Document) (path, wanted, has string) {
	ref, namespace := s.binding.ParamRef, textAt(d.Value, "metadata", "namespace")
	here := ref.Namespace == "" || ref.Namespace == namespace
	if ref.Selector != nil {
		for _, key := range slices.Sorted(maps.Keys(ref.Selector.MatchLabels)) {
			if label := textAt(d.Value, "metadata", "labels", key); here && label != "" && label != ref.Selector.MatchLabels[key] {
				return "spec.paramRef.selector.matchLabels", key + "=" + ref.Selector.MatchLabels[key], key + "=" + label
			}
		}
		return "", "", ""
	}
	if _, near := suggest.Of([]string{d.Name}, ref.Name); here && near {
		return "spec.paramRef.name", ref.Name, d.Name
	}
	if !here && d.Name == ref.Name {
		return "spec.paramRef.namespace", ref.Namespace, namespace
	}
	return "", "", ""
}

func (f *foresight) reportNear(s *subject, d *scenario.Document, path, wanted, has string) {
	b := s.binding.Document
	effect := "The server denies each matched request then, because of parameterNotFoundAction Deny."
	if act := s.binding.ParamRef.ParameterNotFoundAction; act != nil && *act == "Allow" {
		effect = "The policy then checks nothing, because of parameterNotFoundAction Allow."
	}
	out := diag.Diagnostic{Code: codes.MissingParam, Severity: diag.Warning, Accepted: true, Text: b.Text, Span: b.Locate(path), Path: path, Document: b.Kind + "/" + b.Name,
		Summary: fmt.Sprintf("the paramRef finds no %s: it has %s, and %s %s has %s", s.kind.Kind, wanted, s.kind.Kind, d.Name, has), Detail: effect}
	if path != "spec.paramRef.selector.matchLabels" {
		if edit, ok := b.Rewrite(path, has); ok {
			out.Fixes = []diag.Fix{{Title: "Change to " + has, Edits: []diag.Edit{edit}, Choice: true}}
		}
	}
	f.found = append(f.found, out)
}
