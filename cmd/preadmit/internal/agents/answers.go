package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// maxSaid limits a reply's text, in bytes, because a model reads all of it.
const maxSaid = 24 << 10

// shortened cuts a long text at a line end, and says so.
func shortened(said string) string {
	if len(said) <= maxSaid {
		return said
	}
	cut := strings.LastIndexByte(said[:maxSaid], '\n') + 1
	if cut == 0 {
		cut = maxSaid
	}
	return strings.ToValidUTF8(said[:cut], "") + fmt.Sprintf("... %d more lines. Give fewer policies to see them.\n", strings.Count(said[cut:], "\n"))
}

// problem is a diagnostic in the form for agents.
type problem struct {
	Severity string   `json:"severity" jsonschema:"error, warning or info"`
	Code     string   `json:"code" jsonschema:"explained in the resource preadmit://docs/diagnostics"`
	Text     string   `json:"text" jsonschema:"the input that it is in: policies, request, cluster or expression"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Document string   `json:"document,omitempty" jsonschema:"Kind/name"`
	Path     string   `json:"path,omitempty" jsonschema:"the field"`
	Summary  string   `json:"summary"`
	Detail   string   `json:"detail,omitempty"`
	Fixes    []string `json:"fixes,omitempty" jsonschema:"what would repair it; the tool fix applies those with one likely answer"`
}

func problemsOf(list diag.Diagnostics) []problem {
	out := []problem{}
	for _, d := range list {
		p := problem{Severity: string(d.Severity), Code: d.Code, Text: string(d.Text), Line: d.Line, Column: d.Column, Document: d.Document, Path: d.Path, Summary: d.Summary, Detail: d.Detail}
		for _, f := range d.Fixes {
			p.Fixes = append(p.Fixes, f.Title)
		}
		out = append(out, p)
	}
	return out
}

// verdict is the result for a request.
type verdict struct {
	State       string                  `json:"state" jsonschema:"admitted, mutated, denied, noPolicyRan, noPolicies, policyRefused, noRequest or undecided"`
	StateReason string                  `json:"stateReason,omitempty" jsonschema:"what the state rests on"`
	Kubernetes  string                  `json:"kubernetes"`
	Allowed     bool                    `json:"allowed" jsonschema:"the server admits the request"`
	Code        int                     `json:"code" jsonschema:"the HTTP code"`
	Message     string                  `json:"message,omitempty" jsonschema:"the server's message"`
	DecidedBy   string                  `json:"decidedBy,omitempty" jsonschema:"the policy, webhook or plugin that denied"`
	Warnings    []string                `json:"warnings,omitempty"`
	Patch       []report.PatchOperation `json:"patch,omitempty" jsonschema:"what policies changed"`
	Value       *value                  `json:"expression,omitempty" jsonschema:"the value of the given expression"`
	DidNotRun   string                  `json:"didNotRun,omitempty" jsonschema:"policies that did not run, and why"`
	Assumed     []string                `json:"assumed,omitempty" jsonschema:"what Preadmit supplied itself because no text says it"`
	Problems    []problem               `json:"problems,omitempty"`
}

// value is a stand-alone expression's result.
type value struct {
	Result any    `json:"result,omitempty"`
	Type   string `json:"type,omitempty"`
	Error  string `json:"error,omitempty"`
	Cost   int64  `json:"cost" jsonschema:"in CEL cost units"`
}

func verdictOf(r *report.Report) verdict {
	o := r.Outcome
	v := verdict{
		State: string(o.State), StateReason: o.StateReason, Kubernetes: r.Kubernetes, Allowed: o.Allowed, Code: o.Code, Message: o.Message,
		DecidedBy: decider(r), Warnings: o.Warnings, Patch: o.Patch, DidNotRun: report.DidNotRun(o.Unmatched), Problems: problemsOf(r.Diagnostics),
	}
	if e := r.Expression; e != nil {
		v.Value = &value{Result: e.Result, Type: e.Type, Error: e.Error, Cost: e.Cost}
	}
	for _, a := range r.Assumed {
		v.Assumed = append(v.Assumed, a.What+": "+a.Why)
	}
	return v
}

type checked struct {
	Kubernetes string    `json:"kubernetes"`
	Accepted   bool      `json:"accepted" jsonschema:"the server accepts every document, and no text has an error"`
	Refused    []refusal `json:"refused,omitempty"`
	Problems   []problem `json:"problems"`
	Costs      []cost    `json:"costs,omitempty" jsonschema:"expressions that may exceed their cost limit"`
}

// refusal is a document that the server rejects.
type refusal struct {
	Document string `json:"document"`
	Code     int    `json:"code"`
	Message  string `json:"message"`
}

// cost is an expression or a budget that may exceed its limit.
type cost struct {
	Document string `json:"document"`
	Path     string `json:"path"`
	Max      int64  `json:"max" jsonschema:"in CEL cost units; -1 for no bound"`
	Limit    int64  `json:"limit"`
}

// said returns the cost in one line.
func (c cost) said() string {
	most := "has no useful bound"
	if c.Max >= 0 && c.Max <= checks.HugeCost {
		most = "is up to " + report.Number(c.Max)
	}
	return fmt.Sprintf("%s, %s: the cost %s; the limit is %s\n", c.Document, c.Path, most, report.Number(c.Limit))
}

// costsOf returns the cost bounds above their limits, each once.
func costsOf(list []growth.Bound) []cost {
	var out []cost
	for _, b := range list {
		c := cost{b.Document, b.Path, b.Max, b.Limit}
		if (b.Max < 0 || b.Max > b.Limit) && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

type fixed struct {
	Applied  []string  `json:"applied" jsonschema:"what was repaired"`
	Policies string    `json:"policies,omitempty" jsonschema:"the repaired text, if it changed"`
	Request  string    `json:"request,omitempty" jsonschema:"the repaired text, if it changed"`
	Cluster  string    `json:"cluster,omitempty" jsonschema:"the repaired text, if it changed"`
	Problems []problem `json:"problems" jsonschema:"what is left"`
}

// explained is the output of explain_denial.
type explained struct {
	Answers   []answer `json:"answers" jsonschema:"the answers of the API server in the message"`
	Same      bool     `json:"same,omitempty" jsonschema:"the given texts get the same answer"`
	Evaluated *verdict `json:"evaluated,omitempty" jsonschema:"the answer to the given texts"`
}

// answer is one API server response.
type answer struct {
	Who  string `json:"who" jsonschema:"who denied what, and the message"`
	Next string `json:"next" jsonschema:"what to give to explain_denial, and the commands that print it"`
}
