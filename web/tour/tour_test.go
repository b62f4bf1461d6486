package tour

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/bridge"
)

func lessons(t *testing.T) []Lesson {
	t.Helper()
	list, err := Read(os.DirFS("../../tour"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// failed asks the engine as the page does, and names the checks that are not passed.
func failed(t *testing.T, l Lesson, written scenario.Scenario) []string {
	t.Helper()
	var out []string
	for _, c := range l.Checks {
		var detail []byte
		passed := false
		for _, tried := range c.Cases(l, written) {
			r := run(t, written, tried)
			passed = passed || r.Status != bridge.CaseFailed
			detail, _ = json.Marshal(r)
		}
		if !passed {
			out = append(out, c.Name+" "+string(detail))
		}
	}
	return out
}

func run(t *testing.T, written scenario.Scenario, c bridge.Case) bridge.CaseResult {
	t.Helper()
	call, err := json.Marshal(map[string]any{
		"method": "cases/run",
		"params": bridge.CasesRun{Scenario: written, Cases: []bridge.Case{c}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result bridge.CasesResults
		Error  string
	}
	if err := json.Unmarshal([]byte(bridge.Call(context.Background(), string(call))), &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error != "" || len(reply.Result.Results) != 1 {
		t.Fatalf("%s: %+v", c.Name, reply)
	}
	return reply.Result.Results[0]
}

func TestTheTourHasTwelveSteps(t *testing.T) {
	if n := len(lessons(t)); n != 12 {
		t.Errorf("it has %d", n)
	}
}

func TestStartsFailAndSolutionsPass(t *testing.T) {
	for _, l := range lessons(t) {
		if len(failed(t, l, l.Start)) == 0 {
			t.Errorf("%s: the start passes all checks already", l.Slug)
		}
		for _, f := range failed(t, l, l.Solution) {
			t.Errorf("%s: the solution fails: %s", l.Slug, f)
		}
	}
}

// TestCheatsFail takes away what the reader must not take away: each document of the
// policies, the effect of each binding, and everything.
func TestCheatsFail(t *testing.T) {
	for _, l := range lessons(t) {
		for name, policies := range cheats(l.Solution.Policies) {
			written := l.Solution
			written.Policies = policies
			if l.Show == "request" {
				// The reader may change the request alone; the policies were changed as well.
				written.Request = l.Start.Request
			}
			if len(failed(t, l, written)) == 0 {
				t.Errorf("%s: passes with %s", l.Slug, name)
			}
		}
		empty := l.Solution
		empty.Request = ""
		if l.Show == "request" && len(failed(t, l, empty)) == 0 {
			t.Errorf("%s: passes without a request", l.Slug)
		}
	}
}

// cheats are policies without one of their documents, without any, and with bindings
// that only write into the audit log.
func cheats(policies string) map[string]string {
	const conditions = "  matchConditions:\n"
	never := conditions + "  - {name: never, expression: \"false\"}\n"
	out := map[string]string{"no policies at all": ""}
	if strings.Contains(policies, conditions) {
		out["a condition that is never true"] = strings.ReplaceAll(policies, conditions, never)
	} else {
		out["a condition that is never true"] = strings.ReplaceAll(policies, "  matchConstraints:\n", never+"  matchConstraints:\n")
	}
	if strings.Contains(policies, "[Deny]") {
		out["bindings that only audit"] = strings.ReplaceAll(policies, "[Deny]", "[Audit]")
	}
	docs := strings.Split(policies, "---\n")
	for i := range docs {
		if strings.Contains(docs[i], "name: traced") {
			continue // it is not the reader's
		}
		rest := append(append([]string{}, docs[:i]...), docs[i+1:]...)
		out["document "+string(rune('1'+i))+" taken away"] = strings.Join(rest, "---\n")
	}
	return out
}

// TestSettingsDoNotHelp makes the scenario one that is evaluated differently.
func TestSettingsDoNotHelp(t *testing.T) {
	for _, l := range lessons(t) {
		if l.Slug != "versions" {
			continue
		}
		newest := l.Start
		newest.Kubernetes = scenario.Versions()[len(scenario.Versions())-1]
		if len(failed(t, l, newest)) == 0 {
			t.Error("another version of the page passes the checks")
		}
	}
}

func TestReadSaysWhatIsMissing(t *testing.T) {
	if _, err := Read(os.DirFS(t.TempDir())); err == nil {
		t.Error("an empty folder is a tour")
	}
}
