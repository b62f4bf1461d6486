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

// RepairsParams are those of repairs.
type RepairsParams struct {
	// ID is that of an evaluated report, Scenario what it is of.
	ID       int64             `json:"id"`
	Scenario scenario.Scenario `json:"scenario"`
}

// Repaired is the reply to repairs, and what a report learns behind its answer. It is empty where
// all problems stay as they are.
type Repaired struct {
	// Diagnostics take the place of the report's: some have fewer repairs, or are new.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
	// Problems is their list as HTML.
	Problems string `json:"problems,omitempty"`
}

// trialTime is how long the repairs of a report are tried: a key that is typed meanwhile waits
// for it. Those that are left then stay.
const trialTime = time.Second

// tryRepairs tries the repairs of a report that the page shows, and withholds those that lead
// to another problem.
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
	// What is rendered of the report later counts its repairs as the page does from now on.
	view.Report.Diagnostics = tried.Diagnostics
	out, err := problems(ctx, view)
	if err != nil {
		return Repaired{}, err
	}
	return *out, nil
}

// problems are those of a report as it is now.
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
