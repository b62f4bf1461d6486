package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// versionRows says what differs between the Kubernetes versions, and why. It
// runs the scenario on all of them, so the page asks after it has shown each:
// what a version needs to start is there then.
func versionRows(ctx context.Context, s scenario.Scenario) (report.Versions, error) {
	reports, err := versions.Run(ctx, s)
	if err != nil {
		return report.Versions{}, err
	}
	return versions.Compare(reports), nil
}
