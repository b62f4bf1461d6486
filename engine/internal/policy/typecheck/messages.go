package typecheck

import (
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

var withPlaceholder = lazy.Regexp{Text: `\{\{?\s*\.?(object|oldObject|params|request|variables)\b[^{}]*\}`}

// messages finds messages that are expressions, or have some in braces: the
// server prints them as they are.
func (d *document) messages() error {
	if d.Kind != "ValidatingAdmissionPolicy" {
		return nil
	}
	spec, _ := d.Value["spec"].(map[string]any)
	validations, _ := spec["validations"].([]any)
	_, params := model.ParamKind(d.Value)
	view := check.View{Style: check.Runtime, Scope: model.MessageExpression.Scope(params)}
	var err error
	if view.Variables, err = d.checker.Variables(model.Variables(d.Value), view); err != nil {
		return err
	}
	for i, item := range validations {
		validation, _ := item.(map[string]any)
		text, _ := validation["message"].(string)
		if _, both := validation["messageExpression"]; both || text == "" {
			continue
		}
		expression := text
		if withPlaceholder.MatchString(text) {
			expression = expressions.Sum(text)
		} else if !composed(text) {
			continue
		}
		result, err := d.checker.Check(expression, view)
		if err != nil {
			return err
		}
		if result.Issues == nil && (result.AST.OutputType() == cel.StringType || result.AST.OutputType() == cel.DynType) {
			d.message(fieldpath.New("spec", "validations").Index(i).Child("message").String(), text, expression)
		}
	}
	return nil
}

// composed reports whether a text is put together from texts and a value of the
// request: a sentence that happens to be CEL is not.
func composed(text string) bool {
	operator, root := false, false
	for _, t := range source.Lex(text) {
		operator = operator || t.Text == "+" || t.Text == "("
		root = root || t.Kind == source.Word && strings.Contains(" object oldObject params request variables ", " "+t.Text+" ")
	}
	return operator && root
}

// message reports a message that is meant to be an expression.
func (d *document) message(path, text, expression string) {
	key, value := d.LocateKey(path), d.Locate(path)
	edits := []diag.Edit{{Text: d.Text, Span: key, New: "messageExpression"}}
	if expression != text {
		edits = append(edits, diag.Edit{Text: d.Text, Span: value, New: `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(expression) + `"`})
	}
	d.out = append(d.out, diag.Diagnostic{
		Code: codes.MessageIsExpression, Severity: diag.Warning, Text: d.Text, Span: value, Path: path, Document: d.Kind + "/" + d.Name,
		Summary: "the message is an expression, but is printed unchanged",
		Detail:  "message is a fixed text. An expression belongs in messageExpression.",
		Fixes:   []diag.Fix{{Title: "Use messageExpression", Edits: edits}},
	})
}
