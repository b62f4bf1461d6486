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
	// foreseeSlice is how long one call searches: a key may be pressed meanwhile.
	foreseeSlice = 12 * time.Millisecond
	// mostForesights is for how many texts the page remembers what was foreseen: the request is no part of them.
	mostForesights = 4
)

// ForeseeParams are those of foresee.
type ForeseeParams struct {
	// ID is that of an evaluated report, Scenario what it is of.
	ID       int64             `json:"id"`
	Scenario scenario.Scenario `json:"scenario"`
}

// Foreseen is the reply to foresee: what requests will meet in the policies.
type Foreseen struct {
	// Done is false when the same call, made again, would go on.
	Done bool `json:"done"`
	// Late are the problems of the report, if there are others now.
	Late *Repaired `json:"late,omitempty"`
	// Stops says that the report has a graph of what policies stop now, which its steps show.
	Stops bool `json:"stops,omitempty"`
}

// foreseeing is the search that is under way, for a scenario without its request, and what earlier ones found.
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

// foresee looks for requests that fail in an expression or stop the cluster, a slice of it with every call. The
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
		configuration, _ := engine.Compile(wanted) // what is wrong with it is in the report
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

// addForeseen adds what was found to a report that the page shows, once.
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
