package engine

import (
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// outcome writes the answer that the client gets, and the steps that led to it.
// step is the one that denied.
func (e *evaluation) outcome(status *apierrors.StatusError, step *report.Step) {
	e.report.Steps = e.chain.Reported()
	o := &e.report.Outcome
	o.Allowed, o.DecidedBy, o.Panic = status == nil, e.chain.Index(step), e.chain.Panic != ""
	o.Warnings, o.AuditAnnotations = e.chain.Warnings(), e.chain.AuditAnnotations()
	if status != nil {
		e.refuse(status)
	} else {
		o.Code = http.StatusOK
		if e.chain.Attributes.Operation == "CREATE" {
			o.Code = http.StatusCreated
		}
	}
	// The object is shown as the client gets it, or, when the request was rejected, as the
	// phase before left it. The patch has what policies and webhooks changed, not what
	// storage adds.
	a := &e.chain.Attributes
	e.report.Object = a.Object
	if o.Allowed && (a.Operation == "CREATE" || a.Operation == "UPDATE") && !e.admissionOnly() {
		e.report.Object = (&storage.Storage{Chain: e.chain}).Answered()
	}
	e.report.Mutated = e.afterMutation
	if e.afterMutation != nil {
		if e.options.Brief {
			o.Mutated = e.report.Input != nil && !diff.Equal(e.report.Input, e.afterMutation)
			return
		}
		o.Patch = diff.Objects(e.report.Input, e.afterMutation)
		o.Mutated = len(o.Patch) > 0
	}
}

// refuse writes a rejection.
func (e *evaluation) refuse(status *apierrors.StatusError) {
	o, s := &e.report.Outcome, status.ErrStatus
	o.Code, o.Reason, o.Message = int(s.Code), string(s.Reason), s.Message
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			o.Causes = append(o.Causes, c.Message)
			o.CauseFields = append(o.CauseFields, optional(c.Field))
		}
		if about := (report.Details{Name: s.Details.Name, Group: s.Details.Group, Kind: s.Details.Kind, UID: string(s.Details.UID)}); about != (report.Details{}) {
			o.Details = &about
		}
	}
}

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// finish puts the report into its final form.
func (e *evaluation) finish() {
	if e.options.Brief && e.report.Request != nil {
		e.callBudgets()
		e.decideState()
		return
	}
	if r := e.report; e.options.Explain || len(r.Diagnostics) > 0 || r.Rules != nil || r.Expression != nil {
		e.explain()
	} else {
		explain.Steps(r)
	}
	e.withoutRequest()
	e.callBudgets()
	e.decideState()
	e.report.NotRun = e.notRun()
	e.report.Assumed = e.assumptions()
	if e.chain != nil {
		e.rests()
	}
}

// explain explains what went wrong, and puts the diagnostics into their final form.
func (e *evaluation) explain() {
	texts := e.texts()
	e.optional("The explanations", explanationsShare, func() { explain.Report(e.report, texts, e.parsed) })
	e.optional("The findings about parts without effect", noEffectShare, e.withoutEffect)
	e.report.Diagnostics = withoutWaiting(joinCauses(joinSame(e.report.Diagnostics)))
	fromCopying(e.report.Diagnostics)
	sortRequest(e.scenario, e.report.Diagnostics)
	markSure(e.report.Diagnostics)
	explainNext(e.report.Diagnostics)
	inOrder(e.report.Diagnostics)
	diag.Locate(e.report.Diagnostics, texts)
}

// texts are those of the scenario, by the names that spans use.
func (e *evaluation) texts() map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   e.scenario.Policies,
		diag.Request:    e.scenario.Request,
		diag.Cluster:    e.scenario.Cluster,
		diag.Expression: e.scenario.Expression,
	}
}

// parsed are the documents of a text, as they were read for this run.
func (e *evaluation) parsed(text diag.Text) []*scenario.Document {
	if docs, ok := e.compiled.documents[text]; ok {
		return docs
	}
	if _, read := e.documents[text]; !read && text == diag.Request {
		docs, _ := e.engine.texts.Documents(text, e.scenario.Request) // its problems are in the report already
		e.keepDocuments(text, docs)
	}
	return e.documents[text]
}

// keepDocuments keeps the documents of a text for this run.
func (e *evaluation) keepDocuments(text diag.Text, docs []*scenario.Document) {
	if e.documents == nil {
		e.documents = map[diag.Text][]*scenario.Document{}
	}
	e.documents[text] = docs
}

func newReport(version string) *report.Report {
	return &report.Report{
		Kubernetes: version, Release: scenario.Release(version), Outcome: report.Outcome{DecidedBy: -1},
		Diagnostics: []diag.Diagnostic{}, Install: []report.Install{}, Steps: []report.Step{}, Budgets: []report.Budget{}, NotSimulated: []string{},
	}
}

// begun is the beginning of a report, which belongs to one run.
func (c *compiled) begun() *report.Report {
	begun := *c.report
	begun.Diagnostics = diag.Clone(begun.Diagnostics)
	begun.Install = slices.Clone(begun.Install)
	begun.WebhookGraph, begun.PolicyGraph = begun.WebhookGraph.Clone(), begun.PolicyGraph.Clone()
	begun.NotSimulated = slices.Clone(begun.NotSimulated)
	return &begun
}

func (e *evaluation) diagnose(list []diag.Diagnostic) {
	e.report.Diagnostics = append(e.report.Diagnostics, list...)
}

// callBudgets reports the most expensive single call of each step against the
// limit of a call.
func (e *evaluation) callBudgets() {
	for i := range e.report.Steps {
		s := &e.report.Steps[i]
		var most *report.Evaluation
		s.Evaluations(func(ev *report.Evaluation) {
			if ev.Evaluated && (most == nil || ev.Cost > most.Cost) {
				most = ev
			}
		})
		if most != nil {
			e.report.Budgets = append(e.report.Budgets, report.Budget{Scope: report.CallScope, Limit: perCallLimit, Used: most.Cost, Exceeded: most.Cost > perCallLimit, Step: i, Policy: s.Policy, Name: most.Name})
		}
	}
}
