package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// mostSteps limits the steps in a lazy view. A policy with hundreds of bindings and params has tens
// of thousands, one per pair: 90 MB of HTML, which took the page's engine five seconds to write and
// a browser longer to draw.
const mostSteps = 1000

// shownSteps returns the indices of a view's steps; nil means all. If there are too many, it keeps
// the most important: the deciding step, those that stop the request, those with an effect, and of
// each the first ones.
func (v View) shownSteps() map[int]bool {
	r := v.Report
	if !v.Lazy || len(r.Steps) <= mostSteps {
		return nil
	}
	order := make([]int, len(r.Steps))
	weights := make([]int, len(r.Steps))
	for i := range order {
		order[i] = i
		weights[i] = weight(r.Steps[i])
	}
	if decided := r.Outcome.DecidedBy; decided >= 0 && decided < len(weights) {
		weights[decided] = weightOfDecided
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	shown := make(map[int]bool, mostSteps)
	for _, i := range order[:mostSteps] {
		shown[i] = true
	}
	return shown
}

// weightOfDecided exceeds every other step's weight.
const weightOfDecided = 4

// weight returns a step's importance.
func weight(s report.Step) int {
	switch StepState(s) {
	case Denied, Failed:
		return 3
	case Mutated, Warned:
		return 2
	case Admitted:
		return 1
	}
	return 0 // it did not run
}

// leave drops a group's hidden steps and summarises them.
func (g *group) leave(shown map[int]bool) {
	if shown == nil || len(g.Steps) == 0 {
		return
	}
	var states []report.StepState // in the order of their first steps
	left := map[report.StepState]int{}
	all := len(g.Steps)
	g.First, g.Last = g.Steps[0].Index, g.Steps[all-1].Index
	g.Steps = slices.DeleteFunc(g.Steps, func(s numbered) bool {
		if shown[s.Index] {
			return false
		}
		state := s.State()
		if left[state] == 0 {
			states = append(states, state)
		}
		left[state]++
		return true
	})
	if len(states) == 0 {
		return
	}
	var counts []string
	for _, state := range states {
		counts = append(counts, fmt.Sprintf("%s %s", report.Number(int64(left[state])), state))
	}
	g.Left = fmt.Sprintf("%s more are not shown here: %s. On the command line, preadmit eval -o json has all of them.",
		report.Number(int64(all-len(g.Steps))), strings.Join(counts, ", "))
}
