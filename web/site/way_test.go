package site

import (
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// TestSmallWay draws the path on an example's card: the line ends where the request does, and the
// text says the same.
func TestSmallWay(t *testing.T) {
	request := &report.Request{}
	denied := &report.Report{Request: request, Steps: []report.Step{
		{Phase: report.Validating, Kind: "ValidatingAdmissionPolicy", Status: report.Evaluated, Verdict: report.Deny},
	}, Outcome: report.Outcome{State: report.StateDenied}}
	w, ok := smallWayOf(denied)
	if !ok || w.Says != "its request is stopped at Validating" || w.Stop < 0 || w.Rest == "" {
		t.Errorf("denied: %+v", w)
	}
	admitted := &report.Report{Request: request, Outcome: report.Outcome{Allowed: true, State: report.StateAdmitted}}
	w, ok = smallWayOf(admitted)
	if !ok || w.Says != "its request passes" || w.Stop >= 0 || w.Rest != "" || len(w.Posts) > 0 || !strings.HasSuffix(w.Line, "H156") {
		t.Errorf("admitted: %+v", w)
	}
	if _, ok := smallWayOf(&report.Report{}); ok {
		t.Error("a path without a request")
	}
}

// TestStations checks the pages of the gates in the documentation's picture.
func TestStations(t *testing.T) {
	for _, s := range stations() {
		page, _, _ := strings.Cut(strings.Trim(s.Href, "/"), "#")
		page = strings.Trim(page, "/")
		file := "../../" + page + ".md"
		if strings.HasPrefix(page, "tour/") {
			found, err := os.ReadDir("../../tour")
			if err != nil {
				t.Fatal(err)
			}
			ok := false
			for _, f := range found {
				ok = ok || strings.HasSuffix(f.Name(), "-"+strings.TrimPrefix(page, "tour/"))
			}
			if !ok {
				t.Errorf("%s leads to %s, which is no lesson", s.Name, s.Href)
			}
			continue
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s leads to %s: %v", s.Name, s.Href, err)
		}
	}
}
