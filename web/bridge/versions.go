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
	// HTML is the strip with all versions.
	HTML string `json:"html"`
}

// versionRows reports the differences between Kubernetes versions, and their reasons. It evaluates
// the scenario on all of them. The page calls it after having shown each version, so that each
// version's data is already loaded.
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
