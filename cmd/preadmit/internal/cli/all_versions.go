package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// allVersions evaluates the scenario on every version and prints the differences. The exit code is
// the scenario's own version's: an old version may not know a kind.
func (a *app) allVersions(in *input, format, unmatched string) (int, error) {
	if format != "text" && format != "json" {
		return 0, badInput("eval: with --kubernetes all, -o is text or json")
	}
	reports, err := versions.Run(a.ctx, in.Scenario)
	if err != nil {
		return 0, err
	}
	own := in.Kubernetes
	if own == "" {
		own = scenario.DefaultVersion
	}
	code := exitOK
	for _, r := range reports {
		if len(in.problems) > 0 {
			r.Diagnostics = append(slices.Clone(in.problems), r.Diagnostics...)
		}
		in.place(r.Diagnostics)
		if r.Kubernetes == own {
			code = failOn(unmatched, r)
		}
	}
	list := versions.Differences(reports)
	if format == "json" {
		if list == nil {
			list = []versions.Difference{}
		}
		return code, writeJSON(a.stdout, map[string]any{"versions": versions.Compare(reports), "differences": list, "reports": reports})
	}
	return code, a.printDifferences(reports, list)
}

// printDifferences writes the differences, then their reasons.
func (a *app) printDifferences(reports []*report.Report, list []versions.Difference) error {
	first, last := reports[0], reports[len(reports)-1]
	var b strings.Builder
	if len(list) == 0 {
		fmt.Fprintf(&b, "The same on Kubernetes %s to %s: %s\n", first.Kubernetes, last.Kubernetes, text.Summary(last))
	}
	for _, d := range list {
		fmt.Fprintf(&b, "%s\n", d.What)
		for _, v := range d.Values {
			span := v.From
			if v.To != v.From {
				span += " to " + v.To
			}
			lines := strings.Split(strings.TrimRight(v.Value, "\n"), "\n")
			fmt.Fprintf(&b, "  %-13s %s\n", span, lines[0])
			for _, line := range lines[1:] {
				fmt.Fprintf(&b, "  %-13s %s\n", "", line)
			}
		}
	}
	for _, row := range versions.Compare(reports).Rows {
		for _, reason := range row.Reasons {
			fmt.Fprintf(&b, "from %-8s %s\n", row.Version+":", reason.Text)
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(&b, "\nOn Kubernetes %s: %s\n", last.Kubernetes, text.Summary(last))
	}
	return a.say(b.String())
}
