package scenario

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// A trailing comment would end up behind another item.
func TestMoveItemWithComment(t *testing.T) {
	docs, _ := ParseDocuments(diag.Policies, "list:\n- a: |\n    x\n- a: 2 # second\n")
	if edits, ok := docs[0].MoveItem("list", 1, 0); ok {
		t.Errorf("it is moved: %v", edits)
	}
}

// TestMoveItem puts the last item first, in each list style.
func TestMoveItem(t *testing.T) {
	for name, test := range map[string]struct{ from, want string }{
		"block":           {"list:\n# one\n- a: 1\n  b: |\n    x\n    y\n# two\n- a: 2\nend: 1\n", "list:\n# one\n- a: 2\n# two\n- a: 1\n  b: |\n    x\n    y\nend: 1\n"},
		"three":           {"list:\n- one\n- two\n- three\n", "list:\n- three\n- one\n- two\n"},
		"brackets":        {"list: [{a: 1}, {a: 2}]\n", "list: [{a: 2}, {a: 1}]\n"},
		"JSON":            {`{"list": [{"a": 1}, {"a": 2}]}`, `{"list": [{"a": 2}, {"a": 1}]}`},
		"items in blocks": {"list:\n  - name: a\n    value: x\n  - name: b\n", "list:\n  - name: b\n  - name: a\n    value: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, problems := ParseDocuments(diag.Policies, test.from)
			if len(docs) != 1 {
				t.Fatal(problems)
			}
			n := len(docs[0].Value["list"].([]any))
			edits, ok := docs[0].MoveItem("list", n-1, 0)
			if !ok {
				t.Fatal("no edits")
			}
			if got, err := (diag.Fix{Edits: edits}).Apply(diag.Policies, test.from); err != nil || got != test.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, test.want)
			}
			for _, bad := range [][2]int{{0, 0}, {0, 1}, {n, 0}, {1, -1}} {
				if _, ok := docs[0].MoveItem("list", bad[0], bad[1]); ok {
					t.Errorf("%v can be moved", bad)
				}
			}
		})
	}
}
