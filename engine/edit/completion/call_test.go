package completion

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestCall: the innermost call around the cursor with the parameter that it is in, also in texts, lists and
// groups within it.
func TestCall(t *testing.T) {
	for text, want := range map[string]string{
		"'a,b'.split(|)":                      "split(separator[, limit]) → list(string), 0",
		"'a,b'.split(',', |":                  "split(separator[, limit]) → list(string), 1",
		"'a'.replace('b', 'c|":                "replace(old, new[, limit]) → string, 1",
		"quantity(|'1')":                      "quantity(text) → kubernetes.Quantity, 0",
		"sets.contains([1, 2|], [1])":         "contains(list, part) → bool, 0",
		"sets.contains([1, 2], ((1|)))":       "contains(list, part) → bool, 1",
		"has(object.|metadata)":               "has(field), 0",
		"[1].all(x, x > int('1'|))":           "int(value) → int, 0",
		"[1].all(x, |x > 1)":                  "all(item, condition), 1",
		"object.metadata.labels.exists(k, |)": "exists(item, condition), 1",
		"('a'|)":                              "nothing",
		"size([1])|":                          "nothing",
		"nothing(|1)":                         "nothing",
		"[1, |2]":                             "nothing",
	} {
		expression := strings.Replace(text, "|", "", 1)
		call, err := completer(t, "1.37").Call(scenario.Scenario{Expression: expression}, diag.Expression, strings.Index(text, "|"))
		if err != nil {
			t.Fatal(err)
		}
		got := "nothing"
		if call != nil {
			got = fmt.Sprintf("%s, %d", call.Signature, call.Argument)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
