package capture

import (
	"github.com/preadmit/preadmit/scripts/hostile/variants"
	"strings"
	"testing"
)

// FuzzRead holds that every line of a capture is accounted for: whatever it has
// besides comments and empty lines is in a record, and places never go back.
func FuzzRead(f *testing.F) {
	target := variants.Of(f, 500)
	target.Add("{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}\n# comment\n{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}\nnull\n42\n}\n")
	target.Add("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- 5\n---\nkey: value\n")
	target.Add("{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"stage\":\"ResponseComplete\",\"requestObject\":{}}\n")
	target.Add("apiVersion: v1\nkind: List\nitems:\ns:\n- {apivent\",\"apiVersion\":5}\n")
	target.Fuzz(func(t *testing.T, text string) {
		for _, limit := range []int{64, maxRecord} {
			records, last := 0, 0
			for r, err := range readUpTo(limit, strings.NewReader(text)) {
				if err != nil {
					t.Fatalf("reading a string fails: %v", err)
				}
				if r.Line < last && r.Bad == "" { // what is wrong with a List comes behind its items
					t.Errorf("line %d after line %d", r.Line, last)
				}
				if r.Line > strings.Count(text, "\n")+1 {
					t.Errorf("line %d of %d", r.Line, strings.Count(text, "\n")+1)
				}
				records, last = records+1, max(last, r.Line)
			}
			// A List without items is no record.
			if records == 0 && something(text) && !strings.Contains(text, "items") {
				t.Errorf("nothing is read of %q", text)
			}
		}
	})
}

// something reports whether a text has more than comments, separators and blanks.
func something(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "...") && !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "\ufeff") {
			return true
		}
	}
	return false
}
