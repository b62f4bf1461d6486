package html

import (
	"math"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestYAML: both implementations write what kubectl's library writes.
func TestYAML(t *testing.T) {
	for name, v := range map[string]any{
		"nothing":        nil,
		"no map":         map[string]any(nil),
		"no list inside": map[string]any{"a": []any(nil)},
		"no map inside":  map[string]any{"a": []any{map[string]any(nil)}},
		"empty":          map[string]any{"a": map[string]any{}, "b": []any{}},
		"whole numbers":  map[string]any{"a": int64(1), "b": int64(math.MaxInt64), "c": -1, "d": uint64(math.MaxUint64)},
		"fractions":      map[string]any{"a": 1e6, "b": 1.5, "c": 1e21, "d": 5.0, "e": 1e-7},
		"words": map[string]any{"a": "yes", "b": "NO", "c": "null", "d": "1", "e": "0x1", "f": "1e3", "g": "~", "h": "2026-01-01", "on": true,
			"1": "one", "i": "12:30:45", "j": "=", "k": "- a", "l": "#"},
		"texts": map[string]any{"a": "two\nlines\n", "b": "no end\nof line", "c": "trailing \n", "d": "\ttab", "e": "<a & b>", "f": "\u2028 é 漢 😀",
			"g": "a long text that is longer than the eighty characters after which the library breaks the lines of a text", "h": ""},
		"bytes":     map[string]any{"a": "\xff", "\xfe": "b"},
		"structure": []any{map[string]any{"b": []any{[]any{int64(1)}}, "a": "x"}, nil, false, "s"},
		"a struct": struct {
			B string `json:"b"`
			A []int  `json:"a,omitempty"`
		}{B: "x"},
	} {
		want, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := YAML(v); got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}
