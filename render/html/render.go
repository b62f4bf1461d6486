package html

import (
	"context"
	"strings"

	"github.com/a-h/templ"
)

// Rendered is the HTML of every part of the result, ready to be put in place.
type Rendered struct {
	Outcome  string `json:"outcome"`
	Steps    string `json:"steps"`
	Object   string `json:"object"`
	Diff     string `json:"diff"`
	Answer   string `json:"answer"`
	Problems string `json:"problems"`
	// Announcement is plain text for the live region.
	Announcement string `json:"announcement"`
}

// Render renders all parts.
func (v View) Render(ctx context.Context) (Rendered, error) {
	out := Rendered{Announcement: Announcement(v.Report)}
	parts := []struct {
		to        *string
		component templ.Component
	}{
		{&out.Outcome, v.Outcome()},
		{&out.Steps, v.Steps()},
		{&out.Object, v.Object()},
		{&out.Diff, v.Diff()},
		{&out.Answer, v.Answer()},
		{&out.Problems, v.Problems()},
	}
	for _, p := range parts {
		var b strings.Builder
		if err := p.component.Render(ctx, &b); err != nil {
			return Rendered{}, err
		}
		*p.to = b.String()
	}
	return out, nil
}
