package engine_test

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestSeveralObjects: a request text with more than the request has repairs that
// leave one request, and lose nothing that belongs elsewhere.
func TestSeveralObjects(t *testing.T) {
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: payments}\n"
	const other = "apiVersion: v1\nkind: Pod\nmetadata: {name: db, namespace: payments}\nspec: {containers: [{name: db, image: db}]}\n"
	policies := policyOf("s", "", "true", "object.metadata.name == 'web'")
	for name, c := range map[string]struct {
		s      scenario.Scenario
		titles []string
		states []report.State
	}{
		"beside its Namespace": {scenario.Scenario{Policies: policies, Request: namespace + "---\n" + statePod},
			[]string{"Move the other documents to their files"}, []report.State{report.StateAdmitted}},
		"with its policy": {scenario.Scenario{Request: statePod + "---\n" + policies},
			[]string{"Move the other documents to their files"}, []report.State{report.StateAdmitted}},
		"policies and nothing else": {scenario.Scenario{Request: policies}, []string{"Move them to where they belong"}, []report.State{report.StateNoRequest}},
		"two Pods":                  {scenario.Scenario{Policies: policies, Request: statePod + "---\n" + other}, []string{"Keep Pod/web", "Keep Pod/db"}, []report.State{report.StateAdmitted, report.StateDenied}},
		"a List": {scenario.Scenario{Policies: policies, Request: `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "payments"}, "spec": {"containers": [{"name": "a", "image": "a"}]}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "payments"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}]}`},
			[]string{"Keep Pod/web", "Keep Pod/db"}, []report.State{report.StateAdmitted, report.StateDenied}},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluated(t, c.s)
			i := slices.IndexFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.SeveralRequests })
			if i < 0 {
				t.Fatalf("%v", r.Diagnostics)
			}
			var titles []string
			for j, fix := range r.Diagnostics[i].Fixes {
				titles = append(titles, fix.Title)
				if after := evaluated(t, applied(t, c.s, fix)); j < len(c.states) && after.Outcome.State != c.states[j] {
					t.Errorf("%s: %s, %v", fix.Title, after.Outcome.State, after.Diagnostics)
				}
			}
			if !slices.Equal(titles, c.titles) {
				t.Errorf("titles %q", titles)
			}
		})
	}
}
