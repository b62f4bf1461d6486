package engine

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// TestKeptTextsStayAsTheyAre: an engine keeps what it has read of a text, and evaluations share
// it with each other. None changes it: neither that of a manifest nor, without the defaults, for which
// the object is copied, that of a captured request.
func TestKeptTextsStayAsTheyAre(t *testing.T) {
	skipShort(t)
	paths, err := filepath.Glob("../examples/*/request.yaml")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	e := New()
	for _, path := range paths {
		s := readExample(t, filepath.Dir(path))
		evaluateKept(t, e, path, s)
		never := false
		s.Options.Defaulting = &never
		evaluateKept(t, e, path, s)
	}
	files := vectorFiles(t)
	if !variants.Full() {
		files = everyFourth(files)
	}
	for _, path := range files {
		if slices.Contains(slowVectors, filepath.Base(path)) {
			continue
		}
		v := readVector(t, path)
		for _, r := range v.Requests {
			if r.comparable() {
				evaluateKept(t, e, path+" "+r.Name, scenarioOf(t, v, r))
			}
		}
	}
}

func evaluateKept(t *testing.T, e *Engine, name string, s scenario.Scenario) {
	t.Helper()
	docs, _ := e.store.Texts.Documents(diag.Request, s.Request)
	before := asJSON(t, docs[0].Value)
	if _, err := e.Evaluate(context.Background(), s, Options{Safety: true}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	kept, _ := e.store.Texts.Documents(diag.Request, s.Request)
	if kept[0] != docs[0] {
		t.Fatalf("%s: the text was read again, so nothing is compared", name)
	}
	if after := asJSON(t, docs[0].Value); after != before {
		t.Errorf("%s: the text was\n%s\nand is after an evaluation\n%s", name, before, after)
	}
}
