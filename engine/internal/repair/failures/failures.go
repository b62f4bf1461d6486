// Package failures completes a finished report: it says where and why an expression failed and how to
// repair it, which rule of admission surprised it, and what costs most.
package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Report completes a report: diagnostics for expressions that failed, fixes for
// those and for expressions that do not compile, notes on the rules behind
// them. plain are the texts of the scenario, parsed gives their documents.
func Report(r *report.Report, plain map[diag.Text]string, parsed func(diag.Text) []*scenario.Document) {
	x := &explainer{report: r, texts: &texts{plain, parsed}, seen: map[string]bool{}}
	for i := range r.Diagnostics {
		x.repair(&r.Diagnostics[i])
	}
	for i := range r.Steps {
		step := &r.Steps[i]
		document := step.Kind + "/" + step.Policy
		if step.Configuration != "" {
			document = step.Kind + "/" + step.Configuration
		}
		x.step, x.phase = step, step.Phase
		step.Evaluations(func(e *report.Evaluation) { x.evaluation(e, document) })
		falseBeatsError(step)
	}
	x.step, x.phase = nil, ""
	if r.Rules != nil {
		r.Rules.Evaluations(func(e *report.Evaluation) {
			x.wholeValue = strings.HasPrefix(e.Path, "schema.x-kubernetes-validations")
			x.evaluation(e, "")
		})
	}
	if r.Expression != nil {
		x.evaluation(r.Expression, "")
		for i := range r.Expression.Variables {
			x.evaluation(&r.Expression.Variables[i], "")
		}
	}
}

// Steps is Report for a report without diagnostics, in which no part of an expression has
// a value: there is little to explain.
func Steps(r *report.Report) {
	for i := range r.Steps {
		falseBeatsError(&r.Steps[i])
	}
}

type explainer struct {
	report *report.Report
	texts  *texts
	seen   map[string]bool // the same expression runs in several steps
	step   *report.Step    // under way; nil for a free expression
	phase  report.Phase    // of that step
	// wholeValue says that the rule that is explained is one of the whole value.
	wholeValue bool
}

func (x *explainer) evaluation(e *report.Evaluation, document string) {
	if len(e.Children) == 0 {
		return
	}
	root := newTree(e)
	root.hasFields = x.readsFieldOf(e)
	x.notes(e, root)
	x.failures(e, root, document)
	x.escapes(e, root, document)
	x.patchPaths(e, root, document)
	costly(e, root)
}

// readsFieldOf reports whether an expression reads a field or calls a method of a variable, which is then no test.
func (x *explainer) readsFieldOf(e *report.Evaluation) (found bool) {
	if x.step == nil || !strings.HasPrefix(e.Path, "spec.variables[") {
		return false
	}
	x.step.Evaluations(func(other *report.Evaluation) {
		found = found || strings.Contains(other.Expression, "variables."+e.Name+".") || strings.Contains(other.Expression, "variables."+e.Name+"[")
	})
	return found
}

// failures reports the parts that raised the error of an expression. Errors
// that && or || absorbed are none; that of a variable is reported at the variable.
func (x *explainer) failures(e *report.Evaluation, root *node, document string) {
	root.walk(func(n *node) {
		if n.Error == "" || !strings.HasSuffix(e.Error, n.Error) || strings.HasPrefix(n.Error, "composited variable ") {
			return
		}
		d := x.at(e, n, codes.CELRuntime, failedSummary+n.Error, document)
		if n.Note != "" {
			d.Detail = sentence(n.Note)
		}
		if clusterScoped(n) {
			d.Detail += " Namespaces are cluster-scoped: they have no metadata.namespace."
		}
		if strings.HasSuffix(e.Path, ".messageExpression") {
			d.Detail = strings.TrimSpace(d.Detail + " The server sends the validation's message instead, or \"failed expression\" if it has none.")
		}
		if note, ok := x.rule(e, n); ok {
			d.Detail = strings.TrimSpace(d.Detail + " " + note.Text)
		}
		if textForNumber(e, n) != nil {
			d.Detail = strings.TrimSpace(d.Detail + " The field allows a number and a text, and this value is a text.")
		}
		d.Related = x.related(n)
		cause := x.cause(e, n)
		if s := x.texts.source(e.Text, e.Path, e.Span); s != nil && string(s.Runes) == e.Expression {
			switch known := x.knownField(e, n); {
			case cause != nil && n.Kind == "select" && n.at(cause.Span):
				d.Fixes = renames(s, n) // no object has the field: no guard helps
			case len(known) > 0:
				d.Fixes = known
			default:
				if always, other := x.alwaysNull(s, e, n); always {
					d.Fixes = other
				} else {
					d.Fixes = fixes(s, e, n)
				}
			}
			if f, ok := x.withoutDeletions(e, n); ok {
				d.Fixes = append([]diag.Fix{f}, d.Fixes...)
			}
			if f, ok := x.misspeltKey(n); ok {
				d.Fixes = append([]diag.Fix{f}, d.Fixes...)
			}
		}
		if cause != nil {
			x.join(cause, d, n.Note)
			return
		}
		x.add(d)
	})
}

// failedSummary is what the summary of a failure begins with.
const failedSummary = "the expression fails: "

// knownField are the repairs of a field that objects of one of the kinds that are matched do
// not have, of which the check of the types has no more than information.
func (x *explainer) knownField(e *report.Evaluation, n *node) []diag.Fix {
	for _, d := range x.report.Diagnostics {
		if (d.Code == codes.UnknownObjectField || d.Code == codes.TypeChecking) && d.Text == e.Text && d.Path == e.Path && n.at(d.Span) {
			return slices.Clone(d.Fixes)
		}
	}
	return nil
}

// escapes reports paths of patches in which the key of a label or annotation has a slash.
func (x *explainer) escapes(e *report.Evaluation, root *node, document string) {
	root.walk(func(n *node) {
		path, ok := n.Value.(string)
		if !ok || n.parent == nil || n.parent.Kind != "struct" || n.parent.Name != "JSONPatch" {
			return
		}
		m := keyWithSlash.FindStringSubmatch(path)
		if m == nil {
			return
		}
		key, escaped := n, fmt.Sprintf("'%s' + jsonpatch.escapeKey('%s')", m[1], m[2])
		s := x.texts.source(e.Text, e.Path, e.Span)
		if n.Kind != "literal" {
			if key = keyOfSum(n, m[1], m[2]); key == nil || s == nil {
				return
			}
			escaped = "jsonpatch.escapeKey(" + string(s.Runes[key.Start:key.End]) + ")"
		}
		d := x.at(e, n, codes.UnescapedKey, fmt.Sprintf("the key %s contains a slash, which separates the steps of a JSON Patch path", m[2]), document)
		d.Detail = "Write ~1 for / and ~0 for ~, or use jsonpatch.escapeKey()."
		if s != nil {
			d.Fixes = []diag.Fix{s.Fix(escapeKey, rewrite.Replace(key.Start, key.End, escaped))}
		}
		x.add(d)
	})
}

const (
	escapeKey   = "Use jsonpatch.escapeKey()"
	whereAbsent = " where it is absent"
)

// CompletesPatch reports whether a fix makes a patch apply that cannot: there is one way to do it.
func CompletesPatch(f diag.Fix) bool {
	return f.Title == escapeKey || strings.HasPrefix(f.Title, "Add /") && strings.HasSuffix(f.Title, whereAbsent)
}

// keyOfSum is the part of a path that is a key, where the path is the sum of two: '/metadata/labels/' + key.
func keyOfSum(n *node, before, key string) *node {
	if n.Kind != "call" || n.Name != "_+_" || len(n.children) != 2 || n.children[0].Value != before || n.children[1].Value != key {
		return nil
	}
	return n.children[1]
}

func (x *explainer) at(e *report.Evaluation, n *node, code, summary, document string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: diag.Warning, Text: e.Text, Span: n.Span, Path: e.Path, Summary: summary, Document: document}
}

func (x *explainer) add(d diag.Diagnostic) {
	key := fmt.Sprint(d.Text, d.Span, d.Summary)
	if !x.seen[key] {
		x.seen[key] = true
		x.report.Diagnostics = append(x.report.Diagnostics, d)
	}
}

func sentence(s string) string {
	if strings.HasPrefix(s, "there ") {
		s = "T" + s[1:]
	}
	if strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// node is a report.Node that knows its parent.
type node struct {
	*report.Node
	parent   *node
	index    int // among the children of parent
	children []*node

	hasFields bool // of the root: see readsFieldOf
}

func newTree(e *report.Evaluation) *node {
	root := &e.Children[0]
	size := count(root)
	room := nodeRoom{make([]node, size), make([]*node, size)}
	return room.link(root, nil, 0)
}

// count is how many nodes there are, with those below.
func count(n *report.Node) int {
	out := 1
	for i := range n.Children {
		out += count(&n.Children[i])
	}
	return out
}

// nodeRoom is the room for a tree: there is one for each expression of a request.
type nodeRoom struct {
	nodes    []node
	children []*node
}

func (r *nodeRoom) link(n *report.Node, parent *node, index int) *node {
	out := &r.nodes[0]
	r.nodes = r.nodes[1:]
	below := len(n.Children)
	*out = node{Node: n, parent: parent, index: index, children: r.children[:below:below]}
	r.children = r.children[below:]
	for i := range n.Children {
		out.children[i] = r.link(&n.Children[i], out, i)
	}
	return out
}

func (n *node) walk(f func(*node)) {
	f(n)
	for _, child := range n.children {
		child.walk(f)
	}
}

func (n *node) under(kind, name string) bool {
	return n.parent != nil && n.parent.Kind == kind && (name == "" || n.parent.Name == name)
}
