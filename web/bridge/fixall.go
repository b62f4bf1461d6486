package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// FixAllParams are the parameters of fixAll.
type FixAllParams struct {
	Scenario scenario.Scenario `json:"scenario"`
}

// FixedAll is the reply to fixAll.
type FixedAll struct {
	// Scenario has the repaired texts.
	Scenario scenario.Scenario `json:"scenario"`
	// Applied lists the applied repairs; empty if no problem has a single likely repair.
	Applied []repairs.Applied `json:"applied"`
	// Errors is the number of remaining errors.
	Errors int `json:"errors"`
}

// fixAll applies the scenario's single likely repairs (diag.Fix.Sure), until none is left.
func fixAll(ctx context.Context, p FixAllParams) (FixedAll, error) {
	result, err := within(ctx, severalTime, func(limited context.Context) (*repairs.Result, error) {
		return repairs.All(limited, p.Scenario)
	})
	if err != nil {
		return FixedAll{}, err
	}
	out := FixedAll{Scenario: result.Scenario, Applied: result.Applied, Errors: len(result.Report.Diagnostics.Errors())}
	if out.Applied == nil {
		out.Applied = []repairs.Applied{}
	}
	return out, nil
}
