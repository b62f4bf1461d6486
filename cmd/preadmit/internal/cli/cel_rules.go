package cli

import (
	"context"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// ruleFlags name the files for schema rules without a definition.
type ruleFlags struct{ schema, self, old string }

func (f flags) rules() *ruleFlags {
	r := &ruleFlags{}
	f.text(&r.schema, "schema", "", "with --context rule, the `FILE` with the schema")
	f.text(&r.self, "self", "", "with --context rule, the `FILE` with the value")
	f.text(&r.old, "old-self", "", "with --context rule, the `FILE` with the value before an update")
	return r
}

func (r *ruleFlags) given() bool { return r.schema != "" || r.self != "" || r.old != "" }

// celRules evaluates schema rules.
func (a *app) celRules(args []string, e *celFlags) (int, error) {
	in, err := a.rulesInput(args, e.parts, e.rules)
	if err != nil {
		return 0, err
	}
	e.settings.apply(&in.Scenario)
	run := a.evaluateOnce
	if e.limits {
		run = a.evaluateWithLimits
	}
	return a.evaluateRules(in, run, e.format, e.explain)
}

// rulesInput returns the scenario for the context rule: from a path, or from files for its parts,
// with the argument as a rule of their schema.
func (a *app) rulesInput(args []string, p *parts, r *ruleFlags) (*input, error) {
	if p.given() {
		return nil, badInput("cel: schema rules see no request, policies or cluster; leave -f, -r, -c and -p out")
	}
	if r.schema == "" {
		return a.rulesOfPath(args, r)
	}
	if len(args) > 1 {
		return nil, badInput("cel --context rule needs one rule, in quotes")
	}
	b := &rulesText{}
	for _, part := range []struct{ field, file string }{{scenario.SchemaField, r.schema}, {scenario.SelfField, r.self}, {scenario.OldSelfField, r.old}} {
		if part.file == "" {
			continue
		}
		data, err := a.read(part.file)
		if err == nil {
			err = b.part(part.field, displayName(part.file), string(data))
		}
		if err == nil && part.field == scenario.SchemaField && len(args) == 1 {
			err = b.rule(args[0])
		}
		if err != nil {
			return nil, err
		}
	}
	in := &input{sources: text.Sources{}}
	in.Expression, in.ExpressionContext = b.text.String(), scenario.RuleContext
	in.sources[diag.Expression] = &text.Source{Text: in.Expression, Pieces: b.pieces}
	return in, nil
}

// rulesOfPath returns the scenario from a file or folder with all parts.
func (a *app) rulesOfPath(args []string, r *ruleFlags) (*input, error) {
	switch {
	case r.given():
		return nil, badInput("cel: --self and --old-self need --schema")
	case len(args) != 1:
		return nil, badInput("cel --context rule needs --schema, or one file with schema, self and oldSelf")
	}
	in, err := a.load(args[0], scenario.Given{})
	if err != nil {
		return nil, err
	}
	if in.ExpressionContext != scenario.RuleContext || in.Expression == "" {
		return nil, badInput("%s: there is no schema with rules; the file needs the field schema, and may have self and oldSelf", displayName(args[0]))
	}
	return in, nil
}

// rulesText combines the parts into one text.
type rulesText struct {
	text   strings.Builder
	pieces []text.Piece
}

// indent is the indentation of parts.
const indent = "  "

// part adds a file as a field.
func (b *rulesText) part(field, file, content string) error {
	content = strings.TrimPrefix(strings.TrimRight(content, " \t\r\n"), "\ufeff")
	if strings.HasPrefix(strings.TrimSpace(content), "{") && field == scenario.SchemaField {
		// A rule is appended, which JSON does not allow.
		written, err := yaml.JSONToYAML([]byte(content))
		if err != nil {
			return badInput("%s: %v", file, err)
		}
		content = strings.TrimRight(string(written), "\n")
	}
	b.text.WriteString(field + ":\n")
	b.lines(file, content, indent)
	return nil
}

// rule adds a rule for the whole schema.
func (b *rulesText) rule(rule string) error {
	docs, _ := scenario.ParseDocuments(diag.Expression, b.text.String())
	if len(docs) == 1 && docs[0].Has(scenario.SchemaField+".x-kubernetes-validations") {
		return badInput("cel: the schema already has rules at its root; add the rule there, or remove them")
	}
	b.text.WriteString(indent + "x-kubernetes-validations:\n" + indent + "- rule: |-\n")
	b.lines("rule", rule, strings.Repeat(indent, 3))
	return nil
}

func (b *rulesText) lines(file, content, indent string) {
	b.pieces = append(b.pieces, text.Piece{File: file, Start: b.text.Len(), Line: 1, Column: -len(indent)})
	for line := range strings.SplitSeq(content, "\n") {
		b.text.WriteString(indent + line + "\n")
	}
}

// evaluateRules evaluates and prints schema rules.
func (a *app) evaluateRules(in *input, run func(context.Context, scenario.Scenario) (*report.Report, error), format string, explain bool) (int, error) {
	r, err := a.evaluateBy(run, in)
	if err != nil {
		return 0, err
	}
	if err := a.complain(in, r.Diagnostics); err != nil {
		return 0, err
	}
	code := r.ExitCode()
	switch {
	case r.Rules == nil:
		return exitInput, nil // the diagnostics say why
	case format == "json":
		return code, writeJSON(a.stdout, r.Rules)
	case format == "yaml":
		return code, writeYAML(a.stdout, r.Rules)
	}
	out := a.printer(a.stdout)
	out.Explain = explain
	return code, out.Rules(a.stdout, r.Rules)
}
