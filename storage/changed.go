package storage

import (
	"maps"
	"reflect"
)

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
