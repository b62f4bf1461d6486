package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// cel evaluates one expression, or rules of a schema.
func (a *app) cel(args []string) (int, error) {
	f := newFlags("cel")
	parts, settings := f.parts(), f.settings(false)
	format := f.oneOf("o", "text", "json", "yaml")
	context := f.context()
	rules := f.rules()
	explain := f.Bool("explain", false, "")
	grow := f.Bool("limits", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if *context == scenario.RuleContext {
		in, err := a.rulesInput(args, parts, rules)
		if err != nil {
			return 0, err
		}
		settings.apply(&in.Scenario)
		run := a.evaluateOnce
		if *grow {
			run = a.evaluateWithLimits
		}
		return a.evaluateRules(in, run, *format, *explain)
	}
	if rules.given() {
		return 0, badInput("cel: -schema, -self and -old-self are for -context rule")
	}
	if *grow {
		return 0, badInput("cel: -limits is for -context rule; eval -limits has the expressions of policies and webhooks")
	}
	if len(args) == 0 || len(args) > 2 {
		return 0, badInput("cel needs one expression, in quotes, and at most one scenario")
	}
	expression, file := args[0], "expression"
	if expression == "-" {
		data, err := a.read("-")
		if err != nil {
			return 0, err
		}
		expression, file = strings.TrimRight(string(data), "\n"), displayName("-")
	}
	if strings.TrimSpace(expression) == "" {
		return 0, badInput("the expression is empty")
	}
	in := &input{sources: text.Sources{}}
	if len(args) > 1 || parts.given() {
		if in, err = a.input(args[1:], parts); err != nil {
			return 0, err
		}
	}
	settings.apply(&in.Scenario)
	in.setExpression(expression, *context, file)
	r, err := a.evaluate(in)
	if err != nil {
		return 0, err
	}
	return a.printExpression(in, r, *format, *explain)
}

func (a *app) printExpression(in *input, r *report.Report, format string, explain bool) (int, error) {
	p := a.printer(a.stderr)
	p.Sources = in.sources
	if err := p.Diagnostics(a.stderr, r.Diagnostics); err != nil {
		return 0, err
	}
	code := r.ExitCode()
	e := r.Expression
	switch {
	case e == nil:
		return exitInput, nil // the diagnostics say why
	case e.Error != "":
		code = max(code, exitDenied)
	case code == exitDenied:
		code = exitOK // a denied request is not what was asked about
	}
	switch format {
	case "json":
		return code, writeJSON(a.stdout, e)
	case "yaml":
		return code, writeYAML(a.stdout, e)
	}
	return code, a.printValue(e, explain)
}

func (a *app) printValue(e *report.Evaluation, explain bool) error {
	if e.Error != "" && !e.Evaluated {
		return nil // it does not compile; the diagnostics have said it
	}
	var b strings.Builder
	if e.Error != "" {
		fmt.Fprintf(&b, "error: %s\ncost: %d\n", e.Error, e.Cost)
	} else {
		value, err := readable(e.Result)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%stype: %s\ncost: %d\n", value, e.Type, e.Cost)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(&b, "note: %s\n", n.Text)
	}
	if explain && len(e.Children) > 0 {
		fmt.Fprintf(&b, "\n%s\n", text.Explain(e.Expression, e.Children, a.printer(a.stdout).Width))
	}
	return a.say(b.String())
}

// readable is a value as JSON, on one line if it is short.
func readable(v any) (string, error) {
	encode := func(indent string) (string, error) {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", indent)
		if err := e.Encode(v); err != nil {
			return "", fmt.Errorf("writing the value: %w", err)
		}
		return b.String(), nil
	}
	if short, err := encode(""); err != nil || len(short) <= text.DefaultWidth {
		return short, err
	}
	return encode("  ")
}
