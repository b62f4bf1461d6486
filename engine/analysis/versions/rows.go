package versions

import (
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// Compare puts the reports of one scenario, as Run returns them, into a row for
// each version, with the reasons for what is not as on the version before.
func Compare(reports []*report.Report) report.Versions {
	out := report.Versions{Rows: []report.VersionRow{}, Groups: []report.VersionGroup{}}
	for i, r := range reports {
		row := rowOf(r)
		if i > 0 {
			differences := compare(reports[i-1 : i+1])
			row.Differs = kinds(differences)
			if len(row.Differs) > 0 {
				row.Reasons = explain(reports[i-1], r, differences)
			}
		}
		out.Rows = append(out.Rows, row)
		if last := len(out.Groups) - 1; last >= 0 && len(row.Differs) == 0 {
			out.Groups[last].To = row.Version
			continue
		}
		out.Groups = append(out.Groups, report.VersionGroup{From: row.Version, To: row.Version, Verdict: row.Verdict, Refused: len(row.Refused), Cost: row.Cost})
	}
	return out
}

// kinds lists what differs. The object as it arrives is left out: on its own,
// such as by an unset creationTimestamp that was null, it changes nothing.
func kinds(differences []Difference) []string {
	var out []string
	for _, d := range differences {
		if d.Kind != "input" && !slices.Contains(out, d.Kind) {
			out = append(out, d.Kind)
		}
	}
	return out
}

func rowOf(r *report.Report) report.VersionRow {
	row := report.VersionRow{Version: r.Kubernetes, Verdict: verdict(r), Cost: totalCost(r)}
	if r.Request != nil {
		row.Code, row.Reason, row.Message = r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message
	}
	for _, in := range r.Install {
		if in.Code != 0 {
			row.Refused = append(row.Refused, report.RefusedDocument{Kind: in.Kind, Name: in.Name, Message: in.Message})
		}
	}
	return row
}

func verdict(r *report.Report) string {
	switch {
	case r.Outcome.State == report.StateUndecided:
		return "undecided"
	case r.Request == nil:
		return "no request"
	case !r.Outcome.Allowed:
		return "denied"
	case r.Outcome.Mutated:
		return "mutated"
	}
	return "admitted"
}

// totalCost adds up what was evaluated.
func totalCost(r *report.Report) int64 {
	var total int64
	for i := range r.Steps {
		r.Steps[i].Evaluations(func(e *report.Evaluation) {
			if e.Evaluated {
				total += e.Cost
			}
		})
	}
	return total
}
