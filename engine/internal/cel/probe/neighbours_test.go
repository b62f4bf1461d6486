package probe_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/probe"
	"github.com/preadmit/preadmit/engine/report"
)

// TestAround: fields on the way of a JSON pointer are absent, have another entry, one item less and
// one more.
func TestAround(t *testing.T) {
	pointer := "/metadata/labels/team"
	list := "/spec/containers/1/image"
	e := &report.Evaluation{Expression: `["` + pointer + `", "` + list + `"]`, Children: []report.Node{
		{Kind: "list", Children: []report.Node{{Kind: "literal", Value: pointer}, {Kind: "literal", Value: list}}},
	}}
	object := func(labels, containers string) map[string]any {
		var out map[string]any
		text := `{"object": {"metadata": {"name": "a"` + labels + `}, "spec": {"containers": [` + containers + `]}}}`
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const first, second = `{"name": "a", "image": "i"}`, `{"name": "b", "image": "i"}`
	var got []string
	for _, r := range probe.Around([]*report.Evaluation{e}, object(`, "labels": {"app": "b"}`, first+","+second)) {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	for what, want := range map[string]map[string]any{
		"no labels":     object("", first+","+second),
		"another label": object(`, "labels": {"x": "x"}`, first+","+second),
		"one item less": object(`, "labels": {"app": "b"}`, first),
		"one item more": object(`, "labels": {"app": "b"}`, first+","+second+`,{"name": "x", "image": "i"}`),
		"no image":      object(`, "labels": {"app": "b"}`, `{"name": "a"},{"name": "b"}`),
	} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(got, string(text)) {
			t.Errorf("%s: no request %s among %q", what, text, got)
		}
	}
}
