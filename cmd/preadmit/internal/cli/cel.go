package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

type celFlags struct {
	parts           *parts
	request         *requestFlags
	settings        *settings
	rules           *ruleFlags
	context, format string
	explain, limits bool
}

func (a *app) celCommand() *cobra.Command {
	e := &celFlags{}
	c, f := a.newCommand("cel 'EXPRESSION' [PATH...]", "Evaluate one CEL expression", func(args []string) (int, error) { return a.cel(args, e) })
	e.parts, e.request = f.parts(), f.request()
	f.context(&e.context)
	e.rules = f.rules()
	f.output(&e.format, "`FORMAT`: text, value, type and cost; json; yaml", "text", "json", "yaml")
	f.BoolVar(&e.explain, "explain", false, "print the values of sub-expressions under their parts")
	f.BoolVar(&e.limits, "limits", false, "with --context rule, find the length of a list at which a cost limit is exceeded; takes seconds")
	e.settings = f.settings(false)
	return c
}

// cel evaluates one expression, or schema rules.
func (a *app) cel(args []string, e *celFlags) (int, error) {
	if e.context == scenario.RuleContext {
		return a.celRules(args, e)
	}
	if e.rules.given() {
		return 0, badInput("cel: --schema, --self and --old-self are for --context rule")
	}
	if e.limits {
		return 0, badInput("cel: --limits is for --context rule; eval --limits has the expressions of policies and webhooks")
	}
	if len(args) == 0 {
		return 0, badInput("cel needs one expression, in quotes")
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
	if len(args) > 1 || e.parts.given() {
		var err error
		if in, err = a.input(args[1:], e.parts); err != nil {
			return 0, err
		}
	}
	e.settings.apply(&in.Scenario)
	if err := a.change(in, e.request); err != nil {
		return 0, err
	}
	in.setExpression(expression, e.context, file)
	r, err := a.evaluate(in)
	if err != nil {
		return 0, err
	}
	return a.printExpression(in, r, e.format, e.explain)
}

func (a *app) printExpression(in *input, r *report.Report, format string, explain bool) (int, error) {
	if err := a.complain(in, r.Diagnostics); err != nil {
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
		code = exitOK // the verdict on the request does not matter here
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
		return nil // it does not compile, which the diagnostics say
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

// readable returns a value as JSON, on one line if short.
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
