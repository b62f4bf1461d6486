package install

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// explain turns the problems of a rejected document into diagnostics.
func (in *installer) explain(c *checker) {
	for _, p := range c.problems {
		if p.expression != nil && len(p.expression.compiled.Issues) > 0 {
			in.explainIssues(c.document, p)
			continue
		}
		if !p.same {
			in.explainProblem(c.document, p)
		}
	}
}

func (in *installer) explainProblem(d *scenario.Document, p *problem) {
	path := p.at
	if path == "" {
		path = p.Field
	}
	out := in.report(d, p.code, diag.Error, p.span(d, path), p.summary(path), p.hint)
	out.Path = path
	if p.expression == nil { // else what is wrong within it is explained elsewhere
		out.Fixes = in.texts.Of(d).Problem(p.code, p.Error, path, p.options)
	}
	switch {
	case p.expression != nil:
		out.Detail = hints.ReturnType(p.expression.place, p.Detail)
	case len(p.options) == 0:
	case p.Type == field.ErrorTypeRequired:
		out.Detail = strings.TrimSpace(fmt.Sprintf("One of %s. %s", strings.Join(p.options, ", "), out.Detail))
	case len(out.Fixes) > 0 && strings.HasPrefix(out.Fixes[0].Title, "Change to "):
		out.Detail = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", strings.TrimPrefix(out.Fixes[0].Title, "Change to "), out.Detail))
	}
}

// span is what a problem underlines: the value, the key, or the text of an
// expression without the quotes or the block indicator around it.
func (p *problem) span(d *scenario.Document, path string) diag.Span {
	if p.key {
		return d.LocateKey(path)
	}
	if p.expression != nil {
		if scalar, ok := d.Scalar(path); ok {
			source := strings.TrimRight(p.expression.compiled.Expression, " \t\n")
			return scalar.SpanOfRunes(p.expression.indent, p.expression.indent+utf8.RuneCountInString(source))
		}
	}
	return locate(d, path)
}

// summary is the server's text, shortened to one line. The whole text is in the
// server's answer.
func (p *problem) summary(path string) string {
	if p.expression != nil {
		return p.Detail // without the expression, which is in sight anyway
	}
	text, _, _ := strings.Cut(p.ErrorBody(), " (e.g. ")
	if p.Type == field.ErrorTypeRequired {
		text = fieldpath.Parse(path).Last() + ": " + text
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// locate returns the place of a path. Of a field that a list item lacks it gives
// the first key of the item rather than the whole item.
func locate(d *scenario.Document, path string) diag.Span {
	parent := fieldpath.Parse(path).Parent()
	if d.Has(path) || len(parent) == 0 || !parent[len(parent)-1].Bracket() {
		return d.Locate(path)
	}
	item := fieldpath.As[map[string]any](parent.Get(d.Value))
	var first *diag.Span
	for key := range item {
		span := d.LocateKey(parent.Key(key).String())
		if first == nil || span.Start < first.Start {
			first = &span
		}
	}
	if first == nil {
		return d.Locate(path)
	}
	return *first
}

// explainIssues reports what the CEL compiler found, each at its characters.
func (in *installer) explainIssues(d *scenario.Document, p *problem) {
	scalar, mapped := d.Scalar(p.Field)
	for _, x := range hints.Issues(p.expression.place, in.version, p.expression.compiled, in.compiledIn(p.expression)) {
		span := d.Locate(p.Field)
		if mapped {
			span = scalar.SpanOfRunes(x.Start+p.expression.indent, x.End+p.expression.indent)
		}
		out := in.report(d, x.Code, diag.Error, span, x.Summary, x.Detail)
		out.Path = p.Field
		if x.Code == codes.LaterVersion {
			continue
		}
		out.Fixes = append(out.Fixes, in.texts.Of(d).Declarations(p.Field, p.expression.place.Params, x.Message)...)
		if out.Detail == "" && x.Name != "" {
			suggestName(out, d.Text, span, hints.Names(p.expression.place), x.Name)
		}
	}
}

// compiledIn compiles an expression as other releases do.
func (in *installer) compiledIn(e *failedExpression) hints.CompileIn {
	return func(v version.Version, mode eval.Mode) []eval.Issue {
		environments, err := in.sets.ForVersion(v)
		if err != nil { // only releases that there are
			return nil
		}
		compiler := environments.NewCompiler(mode, e.compiler.params, e.compiler.composed)
		for _, variable := range e.compiler.Variables[:e.variables] {
			compiler.AddVariable(variable.Declaration)
		}
		return compiler.Compile(e.compiled.Expression, e.compiled.Place).Issues
	}
}
