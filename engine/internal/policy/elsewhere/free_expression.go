package elsewhere

import (
	"fmt"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// contexts are the scopes that a free expression can have, by the name of its context. A result may
// have any type.
var contexts = map[string]scope{
	scenario.DeviceContext: device, scenario.ClaimsContext: mapping, scenario.UserContext: user, scenario.AuthorizationContext: review,
}

// Variable is the variable of a context; empty for a context of admission.
func Variable(context string) string {
	s, ok := contexts[context]
	if !ok {
		return ""
	}
	return typesOf(s, version.Newest()).variable
}

// ContextAt returns the context with the variable of an expression in a document, by its place such as
// jwt[0].claimMappings.uid.expression; empty where no CEL that this package checks is.
func ContextAt(apiVersion, kind, path string) string {
	everyItem := anyIndex.ReplaceAllString(path, "[*]")
	for _, p := range placesOf(apiVersion, kind) {
		if p.path == everyItem {
			for context, s := range contexts {
				if typesOf(s, version.Newest()).variable == typesOf(p.scope, version.Newest()).variable {
					return context
				}
			}
		}
	}
	return ""
}

var anyIndex = lazy.Regexp{Text: `\[\d+\]`}

// TypeOf returns the type of names and dots that begin with a context's variable, such as
// request.resourceAttributes; nil for others.
func TypeOf(context, name string, v version.Version) *apiservercel.DeclType {
	s, known := contexts[context]
	if !known {
		return nil
	}
	t := typesOf(s, v)
	first, rest, _ := strings.Cut(name, ".")
	if first != t.variable {
		return nil
	}
	at := t.root
	for field := range strings.SplitSeq(rest, ".") {
		if rest == "" {
			break
		}
		f := at.Fields[field]
		if f == nil {
			return nil
		}
		at = f.Type
	}
	return at
}

// Free evaluates an expression that is in no document, in one of the contexts that have a [Variable].
// With several devices or tokens, the result has the value for each by its name. It fails if a base
// environment cannot be extended.
func (c *Checker) Free(context, expression string, in Input) (report.Evaluation, []diag.Diagnostic, error) {
	s := contexts[context]
	out := report.Evaluation{Name: "expression", Text: diag.Expression, Span: diag.Span{End: len(expression)}, Expression: expression, Cost: -1}
	about := func(code string, severity diag.Severity, span diag.Span, summary, detail string) diag.Diagnostic {
		return diag.Diagnostic{Code: code, Severity: severity, Text: diag.Expression, Span: span, Summary: summary, Detail: detail}
	}
	if reason := c.unchecked(s); reason != "" {
		out.Error = "CEL in this field is not checked."
		return out, []diag.Diagnostic{about(codes.CELNotChecked, diag.Info, out.Span, out.Error, reason)}, nil
	}
	p, issues, err := c.compiled(s, expression)
	if err != nil {
		return out, nil, err
	}
	var found []diag.Diagnostic
	if issues != nil {
		out.Error = "compilation failed: " + source.Issues(expression, issues)
		found = c.problems(s, expression, rewrite.Free(diag.Expression, expression), about(codes.CELCompile, diag.Error, out.Span, "", ""))
		return out, found, nil
	}
	if s == device {
		cost, err := c.estimate(p)
		if err != nil {
			return out, nil, err
		}
		if cost > maxSelectorCost {
			found = append(found, about(codes.SelectorCost, diag.Error, out.Span, tooExpensive(cost), "The server rejects the selector."))
		}
	}
	outcomes := p.on(in.subjects(s))
	if len(outcomes) == 0 {
		lacks, add := missing(s)
		out.Error = lacks
		return out, append(found, about(codes.CELRuntime, diag.Warning, out.Span, fmt.Sprintf("%s, so %s has no value", lacks, p.variable), add)), nil
	}
	out.Evaluated = true
	out.Result, out.Type, out.Error, out.Cost = together(outcomes)
	return out, found, nil
}

// together is the result of all outcomes, its type, the first error and the highest cost.
func together(outcomes []outcome) (result any, typ, failed string, cost int64) {
	byName := map[string]any{}
	for _, o := range outcomes {
		cost = max(cost, int64(o.cost))
		if o.err != nil {
			if failed == "" {
				failed = o.err.Error()
				if o.name != "" {
					failed = o.name + ": " + failed
				}
			}
			continue
		}
		result = plain(o.result)
		typ, byName[o.name] = eval.TypeName(o.result), result
	}
	if failed != "" {
		return nil, "", failed, cost
	}
	if len(outcomes) > 1 {
		return byName, "map", "", cost
	}
	return result, typ, "", cost
}
