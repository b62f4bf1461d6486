package html

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// mostDocuments limits the listed documents of a text. The others are in the editor.
const mostDocuments = 40

// documentGroup is one text's documents.
type documentGroup struct {
	Title string
	Text  diag.Text
	Rows  []documentRow
	Left  int // number of documents not listed
}

// documentRow is one document and its result.
type documentRow struct {
	Kind   string // empty if the name is enough
	Name   string
	About  string // more about the document, such as "CREATE by jane"
	Fate   string // result in a word or two; empty if unknown
	State  State
	Span   diag.Span
	Decide bool // it decided the request
	// Empty marks a text without documents: the row invites the reader to write one.
	Empty bool
	// Problem is the worst severity of the document's problems, and Problems their number.
	Problem  diag.Severity
	Problems int
}

// documents lists the documents of the scenario's texts.
func (v View) documents() []documentGroup {
	out := []documentGroup{
		{Title: "Request", Text: diag.Request, Rows: []documentRow{v.requestRow()}},
		{Title: "Policies", Text: diag.Policies},
		{Title: "Cluster", Text: diag.Cluster},
	}
	bound, listed := map[string]bool{}, map[string]bool{}
	for _, d := range v.Report.Documents {
		if d.Policy != "" {
			bound[d.Policy] = true
		}
		if strings.HasSuffix(d.Kind, "AdmissionPolicy") {
			listed[d.Name] = true
		}
	}
	steps := v.stepsByDocument()
	for i := range out[1:] {
		g := &out[1+i]
		for _, d := range v.Report.Documents {
			if d.Text != g.Text || d.Policy != "" && listed[d.Policy] {
				continue // a binding is part of its policy's row
			}
			if len(g.Rows) == mostDocuments {
				g.Left++
				continue
			}
			g.Rows = append(g.Rows, v.documentRow(d, bound, steps))
		}
		if len(g.Rows) == 0 {
			g.Rows = []documentRow{v.emptyRow(g.Text)}
		}
	}
	out = append(out, documentGroup{Title: "Expression", Text: diag.Expression, Rows: []documentRow{v.expressionRow()}})
	for i := range out {
		v.countProblems(&out[i])
	}
	return out
}

// requestRow shows the object and its user.
func (v View) requestRow() documentRow {
	q := v.Report.Request
	if q == nil {
		return v.emptyRow(diag.Request)
	}
	_, kind, _ := strings.Cut(q.Kind, "Kind=")
	about := q.Operation
	if q.SubResource != "" {
		about += " " + q.SubResource
	}
	if q.User != "" {
		about += " as " + q.User
	}
	if q.DryRun {
		about += ", dry run"
	}
	state := OutcomeState(v.Report)
	row := documentRow{Kind: kind, Name: q.Name, About: about, State: state}
	if v.Report.Outcome.State == report.StateUndecided {
		row.Fate = "undecided"
		return row
	}
	// The server itself decided, and not a document.
	if by := decider(v.Report); !v.Report.Outcome.Allowed && (by == nil || by.Text == "" || by.Text == diag.Request) {
		row.Decide, row.Fate = true, "rejected"
	}
	return row
}

// expressionRow is the stand-alone expression with its value.
func (v View) expressionRow() documentRow {
	e := v.Report.Expression
	if strings.TrimSpace(v.Texts[diag.Expression]) == "" {
		return documentRow{Name: "Evaluate an expression", State: Idle, Empty: true}
	}
	row := documentRow{Name: "CEL expression", State: Idle}
	switch {
	case v.Report.Rules != nil:
		row.Name = "Schema rules"
	case e == nil || e.Error != "":
		row.Fate, row.State = "error", Failed
	case e.Evaluated:
		row.About, row.State = cut(value(e.Result), 2*shortValue), Admitted
	}
	return row
}

// emptyRow represents a text without listed documents: it is empty or cannot be read.
func (v View) emptyRow(text diag.Text) documentRow {
	if strings.TrimSpace(v.Texts[text]) != "" {
		name := "Cannot be read yet"
		if v.Report.Outcome.TimedOut() {
			name = "Not read: out of time"
		}
		return documentRow{Name: name, State: Idle}
	}
	return documentRow{Name: map[diag.Text]string{
		diag.Request:  "Paste an object",
		diag.Policies: "Paste policies",
		diag.Cluster:  "Add Namespaces or parameters",
	}[text], State: Idle, Empty: true}
}

// documentRow describes a document's result.
func (v View) documentRow(d report.Document, bound map[string]bool, all map[documentID][]int) documentRow {
	row := documentRow{Name: d.Name, Span: d.Span, State: Idle}
	ofPolicy := strings.HasSuffix(d.Kind, "AdmissionPolicy")
	if !ofPolicy {
		row.Kind = cmp.Or(shortKinds[d.Kind], d.Kind)
	}
	if row.Name == "" {
		row.Name = "(no name)"
	}
	for _, i := range v.Report.Install {
		if i.Code != 0 && i.Text == d.Text && i.Span == d.Span {
			row.Fate, row.State = "rejected", Refused
			row.Decide = v.Report.Outcome.State == report.StatePolicyRefused
			return row
		}
	}
	var steps []report.Step
	for _, i := range all[idOf(d)] {
		s := v.Report.Steps[i]
		if d.Kind == definitionKind && !within(s, d) {
			continue
		}
		steps = append(steps, s)
		if i == v.Report.Outcome.DecidedBy && !v.Report.Outcome.Allowed {
			row.Decide = true
		}
	}
	switch {
	case len(steps) > 0:
		row.State, row.Fate = fate(steps)
	case !asked(v.Report):
	case d.Policy != "":
		row.Fate = "no policy"
	case ofPolicy && !bound[d.Name]:
		row.Fate = "no binding"
	case (ofPolicy || strings.HasSuffix(d.Kind, "WebhookConfiguration")) && !v.Report.Outcome.Allowed:
		row.Fate = "not reached"
	case v.used(d):
		row.Fate = "used"
	}
	return row
}

// shortKinds name the kinds whose names leave no room for that of the document.
var shortKinds = map[string]string{
	"ValidatingWebhookConfiguration":   "Validating webhooks",
	"MutatingWebhookConfiguration":     "Mutating webhooks",
	"CustomResourceDefinition":         "CRD",
	"ValidatingAdmissionPolicyBinding": "Binding",
	"MutatingAdmissionPolicyBinding":   "Binding",
	"WebhookResponse":                  "Webhook response",
}

// documentID has the kind and name of documents whose steps are named after them. Definitions have their
// kind alone.
type documentID struct{ kind, name string }

func idOf(d report.Document) documentID {
	if d.Kind == definitionKind {
		return documentID{kind: definitionKind}
	}
	return documentID{d.Kind, d.Name}
}

// stepsByDocument returns the indices of the report's steps by document.
func (v View) stepsByDocument() map[documentID][]int {
	out := map[documentID][]int{}
	for i, s := range v.Report.Steps {
		id := documentID{kind: s.Kind}
		switch {
		case s.Webhook != "":
			id.name = s.Configuration
		case s.OfPolicy():
			id.name = s.Policy
		case s.Kind != definitionKind:
			continue
		}
		out[id] = append(out[id], i)
	}
	return out
}

// within reports whether a definition's step is one of this document.
func within(s report.Step, d report.Document) bool {
	return s.Text == d.Text && s.Span.Start >= d.Span.Start && s.Span.End <= d.Span.End && s.Span.End > 0
}

// fateOrder has the step states, the most informative first.
var fateOrder = []report.StepState{
	report.StepDenied, report.StepFailed, report.StepMutated, report.StepWarned, report.StepAudited,
	report.StepAdmitted, report.StepUnchanged, report.StepNotCalled, report.StepExcluded, report.StepSkipped, report.StepNotMatched,
}

// fate returns a document's result, from its steps.
func fate(steps []report.Step) (State, string) {
	worst := slices.MinFunc(steps, func(a, b report.Step) int {
		return slices.Index(fateOrder, a.State()) - slices.Index(fateOrder, b.State())
	})
	if worst.State() == report.StepMutated {
		changes := 0
		for _, s := range steps {
			changes += len(changesOf(s))
		}
		if changes > 0 {
			return Mutated, counted(changes, "change")
		}
	}
	return StepState(worst), string(worst.State())
}

// changesOf returns a step's changes to the object.
func changesOf(s report.Step) []report.PatchOperation {
	if len(s.Mutations) == 0 {
		return s.Diff
	}
	var out []report.PatchOperation
	for _, m := range s.Mutations {
		out = append(out, m.Diff...)
	}
	return out
}

// used reports whether the evaluation is known to have read a cluster object.
func (v View) used(d report.Document) bool {
	if q := v.Report.Request; d.Kind == "Namespace" && q != nil {
		return d.Name == q.Namespace
	}
	return slices.ContainsFunc(v.Report.Steps, func(s report.Step) bool {
		if d.Kind == "WebhookResponse" {
			return s.Webhook == d.Name && s.Simulated
		}
		return s.Param != "" && (s.Param == d.Name || s.Param == d.Namespace+"/"+d.Name || s.Param == "default/"+d.Name && d.Namespace == "")
	})
}

// countProblems counts a text's problems per row.
func (v View) countProblems(g *documentGroup) {
	for _, d := range v.Report.Diagnostics {
		if d.Text != g.Text || d.Severity != diag.Error && d.Severity != diag.Warning {
			continue
		}
		at := 0
		for i, row := range g.Rows {
			if row.Span.Start <= d.Span.Start {
				at = i
			}
		}
		row := &g.Rows[at]
		row.Problems++
		if row.Problem != diag.Error {
			row.Problem = d.Severity
		}
	}
}

// problemMark shows a document's number of problems.
func problemMark(row documentRow) string { return counted(row.Problems, "problem") }

func counted(n int, noun string) string { return report.Plural(n, noun) }
