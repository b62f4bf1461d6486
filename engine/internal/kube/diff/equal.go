package diff

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Equal compares two values from unstructured objects.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		if sameMap(a, b) {
			return true
		}
		for key, item := range a {
			if other, found := b[key]; !found || !Equal(item, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && (sameList(a, b) || slices.EqualFunc(a, b, Equal))
	}
	return reflect.DeepEqual(a, b)
}

// sameList reports whether two non-empty lists are identical.
func sameList(a, b []any) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// sameMap reports whether two maps are identical: objects share equal parts.
func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// classes numbers values. Equal values have the same number.
type classes map[string]int32

func (c classes) of(v any) int32 {
	text := string(written(nil, v))
	if _, known := c[text]; !known {
		c[text] = int32(len(c) + 1)
	}
	return c[text]
}

// written encodes a value so that different values have different texts.
func written(out []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return strconv.AppendQuote(out, v)
	case map[string]any:
		if v == nil {
			return append(out, "no map"...)
		}
		out = append(out, '{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(strconv.AppendQuote(out, key), ':')
			out = append(written(out, v[key]), ',')
		}
		return append(out, '}')
	case []any:
		if v == nil {
			return append(out, "no list"...)
		}
		out = append(out, '[')
		for _, item := range v {
			out = append(written(out, item), ',')
		}
		return append(out, ']')
	}
	return fmt.Appendf(out, "%T(%v)", v, v)
}
