package bridge

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// RepairsParams are the parameters of repairs.
type RepairsParams struct {
	// ID is an evaluated report's, and Scenario its scenario.
	ID       int64             `json:"id"`
	Scenario scenario.Scenario `json:"scenario"`
}

// Repaired is the reply to repairs: what changes in a report after its outcome. It is empty if all
// problems stay the same.
type Repaired struct {
	// Diagnostics replace the report's: some have fewer repairs, or are new.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
	// Problems is their list as HTML.
	Problems string `json:"problems,omitempty"`
}

// trialTime limits trying a report's repairs, because a keystroke waits for it. Untried repairs
// stay.
const trialTime = time.Second

// tryRepairs tries the repairs of a report on the page, and drops those that cause another problem.
func tryRepairs(ctx context.Context, p RepairsParams) (Repaired, error) {
	kept, err := results.complete(ctx, p.ID)
	if kept == nil || err != nil {
		return Repaired{}, err
	}
	view := kept.view
	limited, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	tried := *view.Report
	tried.Diagnostics = slices.Clone(view.Report.Diagnostics)
	if err := engine.TryRepairs(limited, p.Scenario, &tried, everything()); err != nil {
		return Repaired{}, err
	}
	if fixes(tried.Diagnostics) == fixes(view.Report.Diagnostics) {
		return Repaired{}, nil
	}
	// Later renderings then count the same repairs as the page.
	view.Report.Diagnostics = tried.Diagnostics
	out, err := problems(ctx, view)
	if err != nil {
		return Repaired{}, err
	}
	return *out, nil
}

// problems returns a report's current problems.
func problems(ctx context.Context, view html.View) (*Repaired, error) {
	var list strings.Builder
	if err := view.Problems().Render(ctx, &list); err != nil {
		return nil, err
	}
	return &Repaired{Diagnostics: view.Report.Diagnostics, Problems: list.String()}, nil
}

// fixes is the number of repairs of problems.
func fixes(list []diag.Diagnostic) int {
	n := 0
	for _, d := range list {
		n += len(d.Fixes)
	}
	return n
}
