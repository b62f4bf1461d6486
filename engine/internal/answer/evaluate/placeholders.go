package evaluate

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// CheckPlaceholders runs the request again with other values where a server
// picks them by chance, and says at the steps that then end otherwise that the
// value decided.
func (e *Evaluation) CheckPlaceholders() {
	if len(e.placeholders) == 0 {
		return
	}
	v := e.repeated()
	v.variant = 1
	v.start()
	v.Run()
	for i := range e.Report.Steps {
		if s := &e.Report.Steps[i]; i >= len(v.Report.Steps) || v.Report.Steps[i].Verdict != s.Verdict {
			s.Notes = append(s.Notes, report.Note{Code: codes.PlaceholderDecides,
				Text: fmt.Sprintf("A server picks %s at random. The values here are placeholders, and with others this step ends differently.", listed(e.placeholders))})
			return
		}
	}
}

// listed are JSON pointers as paths.
func listed(pointers []string) string {
	var out []string
	for _, p := range pointers {
		out = append(out, strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", "."))
	}
	return strings.Join(out, ", ")
}
