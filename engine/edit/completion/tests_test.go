package completion_test

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestTests: | is the cursor; the labels that must come first, and labels that must not come.
func TestTests(t *testing.T) {
	c, err := completion.New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	code := 422
	now := &report.Report{Outcome: report.Outcome{Allowed: false, Code: code, Message: "no: root"},
		Steps: []report.Step{{Policy: "a"}, {Policy: "b"}}}
	s := scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a/b: c}}\nspec: {containers: [{name: x}]}\n"}
	for name, test := range map[string]struct{ file, text, want, never string }{
		"a case's fields":            {"cases.yaml", "- name: a\n  |", "expected set remove file request", "name"},
		"what a report has":          {"cases.yaml", "- name: a\n  expected:\n    |", "kubernetes release request outcome", "name"},
		"fields of the outcome":      {"cases.yaml", "- name: a\n  expected:\n    outcome:\n      |", "state stateReason kubectl unmatched allowed", "outcome"},
		"a field that is begun":      {"cases.yaml", "- name: a\n  expected:\n    outcome:\n      all|", "state stateReason kubectl unmatched allowed", ""},
		"the value that it has":      {"cases.yaml", "- name: a\n  expected:\n    outcome:\n      allowed: |", "false true", ""},
		"a number":                   {"expected.yaml", "outcome:\n  code: |", "422", ""},
		"a text with a colon":        {"expected.yaml", "outcome:\n  message: |", `'no: root'`, ""},
		"one of a list":              {"expected.yaml", "steps:\n- policy: |", "a b", ""},
		"in braces":                  {"expected.yaml", "outcome: {allowed: |}", "false true", ""},
		"pointers to set":            {"cases.yaml", "- name: a\n  set:\n    |", "/apiVersion /kind /metadata/labels/a~1b /metadata/name /spec/containers/0/name", ""},
		"pointers to remove":         {"cases.yaml", "- name: a\n  remove: [|]", "/apiVersion /kind", ""},
		"a request is a manifest":    {"cases.yaml", "- name: a\n  request:\n    apiVersion: v1\n    kind: Pod\n    spec:\n      |", "volumes initContainers containers", "expected"},
		"nothing for a case's name":  {"cases.yaml", "- name: |", "", ""},
		"nothing in a field unknown": {"expected.yaml", "outcom:\n  |", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			offset := strings.IndexByte(test.text, '|')
			text := test.text[:offset] + test.text[offset+1:]
			found, err := c.Tests(s, test.file, text, offset, func(int) (*report.Report, error) { return now, nil })
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, item := range found.Items {
				labels = append(labels, item.Label)
				if item.Label == test.never {
					t.Errorf("offers %s", item.Label)
				}
			}
			got := strings.Join(labels, " ")
			if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("offers %q, want %q first", got, test.want)
			}
		})
	}
}
