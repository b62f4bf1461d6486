package run

import (
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
		if t.Path == "" {
			continue
		}
		// Failed is a part of a rule, or the path of a selector's requirement.
		found := t.Failed != "" && (locate(t, d, t.Path+"."+t.Failed) || locate(t, d, t.Failed))
		if !found {
			locate(t, d, t.Path)
		}
	}
}

// locate sets a test's place to that of a path, if the document has it.
func locate(t *report.MatchTest, d *scenario.Document, path string) bool {
	span, found := d.Place(path)
	if found {
		t.Text, t.Span = d.Text, span
	}
	return found
}
