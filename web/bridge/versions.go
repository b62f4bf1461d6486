package bridge

import (
	"context"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// VersionStrip is the reply to versions.
type VersionStrip struct {
	report.Versions
	// HTML is the strip of all versions.
	HTML string `json:"html"`
}

// versionRows says what differs between the Kubernetes versions, and why. It
// runs the scenario on all of them, so the page asks after it has shown each:
// what a version needs to start is there then.
func versionRows(ctx context.Context, s scenario.Scenario) (VersionStrip, error) {
	reports, err := within(ctx, severalTime, func(limited context.Context) ([]*report.Report, error) {
		return versions.Run(limited, s)
	})
	if err != nil {
		return VersionStrip{}, err
	}
	out := VersionStrip{Versions: versions.Compare(reports)}
	var strip strings.Builder
	err = html.Strip(out.Versions).Render(ctx, &strip)
	out.HTML = strip.String()
	return out, err
}
