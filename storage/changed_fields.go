package storage

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// written is an object with what is different in two forms of its type. Most of an object is equal in
// both, and is not written as a map.
func written(object map[string]any, before, after runtime.Object) (map[string]any, error) {
	from, to := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	was, is := reflect.New(from.Type()), reflect.New(from.Type())
	same := true
	for i := range from.NumField() {
		if from.Type().Field(i).Name == "TypeMeta" || reflect.DeepEqual(from.Field(i).Interface(), to.Field(i).Interface()) {
			continue
		}
		was.Elem().Field(i).Set(from.Field(i))
		is.Elem().Field(i).Set(to.Field(i))
		same = false
	}
	if same {
		return object, nil
	}
	old, err := runtime.DefaultUnstructuredConverter.ToUnstructured(was.Interface())
	if err != nil {
		return nil, err
	}
	new, err := runtime.DefaultUnstructuredConverter.ToUnstructured(is.Interface())
	if err != nil {
		return nil, err
	}
	return changed(object, old, new), nil
}

// changed is an object with the differences between two forms of it. All that is equal in both
// stays as the object has it, whichever release wrote it. The result shares values with the object
// and with after.
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

// changedValue is the same for a value that is different in both forms.
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
