package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// TestManySteps: a page shows a limited number of steps, deciding ones first, and summarises the
// others. A report in a file shows all.
func TestManySteps(t *testing.T) {
	const kind = "ValidatingAdmissionPolicy"
	r := &report.Report{Outcome: report.Outcome{DecidedBy: mostSteps - 1}}
	add := func(n int, s report.Step) {
		for range n {
			s.Kind = kind
			r.Steps = append(r.Steps, s)
		}
	}
	add(mostSteps, report.Step{Policy: "early", Status: report.Evaluated, Verdict: report.Admit})
	add(mostSteps, report.Step{Policy: "elsewhere", Status: report.NotMatched})
	add(3, report.Step{Policy: "strict", Verdict: report.Deny})
	view := NewView(r, nil)

	whole, err := text(t.Context(), view.Steps())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(whole, `<li class="step `); got != len(r.Steps) {
		t.Errorf("a file shows %d of %d steps", got, len(r.Steps))
	}

	view.Lazy = true
	html, err := text(t.Context(), view.Steps())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(html, `<li class="step `); got != mostSteps {
		t.Errorf("the page shows %d steps", got)
	}
	if got := strings.Count(html, `<li class="step is-denied"`); got != 3 {
		t.Errorf("%d of the 3 that deny are shown", got)
	}
	if want := `id="` + stepID(mostSteps-1) + `"`; !strings.Contains(html, want) {
		t.Errorf("the step that decided is not there: %s", want)
	}
	if want := "1,003 more are not shown here: 3 admitted, 1,000 not matched."; !strings.Contains(html, want) {
		t.Errorf("what is left out is not told: %s", want)
	}

	// A link to a hidden step leads to the summary, by number.
	if want := fmt.Sprintf(`data-left-from="0" data-left-to="%d"`, len(r.Steps)-1); !strings.Contains(html, want) {
		t.Errorf("the sentence does not say which steps it is about: %s", want)
	}

	// Nothing is hidden at the limit.
	r.Steps = r.Steps[3 : 3+mostSteps]
	if html, err = text(t.Context(), view.Steps()); err != nil || strings.Count(html, `<li class="step `) != mostSteps || strings.Contains(html, "no room") {
		t.Errorf("%d steps of %d are shown, %v", strings.Count(html, `<li class="step `), mostSteps, err)
	}
}
