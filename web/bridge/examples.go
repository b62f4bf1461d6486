package bridge

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

const (
	// examplesSlice limits the time of one call, because the user may press a key meanwhile.
	examplesSlice = 12 * time.Millisecond
	// examplesTried is how many requests are evaluated for each of the two verdicts.
	examplesTried = 400
)

// Exampled is the reply to examples: requests that the policies deny and admit, for a scenario
// without a request.
type Exampled struct {
	// Done is false if repeating the call would continue the search.
	Done bool `json:"done"`
	// HTML shows the requests found. Scenarios has the scenario with each of them, and with a
	// binding for each policy that has none.
	HTML      string              `json:"html,omitempty"`
	Scenarios []scenario.Scenario `json:"scenarios,omitempty"`
}

// examplesSearch is the current search for a scenario.
type examplesSearch struct {
	sync.Mutex
	wanted scenario.Scenario
	// bound is wanted with a binding for each policy.
	bound  scenario.Scenario
	search *ask.Examples
}

var examplesOf examplesSearch

// findExamples looks for requests that the policies deny and one that they admit, a slice of it
// with every call. The first call only compiles.
func findExamples(ctx context.Context, wanted scenario.Scenario) (Exampled, error) {
	e := &examplesOf
	e.Lock()
	defer e.Unlock()
	if e.search == nil || !reflect.DeepEqual(e.wanted, wanted) {
		return Exampled{Done: !e.begin(wanted)}, nil
	}
	start := time.Now()
	done, err := e.search.Step(func() bool { return time.Since(start) > examplesSlice })
	if !done {
		return Exampled{}, nil
	}
	found := append(slices.Clone(e.search.Denied), e.search.Admitted)
	e.search.Stop()
	e.search = nil
	if err != nil {
		return Exampled{}, err
	}
	out := Exampled{Done: true}
	shown := make([]html.Example, len(found))
	for i, answer := range found {
		shown[i] = html.Example{Found: answer.Found, Tried: answer.Tried, Request: answer.Request, Report: answer.Report, Index: len(out.Scenarios)}
		if answer.Found {
			s := e.bound
			s.Request = answer.Request
			out.Scenarios = append(out.Scenarios, s)
		}
	}
	var b strings.Builder
	err = html.Examples(shown[:len(shown)-1], shown[len(shown)-1], e.bound.Policies != wanted.Policies).Render(ctx, &b)
	out.HTML = b.String()
	return out, err
}

// begin compiles, and reports whether there are policies.
func (e *examplesSearch) begin(wanted scenario.Scenario) bool {
	if e.search != nil {
		e.search.Stop()
		e.search = nil
	}
	bound := withBindings(wanted)
	configuration, problems := engine.Compile(bound)
	if configuration == nil || diag.HasErrors(problems) || bound.Policies == "" {
		return false
	}
	e.wanted, e.bound = wanted, bound
	e.search = ask.NewExamples(configuration, examplesTried)
	return true
}

// withBindings adds a denying binding for each policy without one.
func withBindings(s scenario.Scenario) scenario.Scenario {
	docs, _ := scenario.ParseDocuments(diag.Policies, s.Policies) // the compiler reports problems
	bound := map[string]bool{}
	for _, d := range docs {
		if kind, ok := strings.CutSuffix(d.Kind, "Binding"); ok {
			spec, _ := d.Value["spec"].(map[string]any)
			name, _ := spec["policyName"].(string)
			bound[kind+"/"+name] = true
		}
	}
	for _, d := range docs {
		actions, known := map[string]string{"ValidatingAdmissionPolicy": "  validationActions: [Deny]\n", "MutatingAdmissionPolicy": ""}[d.Kind]
		if !known || d.Name == "" || bound[d.Kind+"/"+d.Name] {
			continue
		}
		apiVersion, _ := d.Value["apiVersion"].(string)
		document := "apiVersion: " + apiVersion + "\nkind: " + d.Kind + "Binding\nmetadata:\n  name: " + d.Name + "\nspec:\n  policyName: " + d.Name + "\n" + actions
		s.Policies += scenario.AtEnd(diag.Policies, s.Policies, document).New
	}
	return s
}
