package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// Rules writes the result of rules without a definition.
func (p Printer) Rules(w io.Writer, r *report.Rules) error {
	o := p.out()
	o.ruleResults(r)
	return o.flush(w)
}

func (o *out) rules(r *report.Rules) {
	if r == nil {
		return
	}
	o.heading("Rules")
	o.ruleResults(r)
}

var rulesStyles = map[report.RulesState]style{report.RulesValid: green, report.RulesInvalid: red, report.RulesRefused: red, report.RulesUndecided: faint}

func (o *out) ruleResults(r *report.Rules) {
	state := o.style(rulesStyles[r.State], strings.ToUpper(string(r.State)))
	if r.Operation != "" {
		state += "  " + r.Operation
	}
	o.linef("%s: %s", state, r.Reason)
	if r.State != report.RulesRefused { // these are diagnostics with places
		for _, m := range r.Messages {
			o.indented("  ", m)
		}
	}
	for _, w := range r.Warnings {
		o.linef("  %s %s", o.style(yellow, "warning:"), w)
	}
	for _, n := range r.Notes {
		o.note("  ", n)
	}
	if len(r.Validations) > 0 {
		o.linef("")
		o.validations("  ", r.Validations)
	}
	o.ruleCosts("", r.Costs)
	if b := r.Budget; b != nil && len(r.Costs) > 0 {
		o.linef("Used %s of %s for one object", report.Number(b.Used), report.Number(b.Limit))
		if b.Outlook != nil {
			o.indented("  ", b.Outlook.Sentence())
		}
	}
}

// ruleCosts writes the rules' cost estimates.
func (o *out) ruleCosts(indent string, list []report.RuleCost) {
	if len(list) == 0 {
		return
	}
	if indent == "" {
		o.linef("")
	}
	o.linef("%sHighest cost that the schema's sizes allow, as a share of the server's limit", indent)
	width := 0
	for _, c := range list {
		width = max(width, len(c.Words()))
	}
	for _, c := range list {
		what := c.Path
		if c.Rules > 0 {
			what = fmt.Sprintf("all %d together", c.Rules)
		}
		most := fmt.Sprintf("%-*s", width, c.Words())
		if c.Exceeded {
			most = o.style(red, most)
		}
		o.linef("%s  %s  %s", indent, most, what)
	}
}
