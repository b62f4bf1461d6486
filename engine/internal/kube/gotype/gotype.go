// Package gotype reads the Go types that the API server decodes documents into: which fields they
// have, and which values of a document have another type than their field.
package gotype

import (
	"reflect"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// FieldNames returns the JSON names of the fields at a path of a Go type, such as
// spec.validations[0]. It is empty where the type has no named fields.
func FieldNames(t reflect.Type, path fieldpath.Path) []string {
	for _, step := range path {
		if step.IsIndex() {
			continue
		}
		t = Element(t)
		if t.Kind() != reflect.Struct {
			return nil
		}
		next, ok := Field(t, step.Name())
		if !ok {
			return nil
		}
		t = next
	}
	if t = Element(t); t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	EachField(t, func(name string, _ reflect.Type) { names = append(names, name) })
	return names
}

// Element returns a type without the pointers and lists around it.
func Element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// Field returns the type of the field of a struct with a JSON name.
func Field(t reflect.Type, name string) (found reflect.Type, ok bool) {
	EachField(t, func(n string, ft reflect.Type) {
		if n == name {
			found, ok = ft, true
		}
	})
	return found, ok
}

// EachField calls f for the JSON fields of a struct, those of embedded structs
// included.
func EachField(t reflect.Type, f func(name string, t reflect.Type)) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case name == "" && sf.Anonymous:
			EachField(Element(sf.Type), f)
		case name != "" && name != "-":
			f(name, sf.Type)
		}
	}
}

// TypeAt returns the Go type of the field at a path.
func TypeAt(t reflect.Type, path fieldpath.Path) (reflect.Type, bool) {
	for _, step := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case t.Kind() == reflect.Slice && step.IsIndex(), t.Kind() == reflect.Map:
			t = t.Elem()
			continue
		case t.Kind() != reflect.Struct:
			return nil, false
		}
		next, ok := Field(t, step.Name())
		if !ok {
			return nil, false
		}
		t = next
	}
	return t, true
}
