package storage

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// written is an object with the differences between two forms of its type. Most of an object is
// equal in both and not converted to a map.
func written(object map[string]any, before, after runtime.Object) (map[string]any, error) {
	return differing(object, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
}

// differing is written for an object's struct, which is addressable in both forms.
func differing(object map[string]any, before, after reflect.Value) (map[string]any, error) {
	out, owned := object, false
	var was, is reflect.Value // with the fields that are compared as a whole
	for i := range before.NumField() {
		field := before.Type().Field(i)
		from, to := before.Field(i), after.Field(i)
		if field.Name == "TypeMeta" || reflect.DeepEqual(from.Addr().Interface(), to.Addr().Interface()) {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		value, alone, err := single(object[name], from, to, options)
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
			was, is = reflect.New(before.Type()), reflect.New(before.Type())
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

// single returns the value of a field that can be encoded without its struct, or nil for an omitted
// one. It returns false for other fields.
func single(own any, from, to reflect.Value, options string) (value any, alone bool, err error) {
	empty := to.IsZero() && strings.Contains(options, "omit")
	switch {
	case apart(from, to):
		if own, ok := own.(map[string]any); ok {
			value, err = differing(own, reflect.Indirect(from), reflect.Indirect(to))
			return value, true, err
		}
		if to.Kind() == reflect.Struct && options == "" || options == "omitempty" {
			value, err = runtime.DefaultUnstructuredConverter.ToUnstructured(reflect.Indirect(to).Addr().Interface())
			return value, true, err
		}
	case to.Kind() == reflect.String && !marshals(to.Type()):
		if !empty {
			value = to.String()
		}
		return value, true, nil
	case to.Kind() == reflect.Int64 && !marshals(to.Type()):
		if !empty {
			value = to.Int()
		}
		return value, true, nil
	}
	return nil, false, nil
}

// marshals reports whether a type encodes itself.
func marshals(of reflect.Type) bool {
	return of.Implements(marshaler) || reflect.PointerTo(of).Implements(marshaler)
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// apart reports whether a field's two forms are structs, or pointers to structs, that are compared
// field by field.
func apart(from, to reflect.Value) bool {
	of := from.Type()
	if of.Kind() == reflect.Pointer {
		if of = of.Elem(); from.IsNil() || to.IsNil() {
			return false
		}
	}
	return of.Kind() == reflect.Struct && !marshals(of)
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
