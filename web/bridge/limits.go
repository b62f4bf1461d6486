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
	// limitsSlice is how long one call searches: a key may be pressed
	// meanwhile.
	limitsSlice = 12 * time.Millisecond
	// limitsWork is what the calls for one scenario may spend together on
	// evaluations, in CEL cost units.
	limitsWork = 20_000_000
)

// limitsTime is how long the calls for one scenario search together. Tests have
// longer: what is found must not depend on the machine.
var limitsTime = 8 * time.Second

// Searched is the reply to limits.
type Searched struct {
	// Done is false when the same call, made again, would go on.
	Done bool `json:"done"`
	// ID names the report with what was found, for render; 0 when nothing was.
	ID int64 `json:"id,omitempty"`
}

// searching is the search that is under way for a scenario.
var searching struct {
	sync.Mutex
	scenario scenario.Scenario
	report   *report.Report
	search   *growth.Search
	spent    time.Duration
}

// searchLimits looks for lengths of lists that break a cost limit, a slice of it
// with every call. The first call only evaluates.
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

// beginSearch evaluates, and reports whether there is something to search in: larger objects
// would reach a limit of Preadmit too where this one does before it is decided.
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

// found keeps a report for render, if something was found.
func found(s scenario.Scenario, r *report.Report) Searched {
	if len(r.Budgets) == 0 && (r.Rules == nil || r.Rules.Budget == nil) {
		return Searched{Done: true}
	}
	return Searched{Done: true, ID: results.keep(viewOf(r, s), nil)}
}
