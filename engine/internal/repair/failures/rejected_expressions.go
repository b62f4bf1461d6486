package failures

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
)

// repair adds a fix to the diagnostic of an expression that the server would
// reject, where one is plain.
func (x *explainer) repair(d *diag.Diagnostic) {
	if len(d.Fixes) > 0 || !strings.HasPrefix(d.Code, "cel-") {
		return
	}
	s := x.texts.source(d.Text, d.Path, d.Span)
	if s == nil {
		return
	}
	length := len(s.Runes)
	wrap := func(function string) diag.Fix {
		return s.Fix("Convert the value with "+function+"()", rewrite.Replace(0, 0, function+"("), rewrite.Replace(length, length, ")"))
	}
	switch {
	case strings.HasPrefix(d.Summary, "must evaluate to bool but got dyn") && strings.HasPrefix(d.Detail, expressions.VariableRejected):
		// The type is known when the variable is repaired.
	case strings.HasPrefix(d.Summary, "must evaluate to bool but got dyn"):
		d.Fixes = []diag.Fix{wrap("bool")}
	case strings.HasPrefix(d.Summary, "must evaluate to string but got"), strings.HasPrefix(d.Summary, "must evaluate to one of [string null_type] but got"):
		if !strings.Contains(d.Summary, "got list(") && !strings.Contains(d.Summary, "got map(") {
			d.Fixes = []diag.Fix{wrap("string")}
		}
	case strings.HasPrefix(d.Summary, "must evaluate to list(JSONPatch) but got list(dyn)") && strings.Join(strings.Fields(string(s.Runes)), "") == "[]":
		d.Fixes = []diag.Fix{s.Fix("Give the empty list a type: add a condition and a patch",
			rewrite.Replace(0, length, "false ? [JSONPatch{op: 'add', path: '/metadata/labels/example', value: 'true'}] : []"))}
	case strings.HasPrefix(d.Summary, "must evaluate to Object but got map("):
		if text := expressions.MapsAsObjects(string(s.Runes), nil, "Object"); text != "" {
			d.Fixes = []diag.Fix{s.Fix("Write it as Object{...}", s.Differences(text)...)}
		}
	case strings.HasPrefix(d.Summary, "found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"):
		if tree := values.ParseText(string(s.Runes)); tree != nil {
			globalSign(d, s, tree)
		}
	}
}

// globalSign writes q.sign() as sign(q): it is a function, not a method.
func globalSign(d *diag.Diagnostic, s *rewrite.Source, tree *values.Tree) {
	for _, n := range tree.Nodes {
		if n.Kind != values.Call || n.Name != "sign" || !n.Member || len(n.Children) != 1 {
			continue
		}
		target := n.Children[0]
		if m := methodCall.FindString(string(s.Runes[target.End:n.End])); m != "" {
			d.Fixes = []diag.Fix{s.Fix("Write sign(...)", rewrite.Replace(n.Start, n.Start, "sign("), rewrite.Replace(n.End-len([]rune(m)), n.End, ")"))}
			return
		}
	}
}

var methodCall = lazy.Regexp{Text: `\s*\.\s*sign\s*\(\s*\)$`}
