package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
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
			if !strings.Contains(got.Policies["applyConfiguration"], "MutatingAdmissionPolicy") || !strings.Contains(got.Policies["jsonPatch"], "MutatingAdmissionPolicy") {
				t.Errorf("got %+v", got)
			}
			if !strings.Contains(got.HTML, "tried: makes exactly this change") || !strings.Contains(got.HTML, `data-policy="jsonPatch" data-do="add"`) {
				t.Errorf("html: %s", got.HTML)
			}
		})
	}
	for name, params := range map[string]map[string]any{
		"no change":       {"scenario": request},
		"two objects":     {"scenario": request, "after": before + "---\n" + before},
		"no webhook":      {"scenario": request, "webhook": map[string]any{"name": "w"}},
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

func TestProposeForBrokenObject(t *testing.T) {
	var got Proposed
	params := map[string]any{"scenario": map[string]any{"request": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"}, "after": "a: 1\nb: ["}
	if msg := callWith(t, "propose", params, &got); msg != "" {
		t.Fatal(msg)
	}
	if len(got.Problems) == 0 || got.Problems[0].Line == 0 || got.HTML != "" {
		t.Errorf("got %+v", got)
	}
}

func TestProposeForWebhook(t *testing.T) {
	var got Proposed
	params := map[string]any{"scenario": example(t, "reinvocation"), "webhook": map[string]any{"configuration": "mesh", "name": "inject.mesh.example.com"}}
	if msg := callWith(t, "propose", params, &got); msg != "" {
		t.Fatal(msg)
	}
	if got.Policies["jsonPatch"] == "" || got.Place == nil || !strings.Contains(got.HTML, `data-do="replace"`) {
		t.Errorf("got %+v", got)
	}
}

// The webhook's response is removed with it, and no other document changes.
func TestAnswerOf(t *testing.T) {
	const answer = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: a.example.com\nspec:\n  allowed: true\n"
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n"
	for _, test := range []struct{ policies, cluster, want string }{
		{"name: a.example.com", answer, ""},
		{"name: a.example.com", namespace + "---\n" + answer, namespace},
		{"name: a.example.com", answer + "---\n" + namespace, namespace},
		{"name: a.example.com", namespace + "---\n" + answer + "---\n" + namespace, namespace + "---\n" + namespace},
		{"name: a.example.com\nname: a.example.com", answer, answer},
		{"name: b.example.com", namespace, namespace},
	} {
		got := test.cluster
		if span := answerOf(scenario.Scenario{Policies: test.policies, Cluster: test.cluster}, "a.example.com"); span != nil {
			got = got[:span.Start] + got[span.End:]
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.cluster, got, test.want)
		}
	}
}

func TestProposeSkipping(t *testing.T) {
	var got Proposed
	params := map[string]any{"scenario": example(t, "reinvocation"), "skip": map[string]any{"configuration": "mesh", "name": "inject.mesh.example.com"}}
	if msg := callWith(t, "propose", params, &got); msg != "" {
		t.Fatal(msg)
	}
	if !strings.Contains(got.Policies["skip-copy-0"], "name: not-set-yet") || !strings.Contains(got.Policies["skip-add-0"], "matchConditions:") || got.Place == nil ||
		!strings.Contains(got.HTML, "This webhook can be skipped when the fields that it sets already have these values: spec.containers") {
		t.Errorf("got %+v", got)
	}
}
