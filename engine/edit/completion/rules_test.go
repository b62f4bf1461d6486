package completion

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// ruleAt is a definition with rules at the root, at the spec, at the items of a list
// and at a number; one of them is given, with the mark of the cursor, the others
// hold always.
func ruleAt(place, rule string) string {
	text := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: ROOT
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: SPEC
              optionalOldSelf: OPTIONAL
            properties:
              replicas: {type: integer, x-kubernetes-validations: [{rule: "NUMBER"}]}
              with-dash: {type: string}
              class:
                type: string
                x-kubernetes-validations:
                - rule: TEXT
              since: {type: string, format: date-time}
              items:
                type: array
                items:
                  type: object
                  x-kubernetes-validations:
                  - rule: "true"
                    messageExpression: ITEM
                  properties: {port: {type: integer}, labels: {type: object, additionalProperties: {type: string}}}
`
	text = strings.Replace(text, "OPTIONAL", map[bool]string{true: "true", false: "false"}[strings.Contains(rule, "optional")], 1)
	for _, name := range []string{"ROOT", "SPEC", "NUMBER", "TEXT", "ITEM"} {
		with := "true"
		if name == place {
			with = strings.Replace(rule, "|", cursorMark, 1)
		}
		text = strings.Replace(text, name, with, 1)
	}
	return text
}

func TestRules(t *testing.T) {
	for name, test := range map[string]struct {
		place, rule string
		want, not   []string
	}{
		"what there is":          {"SPEC", "|", []string{"self", "oldSelf", "size", "has"}, []string{"object", "request", "variables"}},
		"fields of the spec":     {"SPEC", "self.|", []string{"replicas", "items", "since"}, []string{"metadata"}},
		"a name that is escaped": {"SPEC", "self.with|", []string{"with__dash__dash"}, nil},
		"a date is a time":       {"SPEC", "self.since.|", []string{"getFullYear"}, []string{"startsWith"}},
		"the root":               {"ROOT", "self.|", []string{"spec", "metadata", "kind"}, nil},
		"metadata":               {"ROOT", "self.metadata.|", []string{"name", "generateName"}, []string{"labels"}},
		"below the root":         {"ROOT", "self.spec.items.all(i, i.|", []string{"port", "labels"}, nil},
		"from before":            {"SPEC", "oldSelf.|", []string{"replicas"}, []string{"hasValue"}},
		"an optional one":        {"SPEC", "oldSelf.| # optional", []string{"hasValue", "value", "orValue"}, nil},
		"a message of an item":   {"ITEM", "self.|", []string{"port", "labels"}, []string{"replicas"}},
		"an item's map":          {"ITEM", "self.labels.|", []string{"all", "size"}, nil},
		"a text":                 {"SPEC", "self.class == 'a' && self.class.|", []string{"startsWith"}, []string{"asInteger"}},
		"what a number has":      {"NUMBER", "self.|", nil, []string{"asInteger", "startsWith"}},
		"what a text has":        {"TEXT", "self == oldSelf && self.|", []string{"startsWith"}, []string{"asInteger"}},
		"a number":               {"NUMBER", "|", []string{"self", "oldSelf"}, []string{"object"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s scenario.Scenario
			var offset int
			s.Cluster, offset = cut(t, ruleAt(test.place, test.rule))
			r, err := completer(t, "1.36").Complete(s, diag.Cluster, offset)
			if err != nil {
				t.Fatal(err)
			}
			got := labels(r.Items)
			for _, want := range test.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is missing in %q", want, got)
				}
			}
			for _, not := range test.not {
				if slices.Contains(got, not) {
					t.Errorf("%s is offered", not)
				}
			}
		})
	}
}

func TestHoverInRules(t *testing.T) {
	for rule, want := range map[string]string{
		"se|lf.replicas < 5":         "self: ",
		"self.repli|cas < 5":         "replicas: integer",
		"self.items.al|l(i, true)":   "all(",
		"oldS|elf.replicas == 1":     "oldSelf: ",
		"self.since.getFull|Year()":  "getFullYear(",
		"self.items[0].po|rt == 100": "port: integer",
	} {
		t.Run(rule, func(t *testing.T) {
			var s scenario.Scenario
			var offset int
			s.Cluster, offset = cut(t, ruleAt("SPEC", rule))
			help, err := completer(t, "1.36").Hover(s, diag.Cluster, offset)
			if err != nil || help == nil {
				t.Fatalf("no help (%v)", err)
			}
			if !strings.HasPrefix(help.Title, want) {
				t.Errorf("got %q", help.Title)
			}
		})
	}
}

// TestRuleInRequest: a definition may be the object of the request.
func TestRuleInRequest(t *testing.T) {
	var s scenario.Scenario
	var offset int
	s.Request, offset = cut(t, ruleAt("SPEC", "self.|"))
	r, err := completer(t, "1.36").Complete(s, diag.Request, offset)
	if err != nil || !slices.Contains(labels(r.Items), "replicas") {
		t.Errorf("%v %q", err, labels(r.Items))
	}
}
