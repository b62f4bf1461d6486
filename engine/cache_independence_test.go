package engine

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// An engine that has evaluated other scenarios before gives the same reports as
// one that has not.

// TestVectorsInAnyOrder evaluates the recorded requests in a random order, each
// with what the others left behind, and then each alone.
func TestVectorsInAnyOrder(t *testing.T) {
	skipShort(t)
	var scenarios []scenario.Scenario
	for _, path := range vectorFiles(t) {
		if strings.Contains(path, "budget") {
			continue // they take seconds
		}
		v := readVector(t, path)
		for i, r := range v.Requests {
			if i == 0 || i == 1 && variants.Full() { // the policies are the same in all
				scenarios = append(scenarios, scenarioOf(t, v, r))
			}
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(scenarios), func(i, j int) { scenarios[i], scenarios[j] = scenarios[j], scenarios[i] })
	sameAlone(t, Options{Safety: true}, scenarios)
}

// TestEditsInSequence evaluates examples while their texts are changed at
// random, as one does while typing, and then each state alone.
func TestEditsInSequence(t *testing.T) {
	skipShort(t)
	paths, err := filepath.Glob("../examples/*/request.yaml")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	var states []scenario.Scenario
	random := rand.New(rand.NewPCG(3, 4))
	sequences := 10
	if variants.Full() {
		sequences = 40
	}
	for range sequences {
		s := readExample(t, filepath.Dir(paths[random.IntN(len(paths))]))
		for range 8 {
			states = append(states, s)
			text := []*string{&s.Policies, &s.Request, &s.Cluster}[random.IntN(3)]
			before := *text
			*text = edited(random, before)
			if random.IntN(4) == 0 {
				undone := s
				*text = before
				states = append(states, undone, s)
			}
		}
	}
	sameAlone(t, Everything(), states)
}

// skipShort skips what is the same under js/wasm as natively: caches know nothing of
// the machine.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs natively, and without -short")
	}
}

// sameAlone evaluates scenarios one after the other, and then each without what
// is kept of the others.
func sameAlone(t *testing.T, o Options, scenarios []scenario.Scenario) {
	t.Helper()
	evaluate := func(e *Engine, s scenario.Scenario) string {
		r, err := e.Evaluate(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		return asJSON(t, r)
	}
	after, engine := make([]string, len(scenarios)), New()
	for i, s := range scenarios {
		after[i] = evaluate(engine, s)
	}
	for i, s := range scenarios {
		alone := ""
		// The order of iteration over a map literal is random, as on the server.
		for try := 0; try < 10 && alone != after[i]; try++ {
			alone = evaluate(New(), s)
		}
		if alone != after[i] {
			at := 0
			for at < min(len(alone), len(after[i])) && alone[at] == after[i][at] {
				at++
			}
			from := max(at-100, 0)
			t.Errorf("%s\nafter others\n…%.300s\nalone\n…%.300s", texts(s), after[i][from:], alone[from:])
		}
	}
}

func texts(s scenario.Scenario) string {
	return strings.Join([]string{s.Policies, s.Request, s.Cluster}, "\n=====\n")
}

func readExample(t *testing.T, path string) scenario.Scenario {
	t.Helper()
	read, err := scenario.FromFS(os.DirFS(path))
	if err != nil {
		t.Fatal(err)
	}
	s := read.Scenario
	s.Now = "2026-01-01T00:00:00Z"
	return s
}

// edited changes one line of a text.
func edited(random *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	i := random.IntN(len(lines))
	switch random.IntN(5) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[i])
	case 2:
		lines[i] = strings.NewReplacer("1", "2", "true", "false", "a", "b", "==", "!=").Replace(lines[i])
	case 3:
		at := random.IntN(len(lines[i]) + 1)
		lines[i] = lines[i][:at] + string("x: \"'[{-1"[random.IntN(9)]) + lines[i][at:]
	case 4:
		lines[i] += "\n---"
	}
	return strings.Join(lines, "\n")
}
