package storage

import (
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// written is an object with the differences between two forms of its type. Most of an object is
// equal in both and not converted to a map.
func written(object map[string]any, before, after runtime.Object) (map[string]any, error) {
	is := reflect.ValueOf(after).Elem()
	return shapeOf(is.Type()).differing(object, reflect.ValueOf(before).Elem(), is)
}

var typeMeta = reflect.TypeFor[metav1.TypeMeta]()

// differing is written for a struct of an object, which is addressable in both forms.
func (s *shape) differing(object map[string]any, before, after reflect.Value) (map[string]any, error) {
	out, owned := object, false
	var was, is reflect.Value // with the fields that are written as a whole
	for i, field := range s.fields {
		from, to, of := before.Field(i), after.Field(i), field.shape()
		if of.of == typeMeta || of.equal(from, to) {
			continue
		}
		name := field.name
		if name == "" && of.way == asStruct { // the object has this struct's fields itself
			var err error
			if out, err = of.differing(out, from, to); err != nil {
				return nil, err
			}
			continue
		}
		value, alone, err := of.single(object[name], from, to, field.options)
		if err != nil {
			return nil, err
		}
		if alone {
			if !owned {
				out, owned = maps.Clone(object), true
			}
			if out[name] = value; value == nil {
				delete(out, name)
			}
			continue
		}
		if !was.IsValid() {
			was, is = reflect.New(s.of), reflect.New(s.of)
		}
		was.Elem().Field(i).Set(from)
		is.Elem().Field(i).Set(to)
	}
	if !was.IsValid() {
		return out, nil
	}
	old, err := runtime.DefaultUnstructuredConverter.ToUnstructured(was.Interface())
	if err != nil {
		return nil, err
	}
	new, err := runtime.DefaultUnstructuredConverter.ToUnstructured(is.Interface())
	if err != nil {
		return nil, err
	}
	return changed(out, old, new), nil
}

// single is the value of a field that needs no struct around it to be written, and nil for one that is left
// out; it is false for other fields.
func (s *shape) single(own any, from, to reflect.Value, options string) (value any, alone bool, err error) {
	empty := to.IsZero() && strings.Contains(options, "omit")
	switch {
	case s.apart(from, to):
		if own, ok := own.(map[string]any); ok {
			if s.way == asPointer {
				value, err = s.elem().differing(own, from.Elem(), to.Elem())
			} else {
				value, err = s.differing(own, from, to)
			}
			return value, true, err
		}
		if to.Kind() == reflect.Struct && options == "" || options == "omitempty" {
			value, err = runtime.DefaultUnstructuredConverter.ToUnstructured(reflect.Indirect(to).Addr().Interface())
			return value, true, err
		}
	case to.Kind() == reflect.String && !s.marshals:
		if !empty {
			value = to.String()
		}
		return value, true, nil
	case to.Kind() == reflect.Int64 && !s.marshals:
		if !empty {
			value = to.Int()
		}
		return value, true, nil
	}
	return nil, false, nil
}

// apart reports whether two forms of a field are structs, or pointers to such, that are written field
// by field.
func (s *shape) apart(from, to reflect.Value) bool {
	of := s
	if s.of.Kind() == reflect.Pointer {
		if of = s.elem(); from.IsNil() || to.IsNil() {
			return false
		}
	}
	return of.of.Kind() == reflect.Struct && !of.marshals
}

// changed returns an object with the differences between two of its forms. Everything that is equal
// in both stays as in the object, whichever release wrote it. The result shares values with the
// object and with after.
func changed(object, before, after map[string]any) map[string]any {
	out := maps.Clone(object)
	for field, was := range before {
		if _, stays := after[field]; !stays {
			delete(out, field)
		} else if !reflect.DeepEqual(was, after[field]) {
			out[field] = changedValue(out[field], was, after[field])
		}
	}
	for field, is := range after {
		if _, known := before[field]; !known {
			out[field] = is
		}
	}
	return out
}

// changedValue is the same for a value that differs.
func changedValue(value, before, after any) any {
	switch after := after.(type) {
	case map[string]any:
		was, ok := before.(map[string]any)
		own, has := value.(map[string]any)
		if ok && has {
			return changed(own, was, after)
		}
	case []any:
		was, ok := before.([]any)
		own, has := value.([]any)
		if !ok || !has || len(was) != len(after) || len(own) != len(after) {
			break
		}
		out := make([]any, len(own))
		for i := range own {
			if out[i] = own[i]; !reflect.DeepEqual(was[i], after[i]) {
				out[i] = changedValue(own[i], was[i], after[i])
			}
		}
		return out
	}
	return after
}
