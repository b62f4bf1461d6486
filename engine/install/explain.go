package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// explain turns the problems of a refused document into diagnostics.
func (in *installer) explain(c *checker) {
	for _, p := range c.problems {
		if p.expression != nil && len(p.expression.compiled.Issues) > 0 {
			in.explainIssues(c.document, p)
			continue
		}
		in.explainProblem(c.document, p)
	}
}

func (in *installer) explainProblem(d *scenario.Document, p *problem) {
	path := p.at
	if path == "" {
		path = p.Field
	}
	span := locate(d, path)
	if p.key {
		span = d.LocateKey(path)
	}
	detail := p.hint
	if p.expression != nil {
		detail = returnTypeHint(p.expression, p.Detail)
	}
	summary := strings.ReplaceAll(p.ErrorBody(), "\n", " ")
	if p.expression != nil {
		summary = p.Detail // without the expression, which is in sight anyway
	}
	out := in.report(d, p.code, diag.Error, span, summary, detail)
	out.Path = path
	switch got := fmt.Sprint(p.BadValue); {
	case len(p.options) == 0:
	case p.Type == field.ErrorTypeRequired:
		out.Detail = strings.TrimSpace(fmt.Sprintf("One of %s. %s", strings.Join(p.options, ", "), out.Detail))
	default:
		suggest(out, d.Text, span, p.options, got)
	}
}

// locate gives the place of a path. Of a field that a list item lacks it gives
// the first key of the item rather than the whole item.
func locate(d *scenario.Document, path string) diag.Span {
	parent := parentPath(path)
	if d.Has(path) || !strings.HasSuffix(parent, "]") {
		return d.Locate(path)
	}
	item, _ := lookup(d.Value, parent).(map[string]any)
	var first *diag.Span
	for key := range item {
		span := d.LocateKey(parent + "[" + key + "]")
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
	source := []rune(p.expression.compiled.Expression)
	scalar, mapped := d.Scalar(p.Field)
	for _, issue := range p.expression.compiled.Issues {
		span := d.Locate(p.Field)
		if mapped {
			start, end := issueRange(source, issue)
			span = scalar.SpanOfRunes(start+p.expression.indent, end+p.expression.indent)
		}
		if later, ok := in.laterVersion(p.expression, issue); ok {
			out := in.report(d, CodeLaterVersion, diag.Error, span, later.summary(), later.detail(in.minor, issue.Message))
			out.Path = p.Field
			continue
		}
		out := in.report(d, CodeCompile, diag.Error, span, issue.Message, compileHint(p.expression.role, issue.Message))
		out.Path = p.Field
		if name := undeclared(issue.Message); out.Detail == "" && name != "" {
			suggest(out, d.Text, span, roots(p.expression.role), name)
		}
	}
}

// roots are the variables that an expression in a role may start with.
func roots(r role) []string {
	names := []string{"object", "oldObject", "request", "namespaceObject"}
	if r != webhookCondition {
		names = append(names, "params")
	}
	if r != messageExpression {
		names = append(names, "authorizer")
	}
	if !slices.Contains([]role{matchCondition, webhookCondition}, r) {
		names = append(names, "variables")
	}
	if r == mutation {
		names = append(names, "Object", "JSONPatch")
	}
	return names
}
