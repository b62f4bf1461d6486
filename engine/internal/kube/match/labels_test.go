package match

import (
	"fmt"
	"testing"
)

// TestLabelsOf: labels as the server's accessor reads them (semantics §4.5).
func TestLabelsOf(t *testing.T) {
	labelled := func(labels any) map[string]any {
		return map[string]any{"metadata": map[string]any{"labels": labels}}
	}
	for _, test := range []struct {
		name, operation string
		object          map[string]any
		want            string
	}{
		{"no object", "CREATE", nil, "map[] false"},
		{"labels", "CREATE", labelled(map[string]any{"a": "b"}), "map[a:b] true"},
		{"no labels", "CREATE", map[string]any{"metadata": map[string]any{}}, "map[] true"},
		{"null is empty", "CREATE", labelled(map[string]any{"a": nil}), "map[a:] true"},
		{"a number spoils all", "CREATE", labelled(map[string]any{"a": "b", "c": int64(1)}), "map[] true"},
		{"a list", "CREATE", labelled([]any{"a"}), "map[] true"},
		{"no metadata", "CREATE", map[string]any{"spec": "x"}, "map[] true"},
		{"options of a connection", "CONNECT", map[string]any{"container": "x"}, "map[] false"},
		{"an object of a connection", "CONNECT", labelled(map[string]any{"a": "b"}), "map[a:b] true"},
	} {
		labels, ok := labelsOf(test.object, test.operation)
		if got := fmt.Sprint(labels, " ", ok); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
