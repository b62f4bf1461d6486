package html

import (
	"fmt"
	"reflect"
	"testing"
)

// Equal parts of two objects are not compared by line. The summary is the same.
func TestInputSummary(t *testing.T) {
	type object = map[string]any
	meta := func(more object) object {
		labels := object{"a": "b", "c": "d"}
		for k, v := range more {
			labels[k] = v
		}
		return object{"kind": "ConfigMap", "metadata": object{"name": "x", "labels": labels}}
	}
	for _, c := range []struct {
		sent, input object
		want        string
	}{
		{nil, meta(nil), "as sent"},
		{meta(nil), meta(nil), "as sent"},
		{meta(nil), meta(object{"e": "f"}), "1 lines added by the server's defaults and normalization"},
		{meta(object{"e": "f"}), meta(object{"e": "g", "h": "i"}), "2 lines added and 1 removed by the server's defaults and normalization"},
		{object{"a": object{}}, object{"a": object{"b": "c"}}, "2 lines added and 1 removed by the server's defaults and normalization"},
		{object{"a": object{"x": "y"}, "l": []any{"a", "b"}}, object{"a": object{"x": "y"}, "l": []any{"a", "b", "c"}}, "1 lines added by the server's defaults and normalization"},
		{object{"a": "b"}, object{"c": "d"}, "1 lines added and 1 removed by the server's defaults and normalization"},
	} {
		if got := inputSummary(c.sent, c.input); got != c.want {
			t.Errorf("%v, then %v: %q, not %q", c.sent, c.input, got, c.want)
		}
	}
}

// A large shared part is not compared.
func TestWithoutSame(t *testing.T) {
	large := map[string]any{}
	for i := range 1000 {
		large[fmt.Sprint("k", i)] = "v"
	}
	a := map[string]any{"data": large, "kind": "A", "gone": int64(1)}
	b := map[string]any{"data": large, "kind": "B"}
	fromA, fromB := withoutSame(a, b)
	if want := (map[string]any{"kind": "A", "gone": int64(1), same: true}); !reflect.DeepEqual(fromA, want) {
		t.Errorf("%v", fromA)
	}
	if want := (map[string]any{"kind": "B", same: true}); !reflect.DeepEqual(fromB, want) {
		t.Errorf("%v", fromB)
	}
	if len(a) != 3 || len(b) != 2 {
		t.Error("the objects were changed")
	}
}
