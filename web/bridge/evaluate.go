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

// EvaluateParams are the parameters of evaluate.
type EvaluateParams struct {
	Scenario scenario.Scenario `json:"scenario"`
	// Parts are the parts of the result to render: those that the page shows. The page requests
	// others with render. Without any, the report is not kept.
	Parts []html.Part `json:"parts,omitempty"`
	// First requests only the outcome. The report is kept; the page then requests its parts and the
	// safety checks' findings with render, and notes with notes.
	First bool `json:"first,omitempty"`
	// Open are the keys of the folds that the reader has opened. Other folds' content is not
	// rendered.
	Open []string `json:"open,omitempty"`
	// Shown is the report that the page shows. It stays available for render, however many others
	// are evaluated while a text is broken.
	Shown int64 `json:"shown,omitempty"`
	// Metered says that the reader pays for data. The module is then offered instead of loaded.
	Metered bool `json:"metered,omitempty"`
	// In are the visible parts of the texts, for notes in the reply.
	In []Sight `json:"in,omitempty"`
	// Have are the prints of an earlier reply, whose parts the page still has.
	Have Prints `json:"have,omitzero"`
}

// take implements taker for the scenario's texts.
func (p *EvaluateParams) take(name, text string) bool {
	field := map[string]*string{"policies": &p.Scenario.Policies, "request": &p.Scenario.Request, "cluster": &p.Scenario.Cluster}[name]
	if field != nil {
		*field = text
	}
	return field != nil
}

// Evaluated is the reply to evaluate.
type Evaluated struct {
	// ID identifies the report for render; 0 if it is not kept.
	ID     int64         `json:"id"`
	Report Report        `json:"report"`
	HTML   html.Rendered `json:"html"`
	// Editable reports whether there is an object to edit by hand.
	Editable bool `json:"editable"`
	// Notes are the notes for the requested parts of the texts, as notes returns them. There are
	// none with First; the page requests them with notes.
	Notes []Step `json:"notes,omitzero"`
	// Untried reports whether some repairs have not been tried, because the reply does not wait for
	// that. The page calls repairs when the reader pauses.
	Untried bool `json:"untried,omitempty"`
	// Loading says that the API server's own code is needed but still loading.
	Loading bool `json:"loading,omitempty"`
	// TimedOut says that the evaluation reached its time limit before a verdict. Trying again may
	// help: the first evaluation also starts the engine.
	TimedOut bool `json:"timedOut,omitempty"`
	// Broken names a text that cannot be parsed, if any. The page then keeps the last result.
	Broken diag.Text `json:"broken,omitempty"`
	// Prints identify the parts of the reply that a key seldom changes. A part is empty here if the
	// page has it.
	Prints Prints `json:"prints"`
}

// Report is what the page reads of a report immediately. The HTML has what it only shows. The page
// requests the editors' notes once the HTML is on the screen (notes).
type Report struct {
	// Request is absent if the request text could not be used.
	Request     *Request          `json:"request,omitempty"`
	Outcome     Outcome           `json:"outcome"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
	// Expression is the scenario's stand-alone expression.
	Expression *report.Evaluation `json:"expression,omitempty"`
	// Rules has the evaluations of rules without a definition.
	Rules *Step `json:"rules,omitempty"`
	// FromCluster says that the request is an object from a running cluster.
	FromCluster bool `json:"fromCluster,omitempty"`
	// Assumed lists what the verdict assumes.
	Assumed []report.Assumption `json:"assumed,omitempty"`
}

// Request is the content of the form above the request text.
type Request struct {
	Operation   string   `json:"operation"`
	SubResource string   `json:"subResource,omitempty"`
	User        string   `json:"user"`
	Groups      []string `json:"groups,omitempty"`
	DryRun      bool     `json:"dryRun"`
}

// Outcome has the differences between two versions' verdicts.
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
	out := Evaluated{Report: read(r), Broken: broken(r), Loading: loading, TimedOut: r.Outcome.TimedOut()}
	if out.HTML, err = view.Render(ctx, parts...); err != nil {
		return Evaluated{}, err
	}
	if err := out.withProblems(ctx, view, p.Have); err != nil {
		return Evaluated{}, err
	}
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

// withProblems adds the problems and prints, and removes the parts that the page has.
func (e *Evaluated) withProblems(ctx context.Context, view html.View, have Prints) error {
	var err error
	if e.Prints, err = printsOf(e.Report.Diagnostics, e.HTML.Documents); err != nil {
		return err
	}
	if e.Prints.Documents == have.Documents {
		e.HTML.Documents = ""
	}
	if e.Prints.Problems == have.Problems {
		e.Report.Diagnostics = []diag.Diagnostic{}
		return nil
	}
	list, err := problems(ctx, view)
	if err == nil {
		e.HTML.Problems = list.Problems
	}
	return err
}

// run evaluates the scenario. rest is nil if nothing is left for later.
func (p EvaluateParams) run(ctx context.Context) (*report.Report, *engine.Rest, error) {
	if p.First {
		return engine.AnswerFirst(ctx, p.Scenario, everything())
	}
	r, err := engine.Evaluate(ctx, p.Scenario, everything())
	return r, nil, err
}

// everything are the options for what the page shows immediately: all but trying the repairs, each
// of which takes as long as the evaluation.
func everything() engine.Options {
	o := engine.Everything()
	o.TryRepairs = false
	return o
}

// viewOf returns the page's view of a report, without folded content.
func viewOf(r *report.Report, s scenario.Scenario) html.View {
	view := html.NewView(r, Texts(s))
	view.Lazy = true
	return view
}

// read returns the parts of a report that the page reads.
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
		out.Diagnostics = []diag.Diagnostic{} // the page expects a list and not null
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

// Texts are a scenario's texts by the names that spans use.
func Texts(s scenario.Scenario) map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   s.Policies,
		diag.Request:    s.Request,
		diag.Cluster:    s.Cluster,
		diag.Expression: s.Expression,
	}
}

// broken returns the text with a syntax error. It makes the result meaningless while the reader is
// typing a line.
func broken(r *report.Report) diag.Text {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error && strings.HasSuffix(d.Code, "-syntax") && d.Text != diag.Expression {
			return d.Text
		}
	}
	return ""
}
