// Package typecheck checks the expressions of policies and webhook
// configurations against the kinds that they match, before anything runs. The
// server's own warnings have its texts. Further warnings are ours,
// with their own codes, and describe what happens at run time.
package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// finding is one problem in an expression. Offsets are code points in it.
type finding struct {
	code       string
	start, end int
	summary    string
	detail     string
	// replacement for the text between the offsets would repair it.
	replacement string
	// repaired is the whole expression as it was likely meant, where a repair is
	// more than a replacement.
	repaired string
	// or is another repair of that kind, where one is as likely.
	or string
	// patches are the expression as a JSON Patch, where an ApplyConfiguration cannot
	// do it.
	patches []string
	// unused is the path of a variable that the repaired expression does not read any more.
	unused string
	// draft says that the replacement has a value that is not known.
	draft bool
	// info says that the problem may be meant.
	info bool
}

// Check checks every expression of the documents, which are in the given texts. Expressions that do not
// compile without types are left out: the server rejects them anyway. The error
// is internal.
func Check(docs []*scenario.Document, plain map[diag.Text]string, checker *check.Checker, cat *catalog.Catalog) ([]diag.Diagnostic, error) {
	var out []diag.Diagnostic
	for _, d := range docs {
		c := &document{harmless: map[string]int{}, Document: d, plain: plain[d.Text], catalog: cat, checker: checker}
		if err := c.check(); err != nil {
			return nil, err
		}
		out = append(out, c.out...)
	}
	diag.Sort(out)
	return out, nil
}

// document is one document while it is checked.
type document struct {
	*scenario.Document
	plain   string // the text that it is in
	catalog *catalog.Catalog
	checker *check.Checker
	out     []diag.Diagnostic
	// harmless are warnings of the server without a problem, by their cause.
	harmless map[string]int
	// request is the kind that stands for all where the rules name none; empty before a request failed.
	request schema.GroupVersionKind
}

func (d *document) check() error {
	warnings, err := ServerWarnings(d.Value, d.catalog, d.checker)
	if err != nil {
		return err
	}
	kinds := map[int][]matched{} // by webhook
	if err := d.messages(); err != nil {
		return err
	}
	for _, e := range model.Expressions(d.Value) {
		if _, ok := kinds[e.Webhook]; !ok {
			if kinds[e.Webhook], err = d.matched(e.Webhook); err != nil {
				return err
			}
		}
		compiles, err := d.compiles(e)
		if err != nil {
			return err
		}
		if !compiles {
			continue
		}
		found, cuts, err := d.findings(e, kinds[e.Webhook])
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(warnings, func(w Warning) bool { return w.FieldRef == e.Path }); i >= 0 {
			found = d.withWarning(e, warnings[i], found, cuts, kinds[e.Webhook])
		}
		for _, f := range found {
			d.report(e, f)
		}
		d.includesExcluded(e)
		if f := d.contradiction(e); f != nil {
			d.report(e, *f)
		}
		if fixes := expressions.FoldedComment(d.Document, e.Path); fixes != nil {
			d.report(e, finding{code: codes.DoubtfulText, end: len([]rune(e.Text)), summary: "everything after the comment is part of it", detail: expressions.FoldedDetail})
			d.out[len(d.out)-1].Fixes = fixes
		}
	}
	return nil
}

// matched lists the kinds that the rules name. Without any, the one entry has
// objects of unknown type: some mistakes show anyway.
func (d *document) matched(webhook int) ([]matched, error) {
	view := check.View{Style: check.Runtime}
	if gvk, ok := model.ParamKind(d.Value); ok && webhook < 0 {
		view.Params, _ = d.catalog.TypeOf(gvk)
		view.Scope.Params = true
	}
	view.Scope.Authorizer = true
	var out []matched
	kinds := model.Kinds(d.catalog, model.Rules(d.Value, webhook), check.Runtime)
	if len(kinds) == 0 {
		kinds = append(kinds, d.request)
	}
	for _, gvk := range kinds {
		if t, ok := d.catalog.TypeOf(gvk); ok {
			view.Object = t
			resource, _ := d.catalog.ResourceForKind(gvk)
			out = append(out, matched{kind: resource, view: view})
		}
	}
	if len(out) == 0 {
		out = []matched{{view: view}}
	}
	return out, d.follow(webhook, out)
}

// viewOf narrows the view of a kind down to what the expression may see.
func viewOf(e model.Expression, view check.View) check.View {
	view.Scope = e.Scope
	view.Variables = view.Variables[:min(e.Variables, len(view.Variables))]
	return view
}

// compiles reports whether the expression compiles as the server compiles it,
// without types of objects.
func (d *document) compiles(e model.Expression) (bool, error) {
	view := check.View{Style: check.Runtime, Scope: e.Scope}
	variables, err := d.checker.Variables(model.Variables(d.Value)[:e.Variables], view)
	if err != nil {
		return false, err
	}
	view.Variables = variables
	result, err := d.checker.Check(e.Text, view)
	return err == nil && result.Issues == nil, err
}

// findings are the problems of an expression over the kinds that reach it. A problem that not
// every kind has which reaches its place is no more than information: something that we cannot
// read may keep the others away. The ranges are what a kind does not reach.
func (d *document) findings(e model.Expression, kinds []matched) (out []finding, cut map[schema.GroupVersionKind][]span, err error) {
	var list []*merged
	cut = map[schema.GroupVersionKind][]span{}
	for _, m := range kinds {
		cut[m.kind.GVK] = []span{{0, len([]rune(e.Text))}} // kept away by a match condition
	}
	kinds = d.reaching(e, kinds)
	cuts := make([][]span, len(kinds))
	for i := range kinds {
		a := &analysis{document: d, expression: e, source: source.NewText(e.Text), view: viewOf(e, kinds[i].view), matched: &kinds[i]}
		if err := a.run(); err != nil {
			return nil, nil, err
		}
		cuts[i] = a.pruned.cut
		cut[kinds[i].kind.GVK] = a.pruned.cut
		for _, f := range a.found {
			if f.code == codes.UnknownObjectField {
				f.repaired = a.whereReached(f.repaired)
			}
			at := slices.IndexFunc(list, func(m *merged) bool {
				return m.code == f.code && m.start == f.start && m.end == f.end
			})
			if at < 0 {
				list = append(list, &merged{finding: f})
				at = len(list) - 1
			}
			list[at].having = append(list[at].having, i)
		}
	}
	for _, m := range list {
		var without []string // kinds that reach the place and do not have the problem
		for i := range kinds {
			if !slices.Contains(m.having, i) && !slices.ContainsFunc(cuts[i], m.inside) {
				without = append(without, kinds[i].kind.GVK.Kind)
			}
		}
		if len(without) > 0 {
			m.only(kinds, without)
		}
		out = append(out, m.finding)
	}
	return out, cut, nil
}

// whereReached is a repaired expression with the parts as they were that the kind does not reach: they are for
// other kinds.
func (a *analysis) whereReached(repaired string) string {
	if repaired == "" || len(a.pruned.cut) == 0 {
		return repaired
	}
	s := rewrite.Free(a.Text, a.expression.Text)
	changes := slices.DeleteFunc(s.Differences(repaired), func(c rewrite.Change) bool {
		return slices.ContainsFunc(a.pruned.cut, finding{start: c.Start, end: c.End}.inside)
	})
	if len(changes) == 0 {
		return ""
	}
	out, at := "", 0
	for _, c := range changes {
		out, at = out+string(s.Runes[at:c.Start])+c.Text, c.End
	}
	return out + string(s.Runes[at:])
}

// merged is a finding of several kinds.
type merged struct {
	finding
	having []int // the kinds by their index
}

func (f finding) inside(s span) bool { return s.start <= f.start && f.end <= s.end }

// only says which kinds have the problem. A repair for them would break the others.
func (m *merged) only(kinds []matched, without []string) {
	var names []string
	for _, i := range m.having {
		if name := kinds[i].kind.GVK.Kind; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	m.info = true
	m.summary += " (" + strings.Join(names, ", ") + ")"
	m.detail = strings.TrimSpace(fmt.Sprintf("%s It is valid for %s. Check object.kind first.", m.detail, strings.Join(slices.Compact(without), ", ")))
	m.replacement, m.repaired, m.or, m.patches = "", "", "", nil
}

// report places a finding in the text.
func (d *document) report(e model.Expression, f finding) {
	p := diag.Diagnostic{
		Code: f.code, Severity: diag.Warning, Text: d.Text, Path: e.Path,
		Summary: f.summary, Detail: f.detail, Document: d.Kind + "/" + d.Name,
	}
	if f.info {
		p.Severity = diag.Info
	}
	p.Span = d.Locate(e.Path)
	if m, ok := d.Scalar(e.Path); ok {
		p.Span = m.SpanOfRunes(f.start, f.end)
		switch s := rewrite.In(d.Document, d.plain, e.Path); {
		case s == nil:
		case len(f.patches) > 0:
			titles := []string{"Write it as a JSONPatch"}
			if len(f.patches) > 1 {
				titles = []string{"Write it as a JSONPatch that adds to the list", "Write it as a JSONPatch that replaces the list and drops the object's items"}
			}
			for i, patch := range f.patches {
				p.Fixes = append(p.Fixes, d.patchFix(e.Path, titles[i], patch)...)
			}
		case f.repaired != "":
			p.Fixes = []diag.Fix{s.Fix("Write "+shortened(f.repaired), s.Differences(f.repaired)...)}
			if edit, ok := d.Remove(f.unused); ok && f.unused != "" {
				p.Fixes[0].Edits = append(p.Fixes[0].Edits, edit)
			}
			if f.or != "" {
				p.Fixes = append(p.Fixes, s.Fix("Write "+shortened(f.or), s.Differences(f.or)...))
			}
		case f.replacement != "":
			p.Fixes = []diag.Fix{s.Fix("Write "+f.replacement, rewrite.Replace(f.start, f.end, f.replacement))}
			p.Fixes[0].Draft = f.draft
		}
	}
	d.out = append(d.out, p)
}

// longExpression is the length in runes from which a title does not repeat all
// of an expression.
const longExpression = 300

func shortened(expression string) string {
	text := []rune(strings.Join(strings.Fields(expression), " "))
	if len(text) > longExpression {
		return string(text[:longExpression]) + "…"
	}
	return string(text)
}

// readable takes our marks out of a text of the compiler.
func readable(text string) string {
	return strings.NewReplacer("<object>", "object", "<params>", "params", ".@idx", "[]", ".@elem", "[]").Replace(text)
}
