package storage

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// shape is what is known of a Go type, so that reading and comparing its values need not ask package
// reflect each time.
type shape struct {
	of   reflect.Type
	way  way
	elem func() *shape // of pointers, lists and maps
	// marshals says that the type writes itself.
	marshals bool
	fields   []shapeField
	named    map[string][]int // the indices of the fields on the way to one, by its name in JSON
}

type shapeField struct {
	name    string // in JSON
	options string
	shape   func() *shape
}

// way is how the values of a type are read.
type way int

const (
	byLibrary way = iota // in a way that is not known here
	asText
	asBoolean
	asNumber // a whole one
	asPointer
	asList
	asBytes
	asMap
	asStruct
	byItself // the type has UnmarshalJSON
)

var shapes sync.Map // by reflect.Type

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{of: t, way: wayOf(t), marshals: t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		s.elem = sync.OnceValue(func() *shape { return shapeOf(t.Elem()) })
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			s.fields = append(s.fields, shapeField{name, options, sync.OnceValue(func() *shape { return shapeOf(field.Type) })})
		}
		if s.named = map[string][]int{}; s.way == asStruct && !s.name(t, nil) {
			s.way = byLibrary
		}
	}
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

var (
	marshaler   = reflect.TypeFor[json.Marshaler]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

func wayOf(t reflect.Type) way {
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler) {
		return byItself
	}
	switch t.Kind() {
	case reflect.String:
		return asText
	case reflect.Bool:
		return asBoolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return asNumber
	case reflect.Pointer:
		return asPointer
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return asBytes
		}
		return asList
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return asMap
		}
	case reflect.Struct:
		return asStruct
	}
	return byLibrary
}

// name notes the names of the fields of a struct that are below some others. It is false for a struct
// with fields that this package does not read.
func (s *shape) name(t reflect.Type, above []int) bool {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := append(slices.Clone(above), i)
		switch _, twice := s.named[name]; {
		case !field.IsExported() || name == "-" || twice:
			return false
		case name != "":
			s.named[name] = at
		case !field.Anonymous || wayOf(field.Type) != asStruct || !s.name(field.Type, at):
			return false
		}
	}
	return true
}
