package probe_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/probe"
	"github.com/preadmit/preadmit/engine/report"
)

// part is a part of an expression, of which only the place matters where it is a literal.
func part(kind, name string, children ...report.Node) report.Node {
	return report.Node{Kind: kind, Name: name, Children: children}
}

// TestOf looks at the requests that are made for expressions.
func TestOf(t *testing.T) {
	object, replicas := part("variable", "object"), part("select", "replicas", part("variable", "object"))
	item := part("select", "image", part("variable", "c"))
	for what, c := range map[string]struct {
		expression string // of which literals are read
		tree       report.Node
		request    string
		want       []string
		whole      bool
	}{
		"a comparison with a number": {
			"5", part("call", "_<=_", replicas, report.Node{Kind: "literal", Start: 0, End: 1}), `{"object":{"replicas":1}}`,
			[]string{`{"object":{"replicas":4}}`, `{"object":{"replicas":5}}`, `{"object":{"replicas":6}}`, `{"object":{}}`}, true,
		},
		"an item of a list": {
			"'a'", part("macro", "all", part("select", "list", object), part("declared", "c"), part("call", "startsWith", item, report.Node{Kind: "literal", Start: 0, End: 3})),
			`{"object":{"list":[{"image":"b"}]}}`,
			[]string{`{"object":{"list":[{"image":"ax"}]}}`, `{"object":{"list":[{"image":"xa"}]}}`, `{"object":{}}`, `{"object":{"list":[{}]}}`}, true,
		},
		"a field that is asked for": {
			"has(object.a)", report.Node{Kind: "macro", Name: "has", End: 13, Children: []report.Node{{Kind: "variable", Name: "object", Start: 4, End: 10}}}, `{"object":{}}`,
			[]string{`{"object":{"a":"1"}}`, `{"object":{"a":1}}`, `{"object":{"a":true}}`, `{"object":{"a":["x"]}}`, `{"object":{"a":[]}}`, `{"object":{"a":[{}]}}`, `{"object":{"a":{"x":"x"}}}`, `{"object":{"a":{}}}`}, true,
		},
		"a function that is not known": {"", part("call", "matches", replicas), `{"object":{"replicas":1}}`, []string{`{"object":{}}`}, false},
		"a deletion":                   {"", replicas, `{"object":null}`, nil, false},
		"something else":               {"", part("select", "data", part("variable", "params")), `{"object":{}}`, nil, false},
	} {
		var request map[string]any
		if err := json.Unmarshal([]byte(c.request), &request); err != nil {
			t.Fatal(err)
		}
		set := probe.Of(&report.Evaluation{Expression: c.expression, Children: []report.Node{c.tree}}, request)
		var got []string
		for _, p := range set.Probes {
			text, err := json.Marshal(p.Request)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || set.Whole != c.whole {
			t.Errorf("%s: %q, whole %v, want %q, whole %v", what, got, set.Whole, c.want, c.whole)
		}
		if text, err := json.Marshal(request); err != nil || string(text) != c.request {
			t.Errorf("%s: the request was changed to %s (%v)", what, text, err)
		}
	}
}

// TestValuesStay looks for a value to try as it is: it is not changed by what is set below it.
func TestValuesStay(t *testing.T) {
	object := report.Node{Kind: "variable", Name: "object", Start: 4, End: 10}
	labels := report.Node{Kind: "select", Name: "labels", Children: []report.Node{object}}
	asked := report.Node{Kind: "macro", Name: "has", End: 18, Children: []report.Node{object}}
	team := report.Node{Kind: "index", Children: []report.Node{labels, {Kind: "literal", Value: "team"}}}
	e := &report.Evaluation{Expression: "has(object.labels)", Children: []report.Node{part("logical", "_&&_", asked, team)}}
	want := map[string]any{"object": map[string]any{"labels": map[string]any{"x": "x"}}}
	set := probe.Of(e, map[string]any{"object": map[string]any{}})
	if !slices.ContainsFunc(set.Probes, func(p probe.Probe) bool { return reflect.DeepEqual(p.Request, want) }) {
		t.Errorf("%v is not among %v", want, set.Probes)
	}
}
