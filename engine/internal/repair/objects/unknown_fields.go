// Package objects repairs objects in requests and in the cluster
// text: values with the wrong type, fields in the wrong place,
// and values that a field does not accept.
package objects

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Object is an object of a kind in a document.
type Object struct {
	Document *scenario.Document
	// At is the object's path in the document. It is empty if the document is the object.
	At fieldpath.Path
	// Type is the kind's type. Without it there are no repairs.
	Type *catalog.Type
	// Value is the parsed object.
	Value any
}

// in returns the document path for a path in the object.
func (o Object) in(path fieldpath.Path) string { return append(slices.Clip(o.At), path...).String() }

// value returns the object's value at a path, or nil.
func (o Object) value(path fieldpath.Path) any {
	found, _ := path.Get(o.Value)
	return found
}

func (o Object) typeOf(path fieldpath.Path) *catalog.Type {
	var names []string
	for _, step := range path {
		names = append(names, step.Name())
	}
	return o.Type.At(names...)
}

// takes reports whether a value can be added at a path: the type has the field, the object does
// not, and the value has the field's type.
func (o Object) takes(path fieldpath.Path, value any) bool {
	t := o.typeOf(path)
	if t == nil || len(wrongTypes(t, value, nil)) > 0 {
		return false
	}
	_, taken := path.Get(o.Value)
	taken = taken && o.Document.Has(o.in(path)) // fields that completion added may be overwritten
	parent := o.typeOf(path.Parent())
	return !taken && parent != nil && parent.Kind == catalog.Struct
}

// mostRepaired limits how many problems of one object get repairs: a text may have any number, and
// each repair scans the text.
const mostRepaired = 40

// UnknownFields reports the fields that the server drops because the kind does not have them, with
// their repairs.
func (o Object) UnknownFields(dropped []catalog.Problem) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i, problem := range dropped {
		at := fieldpath.Join(o.At.String(), problem.Path)
		d := diag.Diagnostic{Code: codes.UnknownField, Severity: diag.Warning, Text: o.Document.Text, Span: o.Document.LocateKey(at), Path: at, Summary: problem.Message}
		if i < mostRepaired {
			if d.Fixes = o.unknownField(problem.Path); d.Fixes == nil {
				d.Detail = "The schema has no such field here, and the server drops it. Another release or API version may have it."
				d.Fixes = o.without(fieldpath.Parse(problem.Path))
			}
		}
		list = append(list, d)
	}
	return list
}

// unknownField repairs a field that does not exist at its place: it renames the field, or moves it
// to where the kind has it.
func (o Object) unknownField(path string) []diag.Fix {
	if o.Type == nil {
		return nil
	}
	steps := fieldpath.Parse(path)
	for _, repair := range []func(fieldpath.Path) []diag.Fix{o.asVersions, o.asProperties, o.selectorLabels, o.oldBackend, o.renamed, o.toAmounts, o.toContainers, o.moved, o.wrapped, o.nested, o.intoSibling} {
		if fixes := repair(steps); fixes != nil {
			return fixes
		}
	}
	return nil
}

// intoSibling moves a field into the only object beside it that can have it: spec.readOnly into spec.nfs.
func (o Object) intoSibling(steps fieldpath.Path) []diag.Fix {
	around, _ := o.value(steps.Parent()).(map[string]any)
	var fitting []fieldpath.Path
	for name, value := range around {
		sibling := steps.Parent().Child(name)
		if t := o.typeOf(sibling); t != nil && t.Kind == catalog.Struct && value != nil && o.takes(sibling.Child(steps.Last()), o.value(steps)) {
			fitting = append(fitting, sibling)
		}
	}
	if len(fitting) != 1 {
		return nil
	}
	edits, removed := o.removed(steps)
	edit, put := o.put(fitting[0], steps[len(steps)-1:], steps)
	if !removed || !put {
		return nil
	}
	fixes := o.tried("Move "+steps.Last()+" into "+fitting[0].Last(), append(edits, edit))
	for i := range fixes {
		fixes[i].Choice = true // a field of one name may mean something else there
	}
	return fixes
}

// without removes a field of which nothing else is known. A person may know where it belongs.
func (o Object) without(path fieldpath.Path) []diag.Fix {
	edit, ok := o.Document.Remove(o.in(path))
	if !ok || o.Type == nil {
		return nil
	}
	return []diag.Fix{{Title: "Remove " + path.Last(), Edits: []diag.Edit{edit}, Choice: true}}
}

// Joined merges the problems that one repair answers: spec's fields at the top level are one
// mistake. The first problem names the others.
func Joined(list []diag.Diagnostic) []diag.Diagnostic {
	var out []diag.Diagnostic
	several := map[place][]int{} // problems whose repair has several edits, by its start
	for _, d := range list {
		if len(d.Fixes) == 0 || len(d.Fixes[0].Edits) < 2 {
			out = append(out, d)
			continue
		}
		at := place{d.Code, d.Fixes[0].Edits[0].Span}
		alike := slices.IndexFunc(several[at], func(i int) bool { return reflect.DeepEqual(out[i].Fixes, d.Fixes) })
		if alike < 0 {
			several[at] = append(several[at], len(out))
			out = append(out, d)
			continue
		}
		first := &out[several[at][alike]]
		first.Related = append(first.Related, diag.Related{Text: d.Text, Span: d.Span, Path: d.Path, Summary: d.Summary})
	}
	return out
}

// place is where a problem's repair begins.
type place struct {
	code string
	span diag.Span
}

// renamed gives a field the name of an existing field.
func (o Object) renamed(steps fieldpath.Path) []diag.Fix {
	t := o.typeOf(steps.Parent())
	if t == nil || t.Kind != catalog.Struct {
		return nil
	}
	var names []string
	for _, field := range t.Fields() {
		if _, taken := steps.Parent().Child(field.Name).Get(o.Value); !taken {
			names = append(names, field.Name)
		}
	}
	best, near := suggest.Of(names, steps.Last())
	if !near {
		best, near = longerName(t, names, steps.Last())
	}
	if !near {
		best = o.otherWord(t, names, steps)
	}
	if best == "" {
		best = o.shortened(t, names, steps)
	}
	if best == "" {
		return nil
	}
	edit, made := o.Document.Rename(o.in(steps), best)
	if !made || best == "" || len(wrongTypes(t.Field(best).Type, o.value(steps), nil)) > 0 && o.value(steps) != nil {
		return nil
	}
	return []diag.Fix{{Title: "Change to " + best, Edits: []diag.Edit{edit}}}
}

// selectorLabels moves labels from the selector itself into matchLabels.
func (o Object) selectorLabels(steps fieldpath.Path) []diag.Fix {
	selector := steps.Parent()
	t := o.typeOf(selector)
	labels, _ := o.value(selector).(map[string]any)
	if t == nil || t.Kind != catalog.Struct || t.Field("matchLabels") == nil || labels["matchLabels"] != nil || labels["matchExpressions"] != nil {
		return nil
	}
	for _, value := range labels {
		if _, text := value.(string); !text {
			return nil
		}
	}
	at := o.in(selector)
	with := ""
	if span := o.Document.Locate(at); o.Document.Brackets(at) {
		with = "{matchLabels: " + o.Document.Source()[span.Start:span.End] + "}"
	} else if text, ok := o.Document.Shifted(at, 2); ok {
		with = "matchLabels:\n" + strings.Repeat(" ", o.Document.Column(at)+2) + text
	}
	edit, made := o.Document.Rewrite(at, with)
	if !made || with == "" || o.Document.IsJSON() {
		return nil
	}
	return []diag.Fix{{Title: "Move it to matchLabels", Edits: []diag.Edit{edit}}}
}

// toContainers moves a field that only containers have from a Pod's spec into each container, with
// its parent fields: securityContext.privileged.
func (o Object) toContainers(steps fieldpath.Path) []diag.Fix {
	for up := steps.Parent(); len(up) > 0; up = up.Parent() {
		rest := steps[len(up):]
		list := up.Child("containers")
		t := o.typeOf(list)
		items, _ := o.value(list).([]any)
		if t == nil || t.Kind != catalog.List || len(items) == 0 || len(rest) > 2 || rest[0].IsIndex() {
			continue
		}
		edits, ok := o.removed(steps)
		for i := range items {
			inItem, made := o.put(list.Index(i), rest, steps)
			edits, ok = append(edits, inItem), ok && made
		}
		if ok {
			return o.tried("Move "+steps.Last()+" to the containers", edits)
		}
	}
	return nil
}

// put adds a field, and its mapping if missing, to a mapping of the object. The value is the one at
// another path.
func (o Object) put(parent, rest, from fieldpath.Path) (diag.Edit, bool) {
	to := append(slices.Clip(parent), rest...)
	text, ok := o.Document.Field(o.in(from))
	if !ok || !o.takes(to, o.value(from)) {
		return diag.Edit{}, false
	}
	_, value, _ := strings.Cut(text, ":")
	value = strings.TrimPrefix(value, " ")
	if len(rest) == 2 {
		if _, there := o.value(to.Parent()).(map[string]any); !there {
			if strings.Contains(value, "\n") {
				return diag.Edit{}, false
			}
			return o.Document.Insert(o.in(parent), rest[0].Name(), "{"+rest.Last()+": "+value+"}")
		}
	}
	return o.Document.Insert(o.in(to.Parent()), rest.Last(), value)
}

// removed removes a field, and its mapping if that becomes empty.
func (o Object) removed(steps fieldpath.Path) ([]diag.Edit, bool) {
	if around, _ := o.value(steps.Parent()).(map[string]any); len(around) == 1 && len(steps) > 1 && !steps[len(steps)-2].IsIndex() {
		steps = steps.Parent()
	}
	edit, ok := o.Document.Remove(o.in(steps))
	return []diag.Edit{edit}, ok
}

// tried returns a fix with edits, if they can be applied together.
func (o Object) tried(title string, edits []diag.Edit) []diag.Fix {
	fix := diag.Fix{Title: strings.TrimSuffix(title, " to "), Edits: edits}
	if strings.HasSuffix(title, " to ") {
		fix.Title = title + "the top level"
	}
	slices.SortFunc(fix.Edits, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	if _, err := fix.Apply(o.Document.Text, o.Document.Source()); err != nil {
		return nil
	}
	return []diag.Fix{fix}
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
