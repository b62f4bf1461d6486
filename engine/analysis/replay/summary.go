package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
)

// Summary is what a replay found.
type Summary struct {
	// Kubernetes is the minor version that was simulated, such as "1.37".
	Kubernetes string `json:"kubernetes"`
	// Records counts all records, Replayed those that were evaluated.
	Records  int `json:"records"`
	Replayed int `json:"replayed"`
	Admitted int `json:"admitted"`
	Denied   int `json:"denied"`
	// Mutated counts the admitted requests whose object was changed.
	Mutated int `json:"mutated"`
	// Warned counts the requests that got a warning, admitted or not.
	Warned int `json:"warned"`
	// Skipped and Notes count the records that could not be replayed, or only
	// in part, by reason.
	Skipped map[string]int `json:"skipped,omitempty"`
	Notes   map[string]int `json:"notes,omitempty"`
	// Unreadable counts the records that are no request, Bad are the first
	// hundred of them, by file and line. Records is the sum of Replayed, Unreadable
	// and Skipped.
	Unreadable int         `json:"unreadable"`
	Bad        []BadRecord `json:"bad,omitempty"`
	// Missing counts the parts of the capture that were not read at all, such as
	// a file, or what follows an interruption; MissingParts says which, a hundred at
	// most.
	Missing      int      `json:"missing"`
	MissingParts []string `json:"missingParts,omitempty"`
	// Denials are the messages of denials, without the object's name, and how
	// often they came, the commonest first: a hundred at most, in a partial summary
	// more.
	Denials []Denial `json:"denials,omitempty"`
	// Samples are some requests of each kind (Options.Samples).
	Samples []*Samples `json:"samples,omitempty"`
	// Groups counts the requests by what Options.By names, the largest first.
	Groups []Group `json:"groups,omitempty"`
	// Policies has one entry for each policy with a binding, and each webhook, in the
	// order of the server: plugins, what mutates, what validates.
	Policies    []*Policy         `json:"policies"`
	Install     []report.Install  `json:"install,omitempty"`
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`

	// Configuration is a digest of what the requests met: the policies, the cluster and
	// the settings. Only summaries of one configuration can be merged.
	Configuration string `json:"configuration"`
	// Partial says that the summary can be merged with others: it has how often each cost
	// occurred.
	Partial bool `json:"partial,omitempty"`
	// By are the names of Options.By, and SamplesOf is Options.Samples.
	By        []string `json:"by,omitempty"`
	SamplesOf int      `json:"samplesOf,omitempty"`
	// Times says that times were measured, on the machine that made the summary.
	Times bool `json:"times,omitempty"`

	actions  map[string][]string // of bindings
	groups   map[string]*Group
	denials  map[string]*Denial
	metrics  metrics
	next     int   // behind the policy of the last step, among Policies
	internal error // the first mistake of ours
	ended    error // of Options.Each
}

// BadRecord is a record that is not a request.
type BadRecord struct {
	File    string `json:"file,omitempty"` // if there are several
	Line    int    `json:"line"`           // from 1
	Problem string `json:"problem"`
}

// Denial is one message to clients.
type Denial struct {
	Message string `json:"message"`
	Count   int    `json:"count"`
	// File and Line are those of the record that it came for first; Line is from
	// 1, File is empty for a single file.
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
}

// Place is where the record begins, for people.
func (b BadRecord) Place() string { return capture.Place(b.File, b.Line) }

// Place is where the first record that was denied so begins, for people.
func (d Denial) Place() string { return capture.Place(d.File, d.Line) }

// Policy counts what became of the requests at one policy with one binding, or
// one webhook.
type Policy struct {
	Kind          string `json:"kind"`
	Policy        string `json:"policy,omitempty"`
	Binding       string `json:"binding,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Webhook       string `json:"webhook,omitempty"`
	// NotMatched counts requests that rules and selectors leave out, Excluded
	// those that a condition does. Matched are all others. With several params a
	// request counts for each.
	NotMatched int `json:"notMatched"`
	Excluded   int `json:"excluded"`
	Matched    int `json:"matched"`
	Denied     int `json:"denied"`
	Warned     int `json:"warned"`
	Audited    int `json:"audited"`
	Mutated    int `json:"mutated"`
	// Errors counts requests for which something failed.
	Errors int `json:"errors"`
	// Reasons are those for which requests were left out, the commonest first. There
	// are at most 20, in a partial summary more.
	Reasons []Reason `json:"reasons,omitempty"`
	// Cost is that of all expressions and variables of a request together.
	Cost Distribution `json:"cost"`
	// Time is what they took together, with the application of mutations; absent where
	// times were not measured (Options.Times).
	Time *Distribution `json:"time,omitempty"`
	// Budget is the cost limit of which a request used the largest share; absent when
	// none was used.
	Budget      *Share        `json:"budget,omitempty"`
	Expressions []*Expression `json:"expressions,omitempty"`

	reasons map[string]int
	next    int // behind the expression of the last evaluation, among Expressions
}

// Reason is why a policy or webhook did not run.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"` // of requests
}

// Expression counts the results of one expression.
type Expression struct {
	// Name is a condition's name, or the field of the expression.
	Name string `json:"name"`
	Kind string `json:"kind"` // condition, variable, validation, mutation, message or annotation
	// Path is that of the field that holds it, such as
	// spec.matchConditions[0].expression.
	Path   string       `json:"path"`
	Runs   int          `json:"runs"`
	True   int          `json:"true"`
	False  int          `json:"false"`
	Errors int          `json:"errors"`
	Cost   Distribution `json:"cost"`
	// Time is that of a run, with the variables that it computed, and for a mutation
	// with its application; absent where times were not measured.
	Time *Distribution `json:"time,omitempty"`
	// Error is the text of one of the errors: the first in the alphabet.
	Error string `json:"error,omitempty"`

	named expressionNames // of the last evaluation
}

func (s *Summary) add(record Record, r *report.Report) {
	s.Records++
	switch {
	case record.Skip != "":
		count(&s.Skipped, record.Skip)
		return
	case record.Bad != "":
		s.bad(record, record.Bad)
		return
	case r.Request == nil:
		s.bad(record, requestProblem(r))
		return
	}
	if record.Note != "" {
		count(&s.Notes, record.Note)
	}
	s.Replayed++
	switch {
	case !r.Outcome.Allowed:
		s.Denied++
		s.denial(record, r.Outcome.Message)
	case r.Outcome.Mutated:
		s.Mutated++
		s.Admitted++
	default:
		s.Admitted++
	}
	if len(r.Outcome.Warnings) > 0 {
		s.Warned++
	}
	for i := range r.Steps {
		s.step(&r.Steps[i])
		s.metrics.step(&r.Steps[i], r.Request.Operation, s.actions)
	}
	for _, b := range r.Budgets {
		if b.Step >= 0 && b.Step < len(r.Steps) {
			s.policy(&r.Steps[b.Step]).share(Share{b.Scope, b.Used, b.Limit})
		}
	}
	s.group(r)
	s.sample(record, r)
	s.metrics.webhooks(r, false)
}

func count(m *map[string]int, key string) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key]++
}

func (s *Summary) bad(r Record, problem string) {
	s.Unreadable++
	s.Bad = leastOf(s.Bad, maxBad, compareBad, BadRecord{r.File, r.Line, problem})
}

func requestProblem(r *report.Report) string {
	for _, d := range r.Diagnostics {
		if d.Text == diag.Request && d.Severity == diag.Error {
			return d.Summary
		}
	}
	return "not an AdmissionReview, an AdmissionRequest, an object or an audit event"
}

// denial counts a message, without the name of the object: what many objects
// are rejected for is one line.
func (s *Summary) denial(r Record, message string) {
	if _, why, ok := strings.Cut(message, " is forbidden: "); ok {
		message = why
	}
	s.addDenial(Denial{message, 1, r.File, r.Line})
}

func (s *Summary) policy(step *report.Step) *Policy {
	// Requests meet the policies in the same order, mostly.
	for i := range s.Policies {
		at := (s.next + i) % len(s.Policies)
		p := s.Policies[at]
		if p.Kind == step.Kind && p.Policy == step.Policy && p.Webhook == step.Webhook && p.Configuration == step.Configuration && p.Binding == step.Binding {
			s.next = at + 1
			return p
		}
	}
	p := &Policy{Kind: step.Kind, Policy: step.Policy, Binding: step.Binding, Configuration: step.Configuration, Webhook: step.Webhook}
	s.Policies = append(s.Policies, p)
	return p
}

// step counts one step. The second pass of reinvocation adds costs and errors;
// the request itself is counted once.
func (s *Summary) step(step *report.Step) {
	p := s.policy(step)
	second := step.Pass > 0 && step.Phase == report.Mutating
	var cost int64
	failed := step.Status == report.Errored
	ran := false
	step.Evaluations(func(e *report.Evaluation) {
		if e.Evaluated {
			cost += e.Cost
			ran = true
		}
		failed = failed || e.Error != ""
		p.expression(e, s.Times)
	})
	if ran {
		p.Cost.add(cost)
	}
	if ran && s.Times {
		addTime(&p.Time, took(step))
	}
	if failed {
		p.Errors++
	}
	if step.Verdict == report.Mutate && !second {
		p.Mutated++
	}
	switch {
	case second:
		return
	case step.Status == report.NotMatched || step.Status == report.Skipped:
		p.NotMatched++
		p.reason(step.Reason, 1)
		return
	case step.Status == report.Excluded:
		p.Excluded++
		p.reason(step.Reason, 1)
		return
	}
	p.Matched++
	switch step.Verdict {
	case report.Deny:
		p.Denied++
	case report.Warn:
		p.Warned++
	case report.Audit:
		p.Audited++
	}
}

// took is the time of everything that a step ran. That of a variable is in the first
// expression that reads it.
func took(step *report.Step) time.Duration {
	sum := step.ConditionsElapsed
	for i := range step.Mutations {
		sum += step.Mutations[i].Elapsed
	}
	for i := range step.Validations {
		sum += step.Validations[i].Elapsed
		if m := step.Validations[i].MessageExpression; m != nil {
			sum += m.Elapsed
		}
	}
	for i := range step.AuditAnnotations {
		sum += step.AuditAnnotations[i].Elapsed
	}
	return sum
}

func addTime(d **Distribution, t time.Duration) {
	if *d == nil {
		*d = &Distribution{}
	}
	(*d).time(t)
}

func (p *Policy) expression(e *report.Evaluation, times bool) {
	if !e.Evaluated && e.Error == "" {
		return
	}
	x := p.expressionOf(e)
	x.Runs++
	if e.Evaluated {
		x.Cost.add(e.Cost)
	}
	if e.Evaluated && times {
		addTime(&x.Time, e.Elapsed)
	}
	switch {
	case e.Error != "":
		x.Errors++
		x.error(e.Error)
	case e.Result == true:
		x.True++
	case e.Result == false:
		x.False++
	}
}

// expressionOf are the counts of an expression. Requests run the same ones in the same order,
// mostly, so the one behind the last is tried before its name is made.
func (p *Policy) expressionOf(e *report.Evaluation) *Expression {
	if len(p.Expressions) > 0 {
		next := p.Expressions[p.next%len(p.Expressions)]
		if next.named == (expressionNames{e.Path, e.Name, e.Expression}) {
			p.next++
			return next
		}
	}
	kind, name := expressionName(e)
	x := p.sameExpression(name, kind, e.Path)
	x.named = expressionNames{e.Path, e.Name, e.Expression}
	p.next = slices.Index(p.Expressions, x) + 1
	return x
}

// expressionNames is all that the name of an expression depends on.
type expressionNames struct{ path, name, expression string }

// expressionName names an expression for the reader: conditions, variables and
// annotations by their names, the others by their fields.
func expressionName(e *report.Evaluation) (kind, name string) {
	name = strings.TrimPrefix(e.Path, "spec.")
	place := model.PlaceOf(e.Path)
	if place != nil {
		kind = place.Word
	}
	switch place {
	case model.MatchCondition, model.WebhookCondition, model.Variable, model.AuditAnnotation:
		name = e.Name
	case model.Validation, model.ApplyConfiguration, model.JSONPatch:
		name = strings.TrimSuffix(name, ".expression")
	}
	if name == "" {
		name = fmt.Sprintf("%q", e.Expression)
	}
	return kind, name
}

// Unmatched are the policies and webhooks that had a say in no request.
func (s *Summary) Unmatched() []*Policy {
	var out []*Policy
	for _, p := range s.Policies {
		own := p.Webhook != "" || p.Kind == mutate.Kind || p.Kind == validate.Kind // no plugin
		if own && p.Matched == 0 && len(p.Reasons) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// ExitCode is that of a program that prints the summary: as for a report, where
// one denied request counts as denied, and a record that cannot be read, or was not read at all, as wrong.
func (s *Summary) ExitCode() int {
	switch {
	case report.Wrong(s.Install, s.Diagnostics), s.Unreadable > 0, s.Missing > 0, s.Replayed == 0:
		return report.ExitWrong
	case s.Denied > 0:
		return report.ExitDenied
	}
	return report.ExitAdmitted
}

// foldUnbound adds what a policy did before any binding was looked at, as when its rules
// do not match, to its first binding by name. It is done at the end, so that it does not
// matter which request came first.
func (s *Summary) foldUnbound() {
	s.Policies = slices.DeleteFunc(s.Policies, func(p *Policy) bool {
		if p.Binding != "" || p.Policy == "" {
			return false
		}
		var to *Policy
		for _, q := range s.Policies {
			if q != nil && q.Kind == p.Kind && q.Policy == p.Policy && q.Binding != "" && (to == nil || q.Binding < to.Binding) {
				to = q
			}
		}
		if to != nil {
			to.merge(p)
		}
		return to != nil
	})
}

func (s *Summary) finish() {
	if !s.Partial {
		s.foldUnbound()
	}
	for _, p := range s.Policies {
		p.Cost.finish()
		p.Time.finish()
		p.finishReasons(s.Partial)
		for _, x := range p.Expressions {
			x.Cost.finish()
			x.Time.finish()
		}
	}
	s.finishDenials()
	s.finishGroups()
	s.inOrderOfServer()
}
