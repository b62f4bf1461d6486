// Package table returns every policy's and webhook's result for many requests,
// one row per request.
package table

import (
	"context"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// Row is what became of one record: one line of a table of many.
type Row struct {
	// File is the name of its file, if several are read; Line is where the record
	// begins in it, from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	// Kind is that of the object, with its group: Deployment.apps.
	Operation   string `json:"operation,omitempty"`
	Kind        string `json:"kind,omitempty"`
	SubResource string `json:"subResource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	User        string `json:"user,omitempty"`
	// State is the verdict. It is empty when the record was not replayed, which Skipped or
	// Problem explain.
	State report.State `json:"state,omitempty"`
	Code  int          `json:"code,omitempty"`
	// Message is that of a rejection; else what the state rests on.
	Message  string   `json:"message,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Cells has each policy and webhook that the request met, in the order of the
	// server, and what it rejects.
	Cells []Cell `json:"cells,omitempty"`
	// Skipped says why the record cannot be replayed, Problem what is wrong with
	// it, and Note what is missing from it.
	Skipped string `json:"skipped,omitempty"`
	Problem string `json:"problem,omitempty"`
	Note    string `json:"note,omitempty"`
}

// Cell is what one policy, or one webhook, made of a request.
type Cell struct {
	// Kind is that of the policy, or of the webhook's configuration. Name is that
	// of the policy or webhook; of a document that the server rejects it is the
	// document's.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// State is the strongest of all bindings, params and passes.
	State CellState `json:"state"`
	// Reason says in one sentence what the state rests on.
	Reason string `json:"reason,omitempty"`
}

// CellState is what became of a policy: the state of its steps, or refused.
type CellState string

// The states of a cell, the strongest first. All but the first are those of steps.
const (
	CellRefused    CellState = "refused" // the server rejects it, so it did not run
	CellDenied     CellState = "denied"
	CellFailed     CellState = "error ignored"
	CellMutated    CellState = "mutated"
	CellWarned     CellState = "warned"
	CellAudited    CellState = "audited"
	CellAdmitted   CellState = "admitted"
	CellUnchanged  CellState = "unchanged"
	CellExcluded   CellState = "excluded"
	CellNotCalled  CellState = "not called"
	CellSkipped    CellState = "skipped"
	CellNotMatched CellState = "not matched"
)

// strength orders the states of the steps of one policy, the strongest first.
var strength = []CellState{
	CellRefused, CellDenied, CellFailed, CellMutated, CellWarned, CellAudited,
	CellAdmitted, CellUnchanged, CellExcluded, CellNotCalled, CellSkipped, CellNotMatched,
}

// Evaluate runs one record against a configuration. The error is that of a
// context that ended, or a mistake of ours.
func Evaluate(ctx context.Context, c *engine.Configuration, record capture.Record) (Row, error) {
	if record.Request == "" {
		return Of(record, nil), nil
	}
	var o engine.Options
	if on := true; record.Defaulting && c.Settings().Options.Defaulting == nil {
		o.Defaulting = &on
	}
	r, err := c.Evaluate(ctx, engine.Text(record.Request), o)
	if err != nil {
		return Row{}, err
	}
	return Of(record, r), nil
}

// Of makes the row of a record and its report, which is nil when the record was not
// replayed.
func Of(record capture.Record, r *report.Report) Row {
	out := Row{File: record.File, Line: record.Line, Skipped: record.Skip, Problem: record.Bad, Note: record.Note}
	if r == nil {
		return out
	}
	if r.Request == nil {
		out.Problem = requestProblem(r)
		return out
	}
	q, o := r.Request, r.Outcome
	out.Operation, out.SubResource, out.Namespace, out.Name, out.User = q.Operation, q.SubResource, q.Namespace, q.Name, q.User
	out.Kind = shortKind(q.Kind)
	out.State, out.Code, out.Message, out.Warnings = o.State, o.Code, o.Message, o.Warnings
	if out.Message == "" {
		out.Message = o.StateReason
	}
	for _, in := range r.Install {
		if in.Code != 0 {
			out.cell(Cell{Kind: in.Kind, Name: in.Name, State: CellRefused, Reason: in.Message})
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		name := s.Policy
		if s.Webhook != "" {
			name = s.Webhook
		}
		out.cell(Cell{Kind: s.Kind, Name: name, State: CellState(s.State()), Reason: s.Reason})
	}
	return out
}

// requestProblem says why there is no request.
func requestProblem(r *report.Report) string {
	for _, d := range r.Diagnostics {
		if d.Text == diag.Request && d.Severity == diag.Error {
			return d.Summary
		}
	}
	if r.Outcome.State == report.StateUndecided {
		return r.Outcome.StateReason
	}
	return "not an AdmissionReview, an AdmissionRequest, an object or an audit event"
}

// cell adds what a step says of a policy, unless another one says more.
func (r *Row) cell(c Cell) {
	i := slices.IndexFunc(r.Cells, func(x Cell) bool { return x.Kind == c.Kind && x.Name == c.Name })
	switch {
	case i < 0:
		r.Cells = append(r.Cells, c)
	case slices.Index(strength, c.State) < slices.Index(strength, r.Cells[i].State):
		r.Cells[i] = c
	}
}

// shortKind makes Deployment.apps of "apps/v1, Kind=Deployment".
func shortKind(gvk string) string {
	version, kind, ok := strings.Cut(gvk, ", Kind=")
	if !ok {
		return gvk
	}
	if group, _, ok := strings.Cut(version, "/"); ok && group != "" {
		return kind + "." + group
	}
	return kind
}
