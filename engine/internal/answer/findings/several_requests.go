package findings

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxKept is how many objects are offered to be kept as the request.
const maxKept = 4

// SortRequest gives a request text with several objects its repairs: each of them
// as the request, or, where only one can be, that one with the others in the texts
// that they belong to.
func SortRequest(s scenario.Scenario, list []diag.Diagnostic) {
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == codes.SeveralRequests })
	if i < 0 {
		return
	}
	given := scenario.Given{Scenario: s}
	given.Scenario.Request = ""
	sorted := func(choice int) *scenario.Classified {
		given.Request = choice
		return scenario.Classify([]scenario.File{{Text: s.Request}}, given)
	}
	c := sorted(0)
	if len(c.Candidates) == 0 {
		switch {
		case c.Whole || c.Diagnostics.HasErrors():
		case c.Scenario.Request != "":
			list[i].Fixes = []diag.Fix{sortedFix("Move the other documents to their files", s, c)}
		case c.Scenario.Policies != "" || c.Scenario.Cluster != "": // policies with their bindings, under the wrong name
			list[i].Fixes = []diag.Fix{sortedFix("Move them to where they belong", s, c)}
		}
		return
	}
	for n, o := range c.Candidates[:min(len(c.Candidates), maxKept)] {
		if one := sorted(n + 1); one.Scenario.Request != "" {
			list[i].Fixes = append(list[i].Fixes, sortedFix("Keep "+o.String(), s, one))
		}
	}
}

// sortedFix puts what was found into the texts: the request in place of the text
// that it was in, all else behind what is there.
func sortedFix(title string, s scenario.Scenario, c *scenario.Classified) diag.Fix {
	fix := diag.Fix{Title: title, Edits: []diag.Edit{{Text: diag.Request, Span: diag.Span{End: len(s.Request)}, New: c.Scenario.Request}}}
	for _, t := range []struct {
		name      diag.Text
		old, more string
	}{{diag.Policies, s.Policies, c.Scenario.Policies}, {diag.Cluster, s.Cluster, c.Scenario.Cluster}} {
		if t.more == "" {
			continue
		}
		if strings.TrimSpace(t.old) != "" {
			t.more = strings.TrimPrefix(t.more, "---\n")
		}
		fix.Edits = append(fix.Edits, scenario.AtEnd(t.name, t.old, t.more))
	}
	return fix
}
