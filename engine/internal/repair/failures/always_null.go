package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// A policy that is only for deletions never has an object, and one that is only for creations
// never has an old one. There a guard decides the expression in the same way for all requests;
// what may help is to read the other one.

// otherObject is the variable that has a value where the one of that name never has one.
var otherObject = map[string]string{"object": "oldObject", "oldObject": "object"}

// alwaysNull reports whether a part is read of a variable that is null for every request that
// the policy of a step is for, and gives the repairs instead of those of others.
func (x *explainer) alwaysNull(s *rewrite.Source, e *report.Evaluation, n *node) (bool, []diag.Fix) {
	root, _ := rootOf(n)
	if root == nil || len(n.children) == 0 || !ofNull(n) || x.step == nil {
		return false, nil
	}
	if root.Name == "params" {
		return x.unbound()
	}
	only := map[string]string{"object": "DELETE", "oldObject": "CREATE"}[root.Name]
	operations := x.operations(e)
	if only == "" || len(operations) == 0 || slices.ContainsFunc(operations, func(o string) bool { return o != only }) {
		return false, nil
	}
	top := n
	for top.parent != nil {
		top = top.parent
	}
	other := otherObject[root.Name]
	var changes []rewrite.Change
	both := false
	top.walk(func(n *node) {
		both = both || n.Kind == "variable" && n.Name == other
		if n.Kind == "variable" && n.Name == root.Name {
			changes = append(changes, rewrite.Replace(n.Start, n.End, other))
		}
	})
	if both || e.List == report.MutationList {
		return true, nil // it compares the two, or would write what is there: the policy is to be for updates
	}
	return true, []diag.Fix{s.Fix("Write "+other, changes...)}
}

// unbound says that the binding of a step names no params, with the repairs of that.
func (x *explainer) unbound() (bool, []diag.Fix) {
	i := slices.IndexFunc(x.report.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.ParamsNotBound && d.Document == x.step.Kind+"Binding/"+x.step.Binding
	})
	if i < 0 {
		return false, nil
	}
	return true, slices.Clone(x.report.Diagnostics[i].Fixes)
}

// operations are those that the rules of the policy name that an expression is in.
func (x *explainer) operations(e *report.Evaluation) []string {
	var out []string
	for _, d := range x.texts.parsed(e.Text) {
		if d.Kind != x.step.Kind || d.Name != x.step.Policy {
			continue
		}
		for _, rule := range untyped.Items(d.Value, "spec", "matchConstraints", "resourceRules") {
			out = append(out, untyped.Strings(rule, "operations")...)
		}
	}
	return out
}

// MatchOnly is what the title of a repair begins with after which a policy is for fewer operations.
const MatchOnly = "Match only "

// withoutDeletions takes deletions away from a policy that asks for the new object only, which they do not have.
func (x *explainer) withoutDeletions(e *report.Evaluation, n *node) (diag.Fix, bool) {
	if root, _ := rootOf(n); root == nil || root.Name != "object" || !ofNull(n) || x.step == nil || strings.HasSuffix(e.Path, "messageExpression") {
		return diag.Fix{}, false // a message is no reason to let deletions pass
	}
	for _, d := range x.texts.parsed(e.Text) {
		if d.Kind != x.step.Kind || d.Name != x.step.Policy || strings.Contains(d.Source()[d.Span.Start:d.Span.End], "oldObject") {
			continue
		}
		var fix diag.Fix
		rules := fieldpath.Parse("spec.matchConstraints.resourceRules")
		list := fieldpath.As[[]any](rules.Get(d.Value))
		for i := range list {
			at := rules.Index(i).Child("operations")
			names := fieldpath.As[[]any](at.Get(d.Value))
			edit, ok := diag.Edit{}, false
			switch {
			case len(names) == 1 && names[0] == "*":
				names = []any{"CREATE", "UPDATE"}
				edit, ok = d.Rewrite(at.String(), "[CREATE, UPDATE]")
			case len(names) > 1 && slices.Contains(names, any("DELETE")):
				gone := slices.Index(names, any("DELETE"))
				names = slices.Delete(slices.Clone(names), gone, gone+1)
				edit, ok = d.Remove(at.Index(gone).String())
			}
			if ok {
				fix.Title, fix.Edits = MatchOnly+strings.Trim(strings.ReplaceAll(fmt.Sprint(names), " ", " and "), "[]"), append(fix.Edits, edit)
			}
		}
		return fix, len(fix.Edits) > 0
	}
	return diag.Fix{}, false
}
