package failures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// missingParent is what the server says when the last step of a path has no
// parent (semantics §6.6).
var missingParent = lazy.Regexp{Text: `^JSON Patch: add operation does not apply: doc is missing path: "((?:/[^/"]*)+)/([^/"]*)": missing value$`}

// patchRefused is how all of these errors begin.
const patchRefused = "JSON Patch: "

// patchPaths explains why an operation of a JSON Patch could not be applied: of a
// path, only the last step is created.
func (x *explainer) patchPaths(e *report.Evaluation, root *node, document string) {
	if !strings.HasPrefix(e.Error, patchRefused) {
		x.replacesNothing(e, root, document)
		x.wrongOperation(e, root, document)
		return
	}
	if x.eachItem(e, root, document) {
		return
	}
	if m := missingTarget.FindStringSubmatch(e.Error); m != nil {
		x.absentTarget(e, root, document, m[1], m[2])
		return
	}
	if m := missingKey.FindStringSubmatch(e.Error); m != nil {
		x.absentTarget(e, root, document, m[1], m[2])
		return
	}
	if m := missingFrom.FindStringSubmatch(e.Error); m != nil {
		x.absentTarget(e, root, document, m[1], m[2])
		return
	}
	if m := beyondEnd.FindStringSubmatch(e.Error); m != nil && x.appended(e, root, document, m[1]) {
		return
	}
	if x.wrongOperation(e, root, document) {
		return
	}
	m := missingParent.FindStringSubmatch(e.Error)
	if m == nil {
		return
	}
	parent := m[1]
	at := x.operationAt(e, root)
	d := x.at(e, at, codes.MissingParent, "there is nothing at "+parent+", so nothing can be added below it", document)
	d.Detail = "An operation creates only the last step of its path. Add the missing map or list around it first, or use ApplyConfiguration, which creates missing parents."
	if s := x.texts.source(e.Text, e.Path, e.Span); s != nil && string(s.Runes) == e.Expression {
		empty := "{}"
		if last := fieldpath.FromPointer("/" + m[2]); last[0].IsIndex() {
			empty = "[]"
		}
		path, _ := at.Value.(string)
		if wanted := fieldpath.AsPointer(path); wanted != path {
			d.Fixes = []diag.Fix{s.Fix("Write "+wanted, rewrite.Replace(at.Start, at.End, literal(wanted)))}
		} else if f, ok := itemByName(s, at); ok {
			d.Fixes = []diag.Fix{f}
			d.Detail = "In a JSON pointer, list items have an index, not a name: /spec/containers/0."
		} else if f, ok := addParent(s, x.step.Before, root, parent, empty); ok {
			d.Fixes = []diag.Fix{f}
		}
	}
	for i := range x.report.Diagnostics {
		// The slash of a key is the step that leads nowhere.
		if key := &x.report.Diagnostics[i]; (key.Code == codes.UnescapedKey || key.Code == codes.PatchOperation) && key.Text == d.Text && key.Path == d.Path && key.Span == d.Span {
			x.join(key, d, "")
			return
		}
	}
	x.add(d)
}

var (
	noPointer        = lazy.Regexp{Text: `^JSON Patch: \w+ operation does not apply: .*"([^/"][^"]*)"`}
	unknownOperation = lazy.Regexp{Text: `^JSON Patch: Unexpected kind: (\w+)`}
)

// operations are the operations of RFC 6902 by the names that people give them.
var operations = map[string]string{"set": "add", "update": "replace", "delete": "remove", "create": "add", "insert": "add", "append": "add", "del": "remove", "modify": "replace", "merge": "add", "put": "add", "upsert": "add", "patch": "replace", "change": "replace", "rename": "move", "assert": "test"}

// wrongOperation explains a path that is not a JSON pointer, and an operation that
// there is not. It reports false where neither is the case.
func (x *explainer) wrongOperation(e *report.Evaluation, root *node, document string) bool {
	if !strings.Contains(e.Expression, "JSONPatch") {
		return false // most expressions; to find one in its text takes long
	}
	s := x.texts.source(e.Text, e.Path, e.Span)
	found, wanted := namedIn(e.Error)
	if found == "" {
		if found = pathWithoutSlash(root, s); found == "" {
			return false
		}
		wanted = fieldpath.AsPointer(found)
	}
	if s == nil || string(s.Runes) != e.Expression {
		return false
	}
	root.walk(func(n *node) {
		if value, ok := n.Value.(string); !ok || value != found || n.Kind != "literal" || n.parent == nil || n.parent.Name != "JSONPatch" {
			return
		}
		d := x.at(e, n, codes.PatchOperation, fmt.Sprintf("%q is not a JSON pointer", found), document)
		d.Detail = "A JSON Patch path is a JSON pointer (RFC 6901) with a slash before each step, such as /metadata/labels/team."
		if !strings.HasPrefix(wanted, "/") {
			d.Summary = fmt.Sprintf("JSON Patch has no operation %q", found)
			d.Detail = "The operations of RFC 6902 are add, remove, replace, move, copy and test."
		}
		if wanted == found || !strings.HasPrefix(wanted, "/") && !realOperation(wanted) {
			if s != nil && !strings.HasPrefix(wanted, "/") {
				d.Fixes = x.operationsFor(s, root, n)
			}
			x.add(d)
			return
		}
		fix := s.Fix("Write "+wanted, rewrite.Replace(n.Start, n.End, literal(wanted)))
		if wanted == "add" {
			fix = x.withParent(s, root, n, fix)
		}
		d.Fixes = []diag.Fix{fix}
		x.add(d)
	})
	return true
}

// operationsFor are the operations that have the fields of one whose name says nothing.
func (x *explainer) operationsFor(s *rewrite.Source, root, op *node) (fixes []diag.Fix) {
	has := func(field string) bool {
		return slices.ContainsFunc(op.parent.children, func(n *node) bool {
			return strings.HasSuffix(strings.TrimRight(string(s.Runes[:n.Start]), " \n\t:"), field)
		})
	}
	names := []string{"remove"}
	switch {
	case has("value"):
		names = []string{"add", "replace"}
	case has("from"):
		names = []string{"move", "copy"}
	}
	for _, name := range names {
		fixes = append(fixes, s.Fix("Write "+name, rewrite.Replace(op.Start, op.End, literal(name))))
	}
	if names[0] == "add" {
		fixes[0] = x.withParent(s, root, op, fixes[0])
	}
	return fixes
}

// withParent adds what an operation that becomes an add needs: the map around the place that it adds to.
func (x *explainer) withParent(s *rewrite.Source, root, op *node, fix diag.Fix) diag.Fix {
	if x.step == nil {
		return fix
	}
	for _, n := range op.parent.children {
		path, ok := n.Value.(string)
		last := strings.LastIndexByte(path, '/')
		if !ok || n.Kind != "literal" || last <= 0 || path[0] != '/' || path[last+1:] == "-" {
			continue
		}
		parent := path[:last]
		if _, there := fieldpath.FromPointer(parent).Get(x.step.Before); there {
			return fix
		}
		if more, ok := addParent(s, x.step.Before, root, parent, "{}"); ok {
			return diag.Fix{Title: fix.Title + ", and add " + parent + " where it is absent", Edits: slices.Concat(more.Edits, fix.Edits)}
		}
	}
	return fix
}

// realOperation reports whether JSON Patch has an operation.
func realOperation(name string) bool {
	return slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, name)
}

// namedIn is what an error says of a path or an operation that there is not, and what
// was likely meant; empty if it says nothing of one.
func namedIn(text string) (found, wanted string) {
	if !strings.HasPrefix(text, patchRefused) {
		return "", ""
	}
	if m := noPointer.FindStringSubmatch(text); m != nil {
		return m[1], fieldpath.AsPointer(m[1])
	}
	m := unknownOperation.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	wanted = strings.ToLower(m[1])
	if other := operations[wanted]; other != "" {
		wanted = other
	}
	return m[1], wanted
}

// pathWithoutSlash is the first path of an operation that does not begin with a
// slash: the server leaves its first step out. Empty if all do.
func pathWithoutSlash(root *node, s *rewrite.Source) string {
	found := ""
	root.walk(func(n *node) {
		text, ok := n.Value.(string)
		if found != "" || s == nil || !ok || text == "" || text[0] == '/' || n.Kind != "literal" || n.parent == nil || n.parent.Name != "JSONPatch" || n.Start > len(s.Runes) {
			return
		}
		if strings.HasSuffix(strings.TrimRight(string(s.Runes[:n.Start]), " \n\t:"), "path") {
			found = text
		}
	})
	return found
}

// operationAt is the path of the operation that failed, as it is written; the
// whole expression if that is not plain, as in a loop.
func (x *explainer) operationAt(e *report.Evaluation, root *node) *node {
	at := root
	root.walk(func(n *node) {
		if path, ok := n.Value.(string); ok && n.parent != nil && n.parent.Kind == "struct" && n.parent.Name == "JSONPatch" && (strings.Contains(e.Error, `"`+path+`"`) || strings.Contains(e.Error, "'"+path+"'") || strings.Contains(e.Error, ": "+path+": ")) {
			at = n
		}
	})
	return at
}

// addParent adds an operation for a map or a list that is absent. It is offered where that
// repairs the path: what is around it is there.
func addParent(s *rewrite.Source, object any, root *node, parent, empty string) (diag.Fix, bool) {
	steps := strings.Split(parent[1:], "/")
	chain := "object"
	for i, step := range steps {
		switch around := object.(type) {
		case map[string]any:
			if !identifier.MatchString(step) {
				return diag.Fix{}, false
			}
			chain, object = chain+"."+step, around[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(around) || i == len(steps)-1 {
				return diag.Fix{}, false
			}
			chain, object = chain+"["+step+"]", around[n]
		default:
			return diag.Fix{}, false
		}
	}
	first := fmt.Sprintf("(has(%s) ? [] : [JSONPatch{op: 'add', path: '%s', value: %s}]) + ", chain, parent, empty)
	title := "Add " + parent + whereAbsent
	if root.Kind == "list" {
		return s.Fix(title, rewrite.Replace(0, 0, first)), true
	}
	return s.Fix(title, rewrite.Replace(0, 0, first+"("), rewrite.Replace(len(s.Runes), len(s.Runes), ")")), true
}

// missingTarget is what the server says when there is nothing to remove or to
// replace.
var missingTarget = lazy.Regexp{Text: `^JSON Patch: (remove|replace) operation does not apply: (?:doc is missing path|doc is missing key|unable to remove nonexistent key): "?(/[^": ]*)"?`}

// missingKey is the same for a map that is there.
var missingKey = lazy.Regexp{Text: `^JSON Patch: error in (remove|replace) for path: '(/[^']*)'`}

// missingFrom is what it says when there is nothing to move or copy.
var missingFrom = lazy.Regexp{Text: `^JSON Patch: (move|copy) operation does not apply: doc is missing from path: (/[^": ]*)`}

// absentTarget explains an operation on what is missing.
func (x *explainer) absentTarget(e *report.Evaluation, root *node, document, op, path string) {
	at := x.operationAt(e, root)
	if x.bracketsInPath(e, at, document, path) {
		return
	}
	d := x.at(e, at, codes.MissingParent, "there is nothing at "+path+" to "+op, document)
	d.Detail = "If the object lacks it, the operation fails, and so does the whole request. Make it conditional."
	if x.step.Pass > 0 {
		d.Detail += " Here the second pass fails: the policy removed it in the first."
	}
	if s := x.texts.source(e.Text, e.Path, e.Span); s != nil && string(s.Runes) == e.Expression {
		if f, ok := onlyWhereThere(s, at, op, path); ok {
			d.Fixes = []diag.Fix{f}
		}
	}
	x.add(d)
}

// replacesNothing reports operations that replace what the object lacks, which the server's library adds.
func (x *explainer) replacesNothing(e *report.Evaluation, root *node, document string) {
	if !slices.ContainsFunc(e.Notes, func(n report.Note) bool { return n.Code == codes.NotRFC6902 }) {
		return
	}
	s := x.texts.source(e.Text, e.Path, e.Span)
	i := slices.IndexFunc(x.step.Mutations, func(m report.Mutation) bool { return m.Path == e.Path })
	if s == nil || string(s.Runes) != e.Expression || i < 0 {
		return
	}
	m := &x.step.Mutations[i]
	root.walk(func(n *node) {
		path, ok := n.Value.(string)
		if !ok || !strings.HasPrefix(path, "/") || n.parent == nil || n.parent.Name != "JSONPatch" {
			return
		}
		at := slices.IndexFunc(m.Patch, func(o report.PatchOperation) bool { return o.Op == "replace" && o.Path == path })
		made := func(o report.PatchOperation) bool { return strings.HasPrefix(path+"/", o.Path+"/") }
		if _, there := fieldpath.FromPointer(path).Get(m.Before); at < 0 || there || slices.ContainsFunc(m.Patch[:at], made) {
			return
		}
		d := x.at(e, n, codes.NotRFC6902, "there is nothing at "+path+" to replace: the server adds the value", document)
		d.Severity = diag.Info
		d.Detail = "RFC 6902 does not allow it, and other tools reject the patch."
		if f, ok := onlyWhereThere(s, n, "replace", path); ok && !inItem(path) {
			d.Fixes = []diag.Fix{f}
		}
		x.add(d)
	})
}

// onlyWhereThere applies a removal only where there is something, and writes a
// replacement as add, which replaces, too. No operation makes the items of a list that
// are before another one: what replaces a field of an absent item is applied only where it is.
func onlyWhereThere(s *rewrite.Source, at *node, op, path string) (diag.Fix, bool) {
	operation := at.parent
	if operation == nil || operation.Kind != "struct" || operation.Name != "JSONPatch" {
		return diag.Fix{}, false
	}
	if op == "replace" && !inItem(path) {
		for _, child := range operation.children {
			if child.Value == "replace" && child.Kind == "literal" {
				return s.Fix("Use add, which replaces, too", rewrite.Replace(child.Start, child.End, "'add'")), true
			}
		}
		return diag.Fix{}, false
	}
	title := strings.ToUpper(op[:1]) + op[1:] + " " + path + " only where it exists"
	return onlyWhere(s, operation, presence("object", strings.Split(path[1:], "/")), title)
}

// onlyWhere makes an operation of a patch where a condition holds.
func onlyWhere(s *rewrite.Source, operation *node, condition, title string) (diag.Fix, bool) {
	list := operation.parent
	if list == nil || list.Kind != "list" {
		return diag.Fix{}, false
	}
	whole := string(s.Runes[list.Start:list.End])
	if len(list.children) == 1 {
		open, closing := "", " : []"
		if list.parent != nil {
			open, closing = "(", " : [])"
		}
		return s.Fix(title, rewrite.Replace(list.Start, list.Start, open+condition+" ? "), rewrite.Replace(list.End, list.End, closing)), true
	}
	i := operation.index
	rest := whole[:0]
	for j, child := range list.children {
		if j != i {
			if rest != "" {
				rest += ", "
			}
			rest += string(s.Runes[child.Start:child.End])
		}
	}
	return s.Fix(title, rewrite.Replace(list.Start, list.End, "["+rest+"] + ("+condition+" ? ["+string(s.Runes[operation.Start:operation.End])+"] : [])")), true
}

// inItem reports whether a path leads through an item of a list.
func inItem(path string) bool {
	steps := strings.Split(path[1:], "/")
	return slices.ContainsFunc(steps[:len(steps)-1], func(step string) bool { return strings.Trim(step, "0123456789") == "" })
}

// presence asks whether the object, or another target, has what is at a path.
func presence(target string, steps []string) string {
	var parts []string
	for i, step := range steps {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		last := i == len(steps)-1
		switch {
		case strings.Trim(step, "0123456789") == "":
			parts = append(parts, "size("+target+") > "+step)
			target += "[" + step + "]"
		case !identifier.MatchString(step):
			parts = append(parts, "'"+step+"' in "+target)
			target += "['" + step + "']"
		default:
			target += "." + step
			if i > 0 || last || target != "object."+step || step != "metadata" && step != "spec" {
				parts = append(parts, "has("+target+")")
			}
		}
	}
	return strings.Join(parts, " && ")
}
