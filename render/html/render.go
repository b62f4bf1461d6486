package html

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine/report"
)

// Part is a part of the result. All except the outcome have their own tab.
type Part string

// The parts.
const (
	OutcomePart Part = "outcome" // and the stand-alone expression or rules, which come first
	StepsPart   Part = "steps"
	ObjectPart  Part = "object"
	DiffPart    Part = "diff"
	AnswerPart  Part = "answer"
)

// Rendered is a result's HTML.
type Rendered struct {
	Outcome   string `json:"outcome"`
	Problems  string `json:"problems"` // Render leaves it empty, because its caller knows whether the page has it
	Documents string `json:"documents"`
	// Announcement is plain text for the live region.
	Announcement string `json:"announcement"`
	// Title is the outcome for a browser tab: "Denied · deployments/web".
	Title string          `json:"title"`
	Parts map[Part]string `json:"parts"` // the requested parts
}

// Render renders what is always visible, except the problems, and the given parts.
func (v View) Render(ctx context.Context, parts ...Part) (Rendered, error) {
	out := Rendered{Announcement: Announcement(v.Report), Title: tabTitle(v.Report)}
	var err error
	if out.Outcome, err = text(ctx, v.Outcome()); err != nil {
		return Rendered{}, err
	}
	if out.Documents, err = text(ctx, v.Documents()); err != nil {
		return Rendered{}, err
	}
	out.Parts, err = v.Parts(ctx, parts...)
	return out, err
}

// tabTitle returns the outcome and its subject, as short as possible.
func tabTitle(r *report.Report) string {
	title := verdictWord(r)
	switch {
	case !asked(r) && r.Rules != nil:
		return rulesWord(r.Rules.State) + " · rules"
	case !asked(r) && r.Expression != nil:
		return "Expression"
	case r.Request == nil:
		return title
	}
	_, resource, _ := strings.Cut(r.Request.Resource, ", Resource=")
	if r.Request.SubResource != "" {
		resource += "/" + r.Request.SubResource
	}
	if r.Request.Name != "" {
		resource += "/" + r.Request.Name
	}
	return title + " · " + resource
}

// Parts renders parts of the result. The error names an unknown part.
func (v View) Parts(ctx context.Context, parts ...Part) (map[Part]string, error) {
	components := map[Part]func() templ.Component{
		OutcomePart: v.Outcome, StepsPart: v.Steps, ObjectPart: v.Object, DiffPart: v.Diff, AnswerPart: v.Answer,
	}
	out := map[Part]string{}
	for _, part := range parts {
		component := components[part]
		if component == nil {
			return nil, fmt.Errorf("a result has no part %q", part)
		}
		var err error
		if out[part], err = text(ctx, component()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func text(ctx context.Context, c templ.Component) (string, error) {
	var b strings.Builder
	err := c.Render(ctx, &b)
	return b.String(), err
}
