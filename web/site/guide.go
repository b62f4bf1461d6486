package site

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// guideStep is a change to try on the first visit: the place that it is made
// at, how it is named, and what to do there.
type guideStep struct {
	Text   diag.Text
	Span   diag.Span
	Before string // what is right before the place
	Shows  string
	Change string
}

// guideSteps are the changes that the first example invites to. A place that is
// not in the example's text is left out.
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

// guideJoin is what follows a step of the guide: "set a, b, or c."
func guideJoin(i, n int) string {
	switch i {
	case n - 1:
		return "."
	case n - 2:
		return ", or"
	}
	return ","
}
