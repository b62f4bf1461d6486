package site

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// guideStep is a change to try on the first visit: its place, its name and an instruction.
type guideStep struct {
	Text   diag.Text
	Span   diag.Span
	Before string // text directly before the place
	Shows  string
	Change string
}

// guideSteps are the suggested changes to the first example. Steps whose place is not in the
// example's text are omitted.
func guideSteps(e Example) []guideStep {
	var out []guideStep
	for _, g := range []struct {
		text                          diag.Text
		before, place, shows, changes string
	}{
		{diag.Request, "replicas: ", "8", "replicas", "to 5"},
		{diag.Cluster, "tier: ", "small", "tier", "to large"},
		{diag.Policies, "validationActions: [", "Deny", "Deny", "to Warn"},
	} {
		at := strings.Index(e.texts()[g.text], g.before+g.place)
		if at < 0 {
			continue
		}
		start := at + len(g.before)
		out = append(out, guideStep{Text: g.text, Span: diag.Span{Start: start, End: start + len(g.place)}, Before: g.before, Shows: g.shows, Change: g.changes})
	}
	return out
}

// guideJoin returns what follows a guide step: "set a, b, or c."
func guideJoin(i, n int) string {
	switch i {
	case n - 1:
		return "."
	case n - 2:
		return ", or"
	}
	return ","
}
