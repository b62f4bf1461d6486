package bridge

import (
	"strings"
	"testing"
)

func TestPropose(t *testing.T) {
	const before = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {a: b}\n"
	request := map[string]any{"request": before}
	for name, params := range map[string]map[string]any{
		"object": {"scenario": request, "after": strings.Replace(before, "a: b", "a: c", 1)},
		"patch":  {"scenario": request, "patch": `[{"op": "replace", "path": "/data/a", "value": "c"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			var got Proposed
			if msg := callWith(t, "propose", params, &got); msg != "" {
				t.Fatal(msg)
			}
			if !got.ApplyConfiguration.Verified || !got.JSONPatch.Verified {
				t.Errorf("got %+v", got)
			}
			if !strings.Contains(got.HTML, "tried out") || !strings.Contains(got.HTML, "data-use-policy") {
				t.Errorf("html: %s", got.HTML)
			}
		})
	}
	for name, params := range map[string]map[string]any{
		"no change":       {"scenario": request},
		"broken object":   {"scenario": request, "after": "{"},
		"broken patch":    {"scenario": request, "patch": "{}"},
		"nothing to read": {"after": before},
	} {
		t.Run(name, func(t *testing.T) {
			if msg := callWith(t, "propose", params, nil); msg == "" {
				t.Error("no error")
			}
		})
	}
}
