package bridge

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	// foreseeSlice limits the time of one call, because the user may press a key meanwhile.
	foreseeSlice = 12 * time.Millisecond
	// mostForesights limits the cached findings, by texts without the request.
	mostForesights = 4
)

// ForeseeParams are the parameters of foresee.
type ForeseeParams struct {
	// ID is an evaluated report's, and Scenario its scenario.
	ID       int64             `json:"id"`
	Scenario scenario.Scenario `json:"scenario"`
}

// Foreseen is the reply to foresee: problems that requests will have with the policies.
type Foreseen struct {
	// Done is false if repeating the call would continue the search.
	Done bool `json:"done"`
	// Late are the report's problems, if they have changed.
	Late *Repaired `json:"late,omitempty"`
	// Stops says that the report has a graph of what policies stop now, which its steps show.
	Stops bool `json:"stops,omitempty"`
}

// foreseeing is the current search, for a scenario without its request, with earlier findings.
var foreseeing struct {
	sync.Mutex
	wanted scenario.Scenario
	search *engine.Foresight
	known  []foreseenText
}

type foreseenText struct {
	of    scenario.Scenario
	found diag.Diagnostics
	stops *report.Graph
}

// foresee looks for requests that fail in an expression or stop the cluster, a slice per call. The
// first call only compiles.
func foresee(ctx context.Context, p ForeseeParams) (Foreseen, error) {
	wanted := p.Scenario
	wanted.Request, wanted.Expression = "", ""
	s := &foreseeing
	s.Lock()
	defer s.Unlock()
	if i := slices.IndexFunc(s.known, func(k foreseenText) bool { return reflect.DeepEqual(k.of, wanted) }); i >= 0 {
		return addForeseen(ctx, p.ID, diag.Clone(s.known[i].found), s.known[i].stops)
	}
	if s.search == nil || !reflect.DeepEqual(s.wanted, wanted) {
		if s.search != nil {
			s.search.Stop()
			s.search = nil
		}
		configuration, _ := engine.Compile(wanted) // the report has its problems
		if configuration == nil || wanted.Policies == "" {
			return Foreseen{Done: true}, nil
		}
		s.wanted, s.search = wanted, engine.NewForesight(configuration, engine.Options{})
		return Foreseen{}, nil
	}
	start := time.Now()
	found, done := s.search.Step(func() bool { return time.Since(start) > foreseeSlice })
	if !done {
		return Foreseen{}, nil
	}
	stops := s.search.Stops
	s.search.Stop()
	s.search = nil
	s.known = append(s.known, foreseenText{wanted, diag.Clone(found), stops})
	s.known = s.known[max(0, len(s.known)-mostForesights):]
	return addForeseen(ctx, p.ID, found, stops)
}

// addForeseen adds the findings to a report on the page, once.
func addForeseen(ctx context.Context, id int64, found diag.Diagnostics, stops *report.Graph) (Foreseen, error) {
	view, ok := results.find(id)
	if !ok || len(found) == 0 {
		return Foreseen{Done: true}, nil
	}
	view.Report.StopGraph = stops
	list := engine.WithForeseen(view.Report.Diagnostics, found)
	if reflect.DeepEqual(list, view.Report.Diagnostics) {
		return Foreseen{Done: true, Stops: stops != nil}, nil
	}
	view.Report.Diagnostics = list
	late, err := problems(ctx, view)
	return Foreseen{Done: true, Late: late, Stops: stops != nil}, err
}
