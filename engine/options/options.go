// Package options defines the options and limits of an evaluation. Programs use their aliases in
// package engine.
package options

import "time"

// Options select what an evaluation does beyond the answer. The zero value gives only the answer.
type Options struct {
	// Explain returns the values and costs of the parts of every expression. Each
	// is run a second time for that.
	Explain bool
	// Safety runs the request again to find mutating policies that are not
	// idempotent or whose order matters, and validations that hold only because
	// of a mutation (KEP-3962).
	Safety bool
	// TryRepairs evaluates the texts once more for each of the first repairs of the report,
	// and drops those that lead to another problem. The repairs of a configuration's
	// texts are tried only where its texts are at hand, as in engine.Evaluate.
	TryRepairs bool
	// Foresee looks for requests that fail in an expression or stop the cluster, whatever the
	// request of the scenario is: as engine.Configuration.Foresee does. It runs after everything else.
	Foresee bool
	// Defaulting brings the objects of the request into the form in which the
	// server receives them; nil does so for bare objects only, as captured
	// requests have that form. It overrides the option of the scenario.
	Defaulting *bool
	// Brief leaves out what only a person reads of a report: the values of expressions, except
	// booleans, the changes of each step, notes, diagnostics about the request, assumptions and what
	// was checked. Verdicts, messages, warnings, costs and budgets are the same. It is for counting
	// many requests, and ends Explain and Safety.
	Brief bool
	// AdmissionOnly leaves out what a server does around admission: authorization,
	// the escalation check of RBAC, the validation of built-in kinds and what the
	// storage strategies of single kinds change. It is for comparing with the code
	// of the server's admission alone.
	AdmissionOnly bool
	// Clock measures how long expressions take, for report.Evaluation; nil measures
	// nothing. Times are those of the machine that runs the engine, and of no server.
	// With Explain they contain the second run of variables.
	Clock func() time.Time
	// Limits bound what the evaluation may take.
	Limits Limits
}

// Limits bound what one evaluation may take, so that a text of a stranger cannot
// take all of a machine. Zero is the default of [DefaultLimits], a negative number
// no limit. A deadline is that of the context. An evaluation that reaches a limit
// gives a report anyway, of what was done by then: see the code "run-limit" in
// docs/diagnostics.md.
type Limits struct {
	// Work is in units of some ten to twenty nanoseconds. It is counted, so the same
	// texts reach it at the same place on every machine.
	Work int64
	// Bytes are those of what is read and made, as far as it is counted; about a
	// third of what the process takes.
	Bytes int64
	// Heap is by how many bytes the heap of the whole process may grow. There is none
	// by default: it is for programs that evaluate one scenario at a time.
	Heap int64
}

// DefaultLimits are those of Limits that are zero: one or two seconds, and 128 MiB.
// That is less than the server's own ten million cost units where loops in loops make
// each unit dear: docs/limits.md has the figures.
func DefaultLimits() Limits { return Limits{Work: 80_000_000, Bytes: 128 << 20} }
