// Package text writes a report for a terminal's reader: the verdict first, then the steps, in the
// style of kubectl describe and of compilers. It writes no file and reads no environment; the
// caller sets colour and line width.
package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// DefaultWidth is the width, in columns, of output to anything but a terminal. It is fixed, so that
// such output is reproducible.
const DefaultWidth = 100

// Printer writes reports.
type Printer struct {
	// Color turns on ANSI colours.
	Color bool
	// Width is the width of a line in columns; 0 means DefaultWidth. Expressions
	// and values are cut to fit; messages never are.
	Width int
	// Wrap breaks longer lines between words, and expressions into a few lines, as for a terminal.
	// Otherwise lines stay whole.
	Wrap bool
	// Explain prints sub-expressions' values under them, if the report has them.
	Explain bool
	// Sources map the scenario's texts to files.
	Sources Sources
}

// Report writes a whole report.
func (p Printer) Report(w io.Writer, r *report.Report) error {
	o := p.out()
	o.verdict(r)
	o.restsOn(r)
	o.workload(r.Workload)
	mistaken := slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity != diag.Info && len(d.Fixes) > 0 })
	if !mistaken {
		o.assumed(r.Assumed)
	}
	o.request(r)
	o.steps(r)
	o.expression(r.Expression)
	o.rules(r.Rules)
	o.findings(r.Findings)
	o.budgets(r)
	o.notSimulated(r.NotSimulated)
	o.install(r.Install)
	o.diagnostics(r.Diagnostics)
	if mistaken { // its repair comes first
		o.assumed(r.Assumed)
	}
	return o.flush(w)
}

// out collects the output; writes to it cannot fail.
type out struct {
	Printer
	b strings.Builder
}

func (p Printer) out() *out {
	if p.Width <= 0 {
		p.Width = DefaultWidth
	}
	return &out{Printer: p}
}

func (o *out) flush(w io.Writer) error {
	if _, err := io.WriteString(w, finished(o.b.String())); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (o *out) linef(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = Line(s)
		}
	}
	o.b.WriteString(o.fitted(strings.TrimRight(fmt.Sprintf(format, args...), " ")))
	o.b.WriteByte('\n')
}

// indented writes each line of a text after the indent.
func (o *out) indented(indent, s string) {
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		o.linef("%s%s", indent, line)
	}
}

func (o *out) heading(s string) {
	o.linef("")
	o.linef("%s", o.style(bold, s))
}
