package bridge

import (
	"context"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// EvaluateParams are those of evaluate.
type EvaluateParams struct {
	Scenario scenario.Scenario `json:"scenario"`
	// Parts are the parts of the result to render, those that the page shows.
	// It asks for others with render. Without any, the report is not kept.
	Parts []html.Part `json:"parts,omitempty"`
	// First asks for the answer before all else: the report is kept, and its parts, with what the checks
	// of safety find, are made when the page asks for them with render, and notes with notes.
	First bool `json:"first,omitempty"`
	// Open are the keys of the folds that the reader has opened. The content of others
	// is not rendered.
	Open []string `json:"open,omitempty"`
	// Shown is the report that the page shows. It stays available for render,
	// however many are made while the text is broken.
	Shown int64 `json:"shown,omitempty"`
	// Metered says that the reader pays for what is loaded: then it is offered instead.
	Metered bool `json:"metered,omitempty"`
	// In are the parts of the texts that the reader sees, for notes in the reply.
	In []Sight `json:"in,omitempty"`
}

// take is that of taker: the texts of the scenario.
func (p *EvaluateParams) take(name, text string) bool {
	field := map[string]*string{"policies": &p.Scenario.Policies, "request": &p.Scenario.Request, "cluster": &p.Scenario.Cluster}[name]
	if field != nil {
		*field = text
	}
	return field != nil
}

// Evaluated is the reply to evaluate.
type Evaluated struct {
	// ID names the report for render; 0 when it is not kept.
	ID     int64         `json:"id"`
	Report Report        `json:"report"`
	HTML   html.Rendered `json:"html"`
	// Editable reports whether there is an object that the reader can edit by hand.
	Editable bool `json:"editable"`
	// Notes are those of the parts of the texts that were asked for, as notes gives them; none where
	// the answer comes first, which does not wait for them: the page asks for them with notes.
	Notes []Step `json:"notes,omitzero"`
	// Untried reports whether there are repairs that have not been tried: the answer does not
	// wait for that. The page asks for it when the reader rests (repairs).
	Untried bool `json:"untried,omitempty"`
	// Loading says that the API server's own code, which is still to be loaded, would be asked.
	Loading bool `json:"loading,omitempty"`
	// Broken names the text that cannot be parsed, if there is one. The page
	// then keeps the last result.
	Broken diag.Text `json:"broken,omitempty"`
}

// Report is what the page itself reads of a report at once. What it only shows is in the
// HTML, and it asks for the notes of the editors when that is on the screen (notes).
type Report struct {
	// Request is absent when the request text could not be used.
	Request     *Request          `json:"request,omitempty"`
	Outcome     Outcome           `json:"outcome"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
	// Expression is the free expression of the scenario.
	Expression *report.Evaluation `json:"expression,omitempty"`
	// Rules has the evaluations of rules that are tried without a definition.
	Rules *Step `json:"rules,omitempty"`
	// FromCluster says that the request is an object as a running cluster has it.
	FromCluster bool `json:"fromCluster,omitempty"`
	// Assumed is what the verdict rests on although no text says it.
	Assumed []report.Assumption `json:"assumed,omitempty"`
}

// Request is what the form above the request text shows.
type Request struct {
	Operation   string   `json:"operation"`
	SubResource string   `json:"subResource,omitempty"`
	User        string   `json:"user"`
	Groups      []string `json:"groups,omitempty"`
	DryRun      bool     `json:"dryRun"`
}

// Outcome is what distinguishes the answers of two versions.
type Outcome struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
	Mutated bool   `json:"mutated"`
}

func evaluate(ctx context.Context, p EvaluateParams) (Evaluated, error) {
	limited, cancel := context.WithTimeout(ctx, evaluationTime)
	defer cancel()
	late.take()
	r, rest, err := p.run(limited)
	if err != nil {
		return Evaluated{}, err
	}
	view := viewOf(r, p.Scenario)
	view.Pending = ErrLoading.Error()
	loading := late.take()
	switch {
	case loading && p.Metered:
		view.Loading = "asked"
	case loading:
		view.Loading = "now"
	}
	view.Open = p.Open
	parts := p.Parts
	if p.First {
		parts = nil
	}
	rendered, err := view.Render(ctx, parts...)
	if err != nil {
		return Evaluated{}, err
	}
	out := Evaluated{Report: read(r), HTML: rendered, Broken: broken(r), Loading: loading}
	out.Report.FromCluster = requesttext.FromCluster(p.Scenario.Request)
	if len(p.Parts) > 0 || p.First {
		results.find(p.Shown)
		out.ID = results.keep(view, rest)
		out.Untried = engine.Repairable(r)
	}
	out.Editable = edited(r) != nil
	if !p.First {
		out.Notes = NotesParams{In: p.In}.notesOf(r)
	}
	return out, nil
}

// run evaluates the scenario; there is no rest where nothing is left for later.
func (p EvaluateParams) run(ctx context.Context) (*report.Report, *engine.Rest, error) {
	if p.First {
		return engine.AnswerFirst(ctx, p.Scenario, everything())
	}
	r, err := engine.Evaluate(ctx, p.Scenario, everything())
	return r, nil, err
}

// everything are the options of what the page shows at once: all but the trials of the repairs,
// each of which takes as long as the answer.
func everything() engine.Options {
	o := engine.Everything()
	o.TryRepairs = false
	return o
}

// viewOf is what the page sees of a report, without what is folded away.
func viewOf(r *report.Report, s scenario.Scenario) html.View {
	view := html.NewView(r, Texts(s))
	view.Lazy = true
	return view
}

// read takes from a report what the page reads.
func read(r *report.Report) Report {
	out := Report{
		Outcome:     Outcome{Code: r.Outcome.Code, Message: r.Outcome.Message, Mutated: r.Outcome.Mutated},
		Diagnostics: r.Diagnostics,
		Expression:  r.Expression,
		Assumed:     r.Assumed,
	}
	if q := r.Request; q != nil {
		out.Request = &Request{Operation: q.Operation, SubResource: q.SubResource, User: q.User, Groups: q.Groups, DryRun: q.DryRun}
	}
	if out.Diagnostics == nil {
		out.Diagnostics = []diag.Diagnostic{} // the page expects a list, not null
	}
	if r.Rules != nil {
		out.Rules = &Step{Validations: validations(r.Rules.Validations)}
	}
	return out
}

func validations(list []report.Validation) []Validation {
	var out []Validation
	for _, v := range list {
		out = append(out, Validation{v.Evaluation, v.Decision, v.MessageExpression})
	}
	return out
}

// Texts are the texts of a scenario by the names that spans use.
func Texts(s scenario.Scenario) map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   s.Policies,
		diag.Request:    s.Request,
		diag.Cluster:    s.Cluster,
		diag.Expression: s.Expression,
	}
}

// broken is the text with a syntax error, which makes the whole result
// meaningless while the reader is in the middle of a line.
func broken(r *report.Report) diag.Text {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error && strings.HasSuffix(d.Code, "-syntax") && d.Text != diag.Expression {
			return d.Text
		}
	}
	return ""
}
