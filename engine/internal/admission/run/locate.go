package run

import (
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Locate gives the tests of a match their places in the document that has the
// rules and selectors. A field that the document leaves to its default has none.
func Locate(m *report.Match, d *scenario.Document) {
	if d == nil {
		return
	}
	for i := range m.Tests {
		t := &m.Tests[i]
		for _, path := range []string{t.Path + "." + t.Failed, t.Failed, t.Path} {
			// Failed is a part of a rule, or the path of a selector's requirement.
			if t.Path == "" || path == "" {
				continue
			}
			if span, found := d.Place(strings.TrimSuffix(path, ".")); found {
				t.Text, t.Span = d.Text, span
				break
			}
		}
	}
}
