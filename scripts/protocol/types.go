package main

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
)

// renamed are the types that have another name in TypeScript: because two packages
// have the name, or because the browser has something else under it.
var renamed = map[string]string{
	"completion.Item":   "CompletionItem",
	"completion.Kind":   "CompletionKind",
	"completion.Result": "Completions",
	"diag.Text":         "AnyText",
	"report.Node":       "ReportNode",
	"report.Part":       "ExpressionPart",
}

// written are the types that write their JSON themselves.
var written = map[string]string{
	"scenario.Plugins": "string[] | { enable?: string[]; disable?: string[] }",
}

// writer collects the named types that the calls mention.
type writer struct {
	sources sources
	names   map[string]reflect.Type
	// waiting are those that are not written yet.
	waiting []reflect.Type
}

func newWriter(root string) *writer {
	return &writer{sources: sources{root: root, read: map[string]*source{}}, names: map[string]reflect.Type{}}
}

// name is a type as TypeScript writes it where it is used.
func (w *writer) name(t reflect.Type) (string, error) {
	if t.Name() != "" && t.PkgPath() != "" {
		return w.declared(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", nil
	case reflect.String:
		return "string", nil
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Float64:
		return "number", nil
	case reflect.Interface:
		return "unknown", nil
	case reflect.Pointer:
		inner, err := w.name(t.Elem())
		return inner + " | null", err
	case reflect.Slice:
		inner, err := w.name(t.Elem())
		return inner + "[]", err
	case reflect.Map:
		key, err := w.name(t.Key())
		if err != nil {
			return "", err
		}
		value, err := w.name(t.Elem())
		if key != "string" { // one of a few: not each of them has to be there
			return fmt.Sprintf("Partial<Record<%s, %s>>", key, value), err
		}
		return fmt.Sprintf("Record<%s, %s>", key, value), err
	}
	return "", fmt.Errorf("there is no rule for the type %s", t)
}

// declared is the name of a type of ours, which is written later. A named list is
// only its items.
func (w *writer) declared(t reflect.Type) (string, error) {
	if t.Kind() == reflect.Slice {
		inner, err := w.name(t.Elem())
		return inner + "[]", err
	}
	name := t.Name()
	if other, ok := renamed[path.Base(t.PkgPath())+"."+name]; ok {
		name = other
	}
	switch old := w.names[name]; {
	case old == nil:
		w.names[name] = t
		w.waiting = append(w.waiting, t)
	case old != t:
		return "", fmt.Errorf("%s and %s have one name: rename one in scripts/protocol", old, t)
	}
	return name, nil
}

// types are the declarations, in the order in which they are met.
func (w *writer) types() (string, error) {
	var out []string
	for len(w.waiting) > 0 {
		t := w.waiting[0]
		w.waiting = w.waiting[1:]
		declaration, err := w.declare(t)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t, err)
		}
		out = append(out, declaration)
	}
	return strings.Join(out, "\n"), nil
}

func (w *writer) declare(t reflect.Type) (string, error) {
	name, err := w.name(t)
	if err != nil {
		return "", err
	}
	src, err := w.sources.of(t.PkgPath())
	if err != nil {
		return "", err
	}
	comment := doc("", src.types[t.Name()])
	if form, ok := written[path.Base(t.PkgPath())+"."+t.Name()]; ok {
		return fmt.Sprintf("%sexport type %s = %s;\n", comment, name, form), nil
	}
	switch t.Kind() {
	case reflect.String:
		values := src.values[t.Name()]
		if len(values) == 0 {
			return "", fmt.Errorf("the values of %s are not constants of its package", t)
		}
		return fmt.Sprintf("%sexport type %s = %s;\n", comment, name, strings.Join(values, " | ")), nil
	case reflect.Struct:
		fields, bases, err := w.fields(t, src)
		if err != nil {
			return "", err
		}
		extends := ""
		if len(bases) > 0 {
			extends = " extends " + strings.Join(bases, ", ")
		}
		return fmt.Sprintf("%sexport interface %s%s {\n%s}\n", comment, name, extends, fields), nil
	}
	return "", fmt.Errorf("there is no rule for the type %s", t)
}

// fields are the fields of a type as encoding/json writes them, and the types
// whose fields it takes over.
func (w *writer) fields(t reflect.Type, src *source) (fields string, bases []string, err error) {
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			base, err := w.name(f.Type)
			if err != nil {
				return "", nil, err
			}
			bases = append(bases, base)
			continue
		}
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			return "", nil, fmt.Errorf("the field %s has no name in JSON", f.Name)
		}
		typ, optional := f.Type, slices.ContainsFunc(strings.Split(options, ","), leavesOut)
		mark := ""
		if optional {
			mark = "?"
			if typ.Kind() == reflect.Pointer {
				typ = typ.Elem() // nil is left out
			}
		}
		written, err := w.name(typ)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", doc("  ", src.fields[t.Name()+"."+f.Name]), name, mark, written)
	}
	return b.String(), bases, nil
}

func leavesOut(option string) bool { return option == "omitempty" || option == "omitzero" }

// doc is a comment in TypeScript; nothing for none.
func doc(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(text, "*/", "* /") + " */\n"
}
