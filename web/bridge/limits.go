package bridge

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	// limitsSlice limits the time of one call, because the user may press a key meanwhile.
	limitsSlice = 12 * time.Millisecond
	// limitsWork is the shared budget of a scenario's calls, in CEL cost units.
	limitsWork = 20_000_000
)

// limitsTime limits the total search time for a scenario. Tests allow more, so that results do not
// depend on the machine.
var limitsTime = 8 * time.Second

// Searched is the reply to limits.
type Searched struct {
	// Done is false if repeating the call would continue the search.
	Done bool `json:"done"`
	// ID identifies the report with the findings for render; 0 if there are none.
	ID int64 `json:"id,omitempty"`
}

// searching is the current search for a scenario.
var searching struct {
	sync.Mutex
	scenario scenario.Scenario
	report   *report.Report
	search   *growth.Search
	spent    time.Duration
}

// searchLimits looks for list lengths that exceed a cost limit, a slice per call. The first call
// only evaluates.
func searchLimits(ctx context.Context, wanted scenario.Scenario) (Searched, error) {
	s := &searching
	s.Lock()
	defer s.Unlock()
	if s.search == nil || !reflect.DeepEqual(s.scenario, wanted) {
		begun, err := beginSearch(ctx, wanted)
		return Searched{Done: !begun}, err
	}
	start := time.Now()
	done := s.search.Step(func() bool { return time.Since(start) > limitsSlice })
	if s.spent += time.Since(start); !done && s.spent < limitsTime {
		return Searched{}, nil
	}
	s.search.Stop()
	s.search = nil
	return found(s.scenario, s.report), nil
}

// beginSearch evaluates, and reports whether there is anything to search. If this request reached
// one of Preadmit's limits before a verdict, larger objects would too.
func beginSearch(ctx context.Context, wanted scenario.Scenario) (begun bool, err error) {
	s := &searching
	if s.search != nil {
		s.search.Stop()
		s.search = nil
	}
	recorded, err := within(ctx, evaluationTime, func(limited context.Context) (*engine.Recorded, error) {
		return engine.EvaluateRecorded(limited, wanted, everything())
	})
	if err != nil {
		return false, err
	}
	if !decided(recorded.Report.Outcome.State) && atLimit(recorded.Report) {
		return false, nil
	}
	s.scenario, s.spent = wanted, 0
	s.report, s.search = recorded.Report, growth.New(recorded, limitsWork)
	return true, nil
}

// found keeps a report for render, if it has findings.
func found(s scenario.Scenario, r *report.Report) Searched {
	if len(r.Budgets) == 0 && (r.Rules == nil || r.Rules.Budget == nil) {
		return Searched{Done: true}
	}
	return Searched{Done: true, ID: results.keep(viewOf(r, s), nil)}
}
