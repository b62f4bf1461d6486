// Package objecttext writes the edits of a document that make one value of another, and keep the layout of all
// else.
package objecttext

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Object is an object in a document.
type Object struct {
	Document *scenario.Document
	At       string // the path of the object; empty where the document is the object
	Value    map[string]any
}

// In is the object at a path of a document.
func In(d *scenario.Document, path string) (Object, bool) {
	value, _ := fieldpath.Parse(path).Get(d.Value)
	if path == "" {
		value = d.Value
	}
	object, ok := value.(map[string]any)
	return Object{d, path, object}, ok
}

// Path is the path in the document of a field of the object.
func (o Object) Path(field string) string { return fieldpath.Join(o.At, field) }

// Fix is the repair that changes the object in one way. There is none where nothing changes, or where the
// text is too unusual.
func (o Object) Fix(title string, change func(object map[string]any)) []diag.Fix {
	if o.Document == nil || o.Value == nil {
		return nil
	}
	after := untyped.Copy(o.Value).(map[string]any)
	change(after)
	edits, ok := Edits(o.Document, o.At, o.Value, after)
	if !ok || len(edits) == 0 {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: Joined(edits), Choice: true}} // it changes the request or the cluster, so a person decides
}

// Document is what edits are made in.
type Document interface {
	Insert(parent, name, value string) (diag.Edit, bool)
	Rewrite(path, value string) (diag.Edit, bool)
	Remove(path string) (diag.Edit, bool)
}

// Joined are edits of which those that insert at one place are one: what is deeper comes first.
func Joined(edits []diag.Edit) (out []diag.Edit) {
	for _, e := range edits {
		i := slices.IndexFunc(out, func(o diag.Edit) bool { return o.Span == e.Span })
		if i < 0 {
			out = append(out, e)
		} else {
			out[i].New += e.New
		}
	}
	return out
}

// Edits are the edits that make one value of another at a path in the document. It is false where one
// cannot be made.
func Edits(d Document, path string, before, after any) (edits []diag.Edit, ok bool) {
	if reflect.DeepEqual(before, after) {
		return nil, true
	}
	switch is := after.(type) {
	case map[string]any:
		if was, ok := before.(map[string]any); ok && len(was) > 0 && len(is) > 0 {
			return fields(d, path, was, is)
		}
	case []any:
		if was, ok := before.([]any); ok && len(was) == len(is) {
			return items(d, path, was, is)
		}
	}
	edit, ok := d.Rewrite(path, oneLine(after))
	return []diag.Edit{edit}, ok
}

func items(d Document, path string, was, is []any) (edits []diag.Edit, ok bool) {
	for i := range is {
		inner, ok := Edits(d, fieldpath.Item(path, i), was[i], is[i])
		if !ok {
			return nil, false
		}
		edits = append(edits, inner...)
	}
	return edits, true
}

func fields(d Document, path string, was, is map[string]any) (edits []diag.Edit, ok bool) {
	fresh := map[string]any{}
	var gone []string
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, stays := is[key]; !stays {
			gone = append(gone, fieldpath.Parse(path).Child(key).String())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		former, there := was[key]
		if !there {
			fresh[key] = is[key]
			continue
		}
		inner, ok := Edits(d, fieldpath.Parse(path).Child(key).String(), former, is[key])
		if !ok {
			return nil, false
		}
		edits = append(edits, inner...)
	}
	if len(gone) > 1 || len(gone) == 1 && (len(fresh) > 0 || len(was) == 1) {
		// Two edits of one pair of brackets may touch each other.
		edit, ok := d.Rewrite(path, oneLine(is))
		return []diag.Edit{edit}, ok
	}
	for _, path := range gone {
		edit, ok := d.Remove(path)
		if !ok {
			return nil, false
		}
		edits = append(edits, edit)
	}
	if len(fresh) == 0 {
		return edits, true
	}
	edit, ok := insertAll(d, path, fresh)
	return append(edits, edit), ok
}

// insertAll is one edit that adds fields to a mapping: over several lines, or on one where the mapping
// is written in brackets.
func insertAll(d Document, path string, fields map[string]any) (diag.Edit, bool) {
	names := slices.Sorted(maps.Keys(fields))
	first, rest := names[0], map[string]any{}
	for _, name := range names[1:] {
		rest[name] = fields[name]
	}
	value := block(fields[first])
	if len(rest) > 0 {
		value += "\n" + asYAML(rest)
	}
	if edit, ok := d.Insert(path, first, value); ok {
		return edit, true
	}
	value = oneLine(fields[first])
	for _, name := range names[1:] {
		value += ", " + name + ": " + oneLine(rest[name])
	}
	return d.Insert(path, first, value)
}

// block is a value behind its key: over several lines where it has fields or items.
func block(value any) string {
	text := asYAML(value)
	switch value.(type) {
	case map[string]any:
		return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
	case []any:
		return "\n" + text
	}
	return text
}

func asYAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "" // of values that came from YAML
	}
	return strings.TrimRight(string(text), "\n")
}

func oneLine(value any) string {
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, key+": "+oneLine(value[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range value {
			parts = append(parts, oneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		if text := asYAML(value); !strings.ContainsAny(text, ",{}[]\n") {
			return text
		}
		text, err := json.Marshal(value)
		if err != nil {
			return "" // of a string there is none
		}
		return string(text)
	}
	return asYAML(value)
}
