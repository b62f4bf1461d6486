package scenario

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestJoined applies the fix for a duplicate key. An empty result means that there is no fix.
func TestJoined(t *testing.T) {
	for name, test := range map[string]struct{ from, want string }{
		"lists":             {"a:\n- 1\nb: 2\na:\n- 3 # three\n", "a:\n- 1\n- 3 # three\nb: 2\n"},
		"at the end":        {"a:\n  - x: 1\na:\n  - x: 2", "a:\n  - x: 1\n  - x: 2\n"},
		"mappings":          {"labels:\n  a: 1\nlabels:\n  b: 2\n", "labels:\n  a: 1\n  b: 2\n"},
		"a field of both":   {"labels:\n  a: 1\nlabels:\n  a: 2\n", ""},
		"other columns":     {"a:\n- 1\na:\n  - 3\n", ""},
		"brackets":          {"a: [1]\na: [2]\n", ""},
		"a list and a text": {"a:\n- 1\na: 2\n", ""},
		"in an item":        {"- a: 1\n  b:\n  - 1\n  b:\n  - 2\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := ParseDocuments(diag.Policies, "kind: X\napiVersion: v1\n"+test.from)
			got := ""
			for _, d := range problems {
				if len(d.Fixes) > 0 {
					text, err := d.Fixes[0].Apply(diag.Policies, "kind: X\napiVersion: v1\n"+test.from)
					if err != nil {
						t.Fatal(err)
					}
					got = text[len("kind: X\napiVersion: v1\n"):]
				}
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
