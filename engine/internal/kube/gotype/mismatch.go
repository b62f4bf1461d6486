package gotype

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Mismatch is a value of another type than that of its field.
type Mismatch struct {
	Path fieldpath.Path
	Want reflect.Type
	Got  any
}

// Mismatches returns all values of the wrong type, in the order of the paths. The
// server names only one of them.
func Mismatches(t reflect.Type, value any, path fieldpath.Path) []Mismatch {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	wrong := []Mismatch{{path, t, value}}
	if value == nil || t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[metav1.FieldsV1]() {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return fieldMismatches(t, value, path, wrong)
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong
		}
		var out []Mismatch
		for _, key := range slices.Sorted(maps.Keys(object)) {
			out = append(out, Mismatches(t.Elem(), object[key], path.Key(key))...)
		}
		return out
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if s, ok := value.(string); ok && base64Text(s) {
				return nil
			}
			return wrong
		}
		list, ok := value.([]any)
		if !ok {
			return wrong
		}
		var out []Mismatch
		for i, item := range list {
			out = append(out, Mismatches(t.Elem(), item, path.Index(i))...)
		}
		return out
	}
	if !IsScalar(t, value) {
		return wrong
	}
	return nil
}

func fieldMismatches(t reflect.Type, value any, path fieldpath.Path, wrong []Mismatch) []Mismatch {
	object, ok := value.(map[string]any)
	if !ok {
		return wrong
	}
	var out []Mismatch
	EachField(t, func(name string, ft reflect.Type) {
		if v, ok := object[name]; ok {
			out = append(out, Mismatches(ft, v, path.Child(name))...)
		}
	})
	return out
}

// base64Text reports whether the decoder takes a text as base64: it leaves out
// line breaks.
func base64Text(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

// IsScalar reports whether a value is one of a scalar type, or the type is no scalar.
func IsScalar(t reflect.Type, value any) bool {
	switch t.Kind() {
	case reflect.String:
		_, ok := value.(string)
		return ok
	case reflect.Bool:
		_, ok := value.(bool)
		return ok
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, ok := value.(int64)
		return ok && (t.Kind() != reflect.Int32 || int64(int32(n)) == n)
	}
	return true
}

// TypeName returns what people who write YAML call a type.
func TypeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "base64"
		}
		return "a list"
	}
	return "a mapping"
}

func valueName(value any) string {
	switch v := value.(type) {
	case string:
		return "a string"
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return "a number"
}

// Summary says what is wrong in terms of YAML.
func (w Mismatch) Summary() string {
	if TypeName(w.Want) == "base64" {
		return "illegal base64 data: base64 is expected here"
	}
	return fmt.Sprintf("%s is expected here, not %s", TypeName(w.Want), valueName(w.Got))
}
