package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/scenario"
)

// versionRows says what differs between the Kubernetes versions, and why. It
// runs the scenario on all of them, so the page asks after it has shown each:
// what a version needs to start is there then.
func versionRows(ctx context.Context, params json.RawMessage) (any, error) {
	var s scenario.Scenario
	if err := json.Unmarshal(params, &s); err != nil {
		return nil, fmt.Errorf("the scenario: %w", err)
	}
	reports, err := versions.Run(ctx, s)
	if err != nil {
		return nil, err
	}
	return versions.Compare(reports), nil
}
