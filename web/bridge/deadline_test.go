package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// dear is a scenario that cannot be evaluated within a call's time.
var dear = scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b}]}\n"}

// withoutTime lets every call's time expire before it begins.
func withoutTime(t *testing.T) {
	t.Helper()
	once, several := evaluationTime, severalTime
	t.Cleanup(func() { evaluationTime, severalTime = once, several })
	evaluationTime, severalTime = -1, -1
}

// An evaluation whose time expires returns a partial result, and says so.
func TestEvaluateDeadline(t *testing.T) {
	withoutTime(t)
	out, err := evaluate(context.Background(), EvaluateParams{Scenario: dear, Parts: []html.Part{html.StepsPart}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Report.Diagnostics) == 0 || !strings.Contains(out.Report.Diagnostics[0].Summary, "it took longer than Preadmit's time limit") {
		t.Errorf("the problems are %v", out.Report.Diagnostics)
	}
}

// All other calls that evaluate also end when their time expires, with a result or an error.
// Otherwise the page would terminate the worker.
func TestDeadlineOfOtherCalls(t *testing.T) {
	withoutTime(t)
	ctx := context.Background()
	change := `[{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]`
	hooked := dear
	hooked.Policies = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: c}
webhooks:
- name: w.example.com
  clientConfig: {url: "https://w.example.com"}
  sideEffects: None
  admissionReviewVersions: [v1]
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`
	cases := []Case{{Name: "a", Request: dear.Request, Expected: "outcome: {state: admitted}\n"}}
	for name, call := range map[string]struct {
		make func() (any, error)
		want string // in the reply or the error
	}{
		"growth":   {func() (any, error) { return searchLimits(ctx, dear) }, `"done":true`},
		"a case":   {func() (any, error) { return runCases(ctx, CasesRun{Scenario: dear, Cases: cases}) }, "it took longer than Preadmit's time limit"},
		"pin":      {func() (any, error) { return pin(ctx, dear) }, "it took longer than Preadmit's time limit"},
		"coverage": {func() (any, error) { return coverCases(ctx, CoverageRun{Scenario: dear, Cases: cases}) }, `"done":1`},
		"versions": {func() (any, error) { return versionRows(ctx, dear) }, "undecided"},
		"repairs":  {func() (any, error) { return fixAll(ctx, FixAllParams{Scenario: dear}) }, `"errors":1`},
		"a table":  {func() (any, error) { return tableOf(ctx, dear) }, "it took longer than Preadmit's time limit"},
		"a patch":  {func() (any, error) { return proposePolicies(ctx, ProposeParams{Scenario: dear, Patch: &change}) }, "it took longer than Preadmit's time limit"},
		"an object": {func() (any, error) {
			after := strings.Replace(dear.Request, "image: b", "image: c", 1)
			return proposePolicies(ctx, ProposeParams{Scenario: dear, After: &after})
		}, "it took longer than Preadmit's time limit"},
		"a webhook": {func() (any, error) {
			return proposePolicies(ctx, ProposeParams{Scenario: hooked, Webhook: &WebhookName{Configuration: "c", Name: "w.example.com"}})
		}, "it took longer than Preadmit's time limit"},
		"fewer calls": {func() (any, error) {
			return proposePolicies(ctx, ProposeParams{Scenario: hooked, Skip: &WebhookName{Configuration: "c", Name: "w.example.com"}})
		}, "it took longer than Preadmit's time limit"},
		"what if": {func() (any, error) { return whatIf(ctx, WhatIfParams{Left: dear, Right: dear}) }, "html"},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := call.make()
			text, _ := json.Marshal(reply)
			if got := fmt.Sprint(string(text), err); !strings.Contains(got, call.want) {
				t.Errorf("there is no %q in %s", call.want, got)
			}
		})
	}
}

// tableOf evaluates a table of one row.
func tableOf(ctx context.Context, s scenario.Scenario) (TableRows, error) {
	const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}` + "\n"
	read, err := readTable(ctx, TableText{File: "a.json", Text: object, Last: true})
	if err != nil {
		return TableRows{}, err
	}
	return runTable(ctx, TableRun{Table: read.Table, Scenario: &s})
}
