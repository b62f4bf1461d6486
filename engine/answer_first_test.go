package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestAnswerFirst: a report that is completed behind its answer is that which is made in one go, and
// the answer is there before.
func TestAnswerFirst(t *testing.T) {
	skipShort(t)
	paths, err := filepath.Glob("../examples/*/request.yaml")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	o := Everything()
	o.TryRepairs = false
	findings, problems := 0, 0
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		s := readExample(t, filepath.Dir(path))
		var whole, first *report.Report
		var answer string
		same := false
		// The order of iteration over a map literal is random, as on the server.
		for try := 0; try < 10 && !same; try++ {
			if whole, err = Evaluate(context.Background(), s, o); err != nil {
				t.Fatal(err)
			}
			var rest *Rest
			if first, rest, err = AnswerFirst(context.Background(), s, o); err != nil {
				t.Fatal(err)
			}
			answer = asJSON(t, &report.Report{Outcome: first.Outcome})
			if rest == nil {
				same = asJSON(t, first) == asJSON(t, whole)
				continue
			}
			before := len(first.Diagnostics)
			more, err := rest.Complete(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if more != (len(first.Diagnostics) > before) {
				t.Errorf("%s: %d diagnostics after %d, and Complete says %v", name, len(first.Diagnostics), before, more)
			}
			if again, err := rest.Complete(context.Background()); again || err != nil {
				t.Errorf("%s: completed twice: %v, %v", name, again, err)
			}
			same = asJSON(t, first) == asJSON(t, whole)
			if more {
				problems++
			}
		}
		if !same {
			t.Errorf("%s: completed later\n%s\nin one go\n%s", name, asJSON(t, first), asJSON(t, whole))
		}
		if got := asJSON(t, &report.Report{Outcome: first.Outcome}); got != answer {
			t.Errorf("%s: the answer was %s, and is %s", name, answer, got)
		}
		findings += len(first.Findings)
	}
	if findings == 0 || problems == 0 {
		t.Errorf("the examples have %d findings and %d with late problems: nothing was compared", findings, problems)
	}
}

// TestCompleteCanceled: what nobody waits for is not made, and what a deadline leaves out the report says.
func TestCompleteCanceled(t *testing.T) {
	s := readExample(t, "../examples/first-look")
	begun := func(t *testing.T) (*report.Report, *Rest) {
		t.Helper()
		r, rest, err := AnswerFirst(context.Background(), s, Everything())
		if err != nil || rest == nil {
			t.Fatal(rest, err)
		}
		return r, rest
	}
	gone := errors.New("the page is closed")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	_, rest := begun(t)
	if _, err := rest.Complete(ctx); !errors.Is(err, gone) {
		t.Errorf("canceled, the error is %v", err)
	}
	late, stop := context.WithTimeout(context.Background(), 0)
	defer stop()
	r, rest := begun(t)
	if more, err := rest.Complete(late); !more || err != nil {
		t.Errorf("at the deadline: %v, %v", more, err)
	}
	if last := r.Diagnostics[0]; last.Code != codes.RunLimit {
		t.Errorf("at the deadline the first diagnostic is %+v", last)
	}
	if _, rest, err := AnswerFirst(context.Background(), scenario.Scenario{Policies: s.Policies}, Everything()); rest != nil || err != nil {
		t.Errorf("without a request %v is left, %v", rest, err)
	}
}
