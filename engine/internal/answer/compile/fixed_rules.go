package compile

import (
	"strings"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// fixedRule reports what is wrong with a rule of an accepted definition by itself, and a rule that no new value fulfils.
func (p *clusterReader) fixedRule(d *scenario.Document, path fieldpath.Path, rule string) {
	checker, err := p.store.checkerFor(p.version)
	var found []diag.Diagnostic
	if err == nil {
		found, err = typecheck.RuleProblems(d, p.plain(d), path.String(), rule, checker)
	}
	if err != nil {
		p.diagnose([]diag.Diagnostic{{Code: codes.Internal, Severity: diag.Error, Text: d.Text, Span: d.Locate(path.String()), Path: path.String(), Summary: err.Error(), Document: d.Kind + "/" + d.Name}})
		return
	}
	p.diagnose(found)
	if optional, _ := path.Parent().Child("optionalOldSelf").Get(d.Value); optional == true {
		p.onlyOldValues(d, path, rule)
	}
}

// onlyOldValues reports a rule with optionalOldSelf that demands an old value: it denies each new one.
func (p *clusterReader) onlyOldValues(d *scenario.Document, path fieldpath.Path, rule string) {
	tree := values.ParseText(rule)
	if tree == nil {
		return
	}
	parts := conjuncts(tree.Root)
	for i, n := range parts {
		if n.Kind != values.Call || n.Name != "hasValue" || len(n.Children) != 1 || n.Children[0].Kind != values.Ident || n.Children[0].Name != "oldSelf" {
			continue
		}
		found := diag.Diagnostic{Code: codes.ValidationNeverTrue, Severity: diag.Warning, Text: d.Text, Span: d.Locate(path.String()), Path: path.String(), Document: d.Kind + "/" + d.Name,
			Summary: "this rule is never true for a new value: it demands oldSelf.hasValue()",
			Detail:  "With optionalOldSelf, the rule runs where there is no old value, too. So nobody can create an object with this value. Write !oldSelf.hasValue() || (…) to test changes only."}
		if m, ok := d.Scalar(path.String()); ok {
			found.Span = m.SpanOfRunes(n.Start, n.End)
		}
		if s := rewrite.In(d, p.plain(d), path.String()); s != nil && i == 0 && len(parts) > 1 {
			text := "!oldSelf.hasValue() || (" + strings.TrimSpace(string([]rune(rule)[parts[1].Start:tree.Root.End])) + ")"
			found.Fixes = []diag.Fix{s.Fix("Write "+text, s.Differences(text)...)}
		}
		p.diagnose([]diag.Diagnostic{found})
		return
	}
}

// conjuncts are the operands of an expression that have to be true for it to be true.
func conjuncts(n *values.Node) []*values.Node {
	if n.Kind != values.Logical || n.Name != operators.LogicalAnd {
		return []*values.Node{n}
	}
	var out []*values.Node
	for _, child := range n.Children {
		out = append(out, conjuncts(child)...)
	}
	return out
}
