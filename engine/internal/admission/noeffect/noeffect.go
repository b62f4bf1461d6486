// Package noeffect finds parts of a finished run that had no effect, or
// an unintended one: selectors that the server does not apply, rules that miss the request
// by one field, custom resource rules that were not evaluated, mutations that change
// nothing, values that the server drops, and denials that keep an object from going away.
package noeffect

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Run is a finished run with its texts.
type Run struct {
	Report *report.Report
	// Initial is the request as it came in, Final as it went out.
	Initial, Final *run.Attributes
	// Plain are the texts, Parsed gives the documents of one.
	Plain  map[diag.Text]string
	Parsed func(diag.Text) []*scenario.Document
	// Namespace is the Namespace of the request; nil where no text gives it.
	Namespace map[string]any
	// Definition is the definition of the request's kind with its document; nil for others.
	Definition *crd.Definition
	Document   *scenario.Document

	seen map[string]bool
	out  []diag.Diagnostic
}

// Diagnose returns what had no effect, each thing once.
func Diagnose(r *Run) []diag.Diagnostic {
	r.seen = map[string]bool{}
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		if !s.OfPolicy() {
			continue
		}
		r.webhookPatch(s)
		doc := r.document(s)
		if doc == nil {
			continue
		}
		r.selectors(s.Match, doc)
		if binding := r.binding(s); binding != nil {
			r.selectors(s.BindingMatch, binding)
		}
		r.nearlyMatches(s, doc)
		r.annotations(s, doc)
		r.mutations(s, doc)
		r.unchanged(i, doc)
		r.twice(s, doc)
		r.stuck(s, doc)
		s.Evaluations(func(e *report.Evaluation) { r.values(e, doc) })
	}
	r.customRules()
	return r.out
}

// binding is the document of a step's binding, nil without one.
func (r *Run) binding(s *report.Step) *scenario.Document {
	if s.Binding == "" {
		return nil
	}
	for _, d := range r.Parsed(diag.Policies) {
		if d.Kind == s.Kind+"Binding" && d.Name == s.Binding {
			return d
		}
	}
	return nil
}

// document is that of a step's policy or webhook configuration; nil where no text has it.
func (r *Run) document(s *report.Step) *scenario.Document {
	name := s.Policy
	if s.Configuration != "" {
		name = s.Configuration
	}
	for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
		for _, d := range r.Parsed(text) {
			if d.Kind == s.Kind && d.Name == name && (s.Text == "" || s.Text == d.Text) {
				return d
			}
		}
	}
	return nil
}

// source is the text of an expression that can be rewritten; nil where there is none.
func (r *Run) source(doc *scenario.Document, path string) *rewrite.Source {
	return rewrite.In(doc, r.Plain[doc.Text], path)
}

// add reports a finding about a field of a document, once. It is advice, except for what
// breaks the cluster.
func (r *Run) add(doc *scenario.Document, code, path string, span diag.Span, summary, detail string, fixes ...diag.Fix) {
	document := doc.Kind + "/" + doc.Name
	if slices.ContainsFunc(r.Report.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == code && d.Path == path && d.Document == document }) {
		return // it is known without a request
	}
	key := code + " " + doc.Kind + "/" + doc.Name + " " + path + " " + summary
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	severity := diag.Info
	if code == codes.KeepsObject || code == codes.NotIdempotent || code == codes.WebhookPatch {
		severity = diag.Warning
	}
	r.out = append(r.out, diag.Diagnostic{Code: code, Severity: severity, Text: doc.Text, Span: span, Path: path, Document: doc.Kind + "/" + doc.Name,
		Summary: summary, Detail: detail, Fixes: slices.DeleteFunc(fixes, func(f diag.Fix) bool { return len(f.Edits) == 0 })})
}

// fix is a repair of one edit; without edits, so that add leaves it out, where it cannot be made.
func fix(title string, edit diag.Edit, ok bool) diag.Fix {
	if !ok {
		return diag.Fix{}
	}
	return diag.Fix{Title: title, Edits: []diag.Edit{edit}}
}
