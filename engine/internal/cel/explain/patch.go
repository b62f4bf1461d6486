package explain

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// missingParent is what the server says when the last step of a path has nothing
// to stand in (semantics §6.6).
var missingParent = regexp.MustCompile(`^JSON Patch: add operation does not apply: doc is missing path: "((?:/[^/"]*)+)/[^/"]*": missing value$`)

// patchPaths explains why an operation of a JSON Patch could not be applied: of a
// path, only the last step is created.
func (x *explainer) patchPaths(e *report.Evaluation, root *node, document string) {
	m := missingParent.FindStringSubmatch(e.Error)
	if m == nil {
		return
	}
	parent := m[1]
	d := x.at(e, x.operationAt(e, root), codes.MissingParent, "there is nothing at "+parent+", so nothing can be added in it", document)
	d.Detail = "An operation creates only the last step of its path. Add the map or list around it first, where it is absent, or use ApplyConfiguration, which creates what is missing."
	if s := x.texts.source(e.Text, e.Path, e.Span); s != nil && string(s.Runes) == e.Expression {
		if f, ok := addParent(s, x.step.Before, root, parent); ok {
			d.Fixes = []diag.Fix{f}
		}
	}
	x.add(d)
}

// operationAt is the path of the operation that failed, as it is written; the
// whole expression if that is not plain, as in a loop.
func (x *explainer) operationAt(e *report.Evaluation, root *node) *node {
	at := root
	root.walk(func(n *node) {
		if path, ok := n.Value.(string); ok && n.parent != nil && n.parent.Kind == "struct" && n.parent.Name == "JSONPatch" && strings.Contains(e.Error, `"`+path+`"`) {
			at = n
		}
	})
	return at
}

// addParent adds an operation for a map that is absent. It is offered where that
// repairs the path: what is around the map is there, and its name is no number,
// which would be an item of a list.
func addParent(s *rewrite.Source, object map[string]any, root *node, parent string) (diag.Fix, bool) {
	steps := strings.Split(parent[1:], "/")
	for i, step := range steps {
		if !identifier.MatchString(step) {
			return diag.Fix{}, false
		}
		if i < len(steps)-1 {
			inner, ok := object[step].(map[string]any)
			if !ok {
				return diag.Fix{}, false
			}
			object = inner
		}
	}
	first := fmt.Sprintf("(has(object.%s) ? [] : [JSONPatch{op: 'add', path: '%s', value: {}}]) + ", strings.Join(steps, "."), parent)
	title := "Add " + parent + " where it is absent"
	if root.Kind == "list" {
		return s.Fix(title, rewrite.Replace(0, 0, first)), true
	}
	return s.Fix(title, rewrite.Replace(0, 0, first+"("), rewrite.Replace(len(s.Runes), len(s.Runes), ")")), true
}
