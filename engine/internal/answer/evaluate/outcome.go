package evaluate

import (
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// outcome writes the answer that the client gets, and the steps that led to it.
// step is the one that denied.
func (e *Evaluation) outcome(status *apierrors.StatusError, step *report.Step) {
	e.Report.Steps = e.Chain.Reported()
	o := &e.Report.Outcome
	o.Allowed, o.DecidedBy, o.Panic = status == nil, e.Chain.Index(step), e.Chain.Panic != ""
	o.Warnings, o.AuditAnnotations = e.Chain.Warnings(), e.Chain.AuditAnnotations()
	if status != nil {
		e.refuse(status)
	} else {
		o.Code = http.StatusOK
		if e.Chain.Attributes.Operation == "CREATE" {
			o.Code = http.StatusCreated
		}
	}
	// The object is shown as the client gets it, or, when the request was rejected, as the
	// phase before left it. The patch has what policies and webhooks changed, not what
	// storage adds.
	a := &e.Chain.Attributes
	e.Report.Object = a.Object
	if o.Allowed && (a.Operation == "CREATE" || a.Operation == "UPDATE") && !e.AdmissionOnly() {
		e.Report.Object = (&storage.Storage{Chain: e.Chain}).Answered()
	}
	e.Report.Mutated = e.afterMutation
	if e.afterMutation != nil {
		if e.Options.Brief {
			o.Mutated = e.Report.Input != nil && !diff.Equal(e.Report.Input, e.afterMutation)
			return
		}
		o.Patch = diff.Objects(e.Report.Input, e.afterMutation)
		o.Mutated = len(o.Patch) > 0
	}
}

// refuse writes a rejection.
func (e *Evaluation) refuse(status *apierrors.StatusError) {
	o, s := &e.Report.Outcome, status.ErrStatus
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

// Texts are those of the scenario, by the names that spans use.
func (e *Evaluation) Texts() map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   e.Scenario.Policies,
		diag.Request:    e.Scenario.Request,
		diag.Cluster:    e.Scenario.Cluster,
		diag.Expression: e.Scenario.Expression,
	}
}

// Parsed are the documents of a text, as they were read for this run.
func (e *Evaluation) Parsed(text diag.Text) []*scenario.Document {
	if docs, ok := e.Compiled.Documents[text]; ok {
		return docs
	}
	if _, read := e.documents[text]; !read && text == diag.Request {
		docs, _ := e.Store.Texts.Documents(text, e.Scenario.Request) // its problems are in the report already
		e.KeepDocuments(text, docs)
	}
	return e.documents[text]
}

// KeepDocuments keeps the documents of a text for this run.
func (e *Evaluation) KeepDocuments(text diag.Text, docs []*scenario.Document) {
	if e.documents == nil {
		e.documents = map[diag.Text][]*scenario.Document{}
	}
	e.documents[text] = docs
}

// Diagnose adds problems to the report.
func (e *Evaluation) Diagnose(list []diag.Diagnostic) {
	e.Report.Diagnostics = append(e.Report.Diagnostics, list...)
}

// Optional runs a part that the answer does not need. When it reaches its share, it
// ends and the report says so.
func (e *Evaluation) Optional(step string, share int64, f func()) {
	if ended := e.Budget.Within(step, share, f); ended != nil {
		e.Diagnose([]diag.Diagnostic{compile.LeftOut(step, ended)})
	}
}

// Cut completes the report of a run that ended early: the steps so far, and no
// verdict.
func (e *Evaluation) Cut(ended *budget.Ended) {
	e.Ended = ended
	e.Diagnose([]diag.Diagnostic{compile.Stopped(ended, slices.Concat(e.Compiled.Documents[diag.Policies], e.Compiled.Documents[diag.Cluster]))})
	if e.Chain == nil {
		return
	}
	if s := e.Chain.Last(); s != nil && underWay(s, ended) {
		s.Status, s.Verdict, s.Reason = report.Skipped, "", "Preadmit stopped here: "+compile.Why(ended)+"."
	}
	e.Report.Steps = e.Chain.Reported()
	e.Report.Object, e.Report.Mutated = e.Chain.Attributes.Object, e.afterMutation
	e.Report.Outcome.DecidedBy = -1
	e.Report.Outcome.Warnings, e.Report.Outcome.AuditAnnotations = e.Chain.Warnings(), e.Chain.AuditAnnotations()
}

// underWay reports whether a run ended while the last of its steps was evaluated.
func underWay(last *report.Step, ended *budget.Ended) bool {
	if last.Status != "" && last.Status != report.Evaluated || last.Verdict != "" && last.Verdict != report.Admit {
		return false
	}
	return last.Verdict == "" || last.Policy != "" && strings.HasSuffix(ended.Step, " policy "+last.Policy)
}
