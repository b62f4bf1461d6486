// Package path describes a request's path through the API server as a few gates, for the page,
// embedded examples and preview pictures.
package path

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/preadmit/preadmit/engine/report"
)

// State is what a gate did with the request.
type State string

// The states of a gate.
const (
	Hollow  State = "hollow"  // an answer that nothing decided; a gate with nothing to do is left out
	Passed  State = "passed"  // something ran and admitted the request unchanged
	Changed State = "changed" // it changed the object
	Warned  State = "warned"  // it passed, with a warning or an ignored failure
	Stopped State = "stopped" // the request ends here
)

// Target is where a gate's link leads.
type Target string

// The targets. StepTarget is one of the report's steps; the others are parts of the page.
const (
	StepTarget    Target = "step"
	RequestTarget Target = "request"
	ObjectTarget  Target = "object"
	AnswerTarget  Target = "answer"
)

// Gate is one station on the path.
type Gate struct {
	ID    string // stable: request, defaults, policies, webhooks, again, storage, validating, answer
	Name  string // one or two words
	State State
	// Count is a short figure below the name: "1 of 2", "+12"; empty if there is none.
	Count string
	// Says describes the gate in a sentence, without its name and a full stop.
	Says   string
	Target Target
	// Step is an index in the report's steps, for StepTarget.
	Step int
}

// The gates, in the server's order (semantics §0). Storage gives the object its final form before
// the validating phase.
const (
	requestGate = iota
	defaultsGate
	policiesGate
	webhooksGate
	againGate
	storageGate
	validatingGate
	answerGate
)

// gateIDs are the gates' stable names.
var gateIDs = [...]string{
	requestGate: "request", defaultsGate: "defaults", policiesGate: "policies", webhooksGate: "webhooks",
	againGate: "again", storageGate: "storage", validatingGate: "validating", answerGate: "answer",
}

// Of returns the path of a report's request: its two ends, and between them the gates that did
// something. It is empty without a request.
func Of(r *report.Report) []Gate {
	if r.Request == nil {
		return nil
	}
	gates := []Gate{
		{ID: gateIDs[requestGate], Name: "Request", State: Passed, Target: RequestTarget, Says: requestWords(r.Request)},
		{ID: gateIDs[defaultsGate], Name: "Defaults", State: Hollow, Target: ObjectTarget},
		{ID: gateIDs[policiesGate], Name: "Mutating", State: Hollow},
		{ID: gateIDs[webhooksGate], Name: "Webhooks", State: Hollow},
		{ID: gateIDs[againGate], Name: "2nd pass", State: Hollow},
		{ID: gateIDs[storageGate], Name: "Schema", State: Hollow, Target: ObjectTarget},
		{ID: gateIDs[validatingGate], Name: "Validating", State: Hollow},
		{ID: gateIDs[answerGate], Name: "Answer", State: Passed, Target: AnswerTarget, Says: answerWords(r)},
	}
	differ(&gates[defaultsGate], r.Sent, r.Input)
	differ(&gates[storageGate], r.Mutated, r.Object)
	addSteps(gates, r.Steps)
	switch state := r.Outcome.State; {
	case state == report.StateUndecided:
		gates[answerGate].State = Hollow
	case !r.Outcome.Allowed:
		stop(gates, stoppedAt(r))
	case state == report.StatePolicyRefused, state == report.StateNoPolicyRan, state == report.StateNoPolicies:
		gates[answerGate].State = Hollow
	case r.Outcome.Mutated:
		gates[answerGate].State = Changed
	}
	return slices.DeleteFunc(gates, func(g Gate) bool {
		return g.State == Hollow && g.ID != gateIDs[answerGate]
	})
}

// differ marks a gate that changed the object by itself.
func differ(g *Gate, before, after map[string]any) {
	if before == nil || after == nil {
		return
	}
	n := differences(before, after)
	if n == 0 {
		return
	}
	g.State = Passed // every request passes here: only changes by policies and webhooks stand out
	g.Count = fmt.Sprintf("+%d", n)
	g.Says = report.Plural(n, "field") + " filled in"
}

// differences counts the fields that differ between two objects. The parts of a new object or list
// count as one.
func differences(a, b any) int {
	switch b := b.(type) {
	case map[string]any:
		a, ok := a.(map[string]any)
		if !ok {
			return 1
		}
		n, common := 0, 0
		for k, v := range b {
			if old, there := a[k]; !there {
				n++
			} else {
				n += differences(old, v)
				common++
			}
		}
		return n + len(a) - common
	case []any:
		a, ok := a.([]any)
		if !ok || len(a) != len(b) {
			return 1
		}
		if len(a) > 0 && &a[0] == &b[0] {
			return 0 // the same list
		}
		n := 0
		for i := range b {
			n += differences(a[i], b[i])
		}
		return n
	}
	if a == b || equality.Semantic.DeepEqual(a, b) {
		return 0
	}
	return 1
}

// GateOf returns the ID of a step's gate.
func GateOf(s report.Step) string { return gateIDs[gateOf(s)] }

// gateOf returns a step's gate.
func gateOf(s report.Step) int {
	switch {
	case s.Kind == "CustomResourceDefinition":
		return storageGate
	case s.Phase == report.Validating:
		return validatingGate
	case s.Pass > 0:
		return againGate
	case s.Kind == "MutatingWebhookConfiguration":
		return webhooksGate
	case s.Kind == "MutatingAdmissionPolicy":
		return policiesGate
	}
	return defaultsGate // a built-in plugin
}

// tally summarises the steps of one gate.
type tally struct{ all, ran, changed, warned int }

func addSteps(gates []Gate, steps []report.Step) {
	tallies := make([]tally, len(gates))
	for i, s := range steps {
		at := gateOf(s)
		g, t := &gates[at], &tallies[at]
		t.all++
		// A gate's link leads to the first step with an effect, or else to the first.
		state := stepState(s)
		leads := at != defaultsGate && at != storageGate || state == Stopped
		if leads && (g.Target != StepTarget || worse(state, g.State)) {
			g.Target, g.Step = StepTarget, i
		}
		if worse(state, g.State) {
			g.State = state
		}
		if s.Ran() {
			t.ran++
		}
		switch state {
		case Changed:
			t.changed++
		case Warned:
			t.warned++
		}
	}
	for i, t := range tallies {
		if t.all > 0 && i != defaultsGate && i != storageGate {
			gates[i].Count = fmt.Sprintf("%d of %d", t.ran, t.all)
			gates[i].Says = t.words()
		}
	}
}

// words describes the steps: "2 of 3 ran, 1 changed the object".
func (t tally) words() string {
	parts := []string{fmt.Sprintf("%d of %d ran", t.ran, t.all)}
	if t.changed > 0 {
		parts = append(parts, fmt.Sprintf("%d changed the object", t.changed))
	}
	if t.warned > 0 {
		parts = append(parts, fmt.Sprintf("%d with a warning or an ignored failure", t.warned))
	}
	return strings.Join(parts, ", ")
}

func stepState(s report.Step) State {
	switch s.State() {
	case report.StepDenied:
		return Stopped
	case report.StepMutated:
		return Changed
	case report.StepFailed, report.StepWarned, report.StepAudited:
		return Warned
	case report.StepNotMatched, report.StepExcluded, report.StepSkipped, report.StepNotCalled:
		return Hollow
	}
	return Passed
}

// order ranks states by importance.
var order = []State{Hollow, Passed, Changed, Warned, Stopped}

func worse(a, b State) bool { return slices.Index(order, a) > slices.Index(order, b) }

// stoppedAt returns the gate at which a request ended.
func stoppedAt(r *report.Report) int {
	if i := r.Outcome.DecidedBy; i >= 0 && i < len(r.Steps) {
		return gateOf(r.Steps[i])
	}
	if r.Object == nil && r.Mutated == nil && len(r.Steps) == 0 {
		return requestGate // it did not decode as an object of its kind
	}
	return storageGate
}

// stop ends the path at a gate.
func stop(gates []Gate, at int) {
	gates[at].State = Stopped
	if says := gates[at].Says; at == requestGate || at == defaultsGate || at == storageGate {
		gates[at].Says = "the request is denied here"
	} else {
		gates[at].Says = "denied here, " + says
	}
	for i := at + 1; i < answerGate; i++ {
		gates[i].State = Hollow // not reached
	}
	gates[answerGate].State = Stopped
}

func requestWords(q *report.Request) string {
	_, resource, _ := strings.Cut(q.Resource, "Resource=")
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", q.Operation, resource, q.Name))
}

// answerWords describes the verdict.
func answerWords(r *report.Report) string {
	o, word := r.Outcome, "denied"
	switch {
	case o.State == report.StateUndecided:
		return "undecided"
	case o.State == report.StatePolicyRefused && r.KindRefused():
		return "404 without the rejected documents"
	case o.Allowed && o.State == report.StatePolicyRefused:
		word = "admitted without the rejected documents"
	case o.Allowed && o.State == report.StateNoPolicyRan:
		word = "admitted, no policy ran"
	case o.Allowed && o.State == report.StateNoPolicies:
		word = "admitted, no policies"
	case o.Allowed && o.Mutated:
		word = "admitted and mutated"
	case o.Allowed:
		word = "admitted"
	}
	if o.Code == 0 {
		return word
	}
	return fmt.Sprintf("%s, %d", word, o.Code)
}

// Words describes the whole path, for people who do not see the picture.
func Words(gates []Gate) string {
	parts := make([]string, len(gates))
	for i, g := range gates {
		parts[i] = g.Name + ": " + g.Says
	}
	return strings.Join(parts, "; ")
}
