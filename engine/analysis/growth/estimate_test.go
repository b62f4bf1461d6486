package growth

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// slow are requests that spend whole budgets again and again. Most of the time of this
// test went into them, and they have no kind of expression of their own.
var slow = []string{"m42-map-budget-per-mutation", "v28-overall-budget", "v31-overall-budget-ignore", "v12-budget", "v13-budget-ignore", "v14-budget-then-deny", "budget-ignore", "m26-budget"}

// TestEstimateIsNeverTooLow compares the static estimate with the costs of the
// recorded requests, as versions with other cost functions count them.
func TestEstimateIsNeverTooLow(t *testing.T) {
	compared, unbounded := 0, 0
	every, atLeast := 3, 400
	switch {
	case runtime.GOOS == "js":
		every, atLeast = 25, 40
	case variants.Full():
		every, atLeast = 1, 1500
	}
	for i, s := range recordedScenarios(t) {
		if i%every != 0 || slices.ContainsFunc(slow, func(name string) bool { return strings.HasPrefix(s.Title, name) }) {
			continue
		}
		for _, version := range []string{"1.31", "1.37"} {
			s.Kubernetes = version
			recorded, err := engine.EvaluateRecorded(context.Background(), s, engine.Options{Safety: true})
			if err != nil {
				t.Fatal(err)
			}
			New(recorded, 0).Step(never)
			for i := range recorded.Report.Steps {
				recorded.Report.Steps[i].Evaluations(func(e *report.Evaluation) {
					switch {
					case e.Outlook == nil || e.Cost < 0:
					case e.Outlook.Max < 0:
						unbounded++
					case strings.Contains(e.Expression, "lists.range(-1)"):
						// An error whose cost cel-go estimates one too low.
					case e.Outlook.Max < e.Cost:
						t.Errorf("%s, %s: estimated %d, but it costs %d: %s", s.Title, version, e.Outlook.Max, e.Cost, e.Expression)
					default:
						compared++
					}
				})
			}
		}
	}
	t.Logf("%d evaluations cost no more than estimated, %d have no bound", compared, unbounded)
	if compared < atLeast || unbounded > compared/4 {
		t.Errorf("%d evaluations were compared, %d have no bound", compared, unbounded)
	}
}

// recordedScenarios are the recorded requests of a real server, with their title
// as file and name.
func recordedScenarios(t *testing.T) []scenario.Scenario {
	t.Helper()
	var out []scenario.Scenario
	root := filepath.Join("..", "..", "testdata", "vectors")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v struct {
			Policies, Cluster string
			Requests          []struct {
				Name    string
				Request map[string]any
			}
		}
		if err := yaml.Unmarshal(data, &v); err != nil {
			return err
		}
		for _, r := range v.Requests {
			review, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": r.Request})
			if err != nil {
				return err
			}
			out = append(out, scenario.Scenario{Title: filepath.Base(path) + " " + r.Name, Policies: v.Policies, Cluster: v.Cluster, Request: string(review), Now: "2026-01-01T00:00:00Z"})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
