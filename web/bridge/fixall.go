package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// FixAllParams are those of fixAll.
type FixAllParams struct {
	Scenario scenario.Scenario `json:"scenario"`
}

// FixedAll is the reply to fixAll.
type FixedAll struct {
	// Scenario has the repaired texts.
	Scenario scenario.Scenario `json:"scenario"`
	// Applied lists what was done; empty when nothing has one likely answer.
	Applied []repairs.Applied `json:"applied"`
	// Errors is the number of errors that are left.
	Errors int `json:"errors"`
}

// fixAll applies every repair of the scenario that has one likely answer
// (diag.Fix.Sure), until there is none left.
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
