package names_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/names"
	"github.com/preadmit/preadmit/engine/scenario"
)

// examples are the scenarios of the gallery.
func examples(t *testing.T) map[string]scenario.Scenario {
	t.Helper()
	folders, err := filepath.Glob("../../../examples/*/scenario.yaml")
	if err != nil || len(folders) < 50 {
		t.Fatalf("%d examples: %v", len(folders), err)
	}
	out := map[string]scenario.Scenario{}
	for _, file := range folders {
		folder := filepath.Dir(file)
		s, err := scenario.FromFS(os.DirFS(folder))
		if err != nil {
			t.Fatal(folder, err)
		}
		out[filepath.Base(folder)] = s.Scenario
	}
	return out
}

// TestRename gives each variable of the examples another name: the answer stays, so every place was
// found and nothing else.
func TestRename(t *testing.T) {
	renamed := 0
	for name, s := range examples(t) {
		found, err := names.In(s)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, n := range found {
			text := s.Policies
			if n.Text == diag.Cluster {
				text = s.Cluster
			}
			if text[n.Span.Start:n.Span.End] != n.Word {
				t.Errorf("%s: %q is named at %q", name, n.Word, text[n.Span.Start:n.Span.End])
			}
			if !n.Variable || !n.Defines {
				continue
			}
			_, all, err := names.At(s, n.Text, n.Span.Start)
			if err != nil {
				t.Fatal(name, err)
			}
			after := s
			slices.SortFunc(all, func(a, b names.Name) int { return b.Span.Start - a.Span.Start })
			for _, place := range all {
				after.Policies = after.Policies[:place.Span.Start] + "renamedVariable" + after.Policies[place.Span.End:]
			}
			renamed++
			if was, is := answer(t, s), answer(t, after); was != is {
				t.Errorf("%s: with another name for %s the answer is %s, not %s", name, n.Word, is, was)
			}
		}
	}
	if renamed < 20 {
		t.Errorf("only %d variables", renamed)
	}
}

// answer is the verdict and the problems without their texts, which name variables.
func answer(t *testing.T, s scenario.Scenario) string {
	t.Helper()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := string(r.Outcome.State)
	for _, d := range r.Diagnostics {
		out += " " + d.Code
	}
	return out
}

// TestExpressions finds the words of expressions where they are written.
func TestExpressions(t *testing.T) {
	words := 0
	for name, s := range examples(t) {
		found, err := names.Expressions(s.Policies)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, e := range found {
			at := e.Span.Start
			for _, w := range e.Words {
				words++
				if w.Span.Start < at || w.Span.End <= w.Span.Start || w.Span.End > e.Span.End {
					t.Fatalf("%s: a word at %v, in an expression at %v, after %d", name, w.Span, e.Span, at)
				}
				at = w.Span.End
			}
		}
	}
	if words < 1000 {
		t.Errorf("only %d words", words)
	}
}

func TestCanBe(t *testing.T) {
	for word, want := range map[string]bool{"team": true, "_a1": true, "": false, "1a": false, "a-b": false, "in": false, "true": false, "package": false, "a b": false, "a.b": false, "`a`": false, "ä": false} {
		if names.CanBe(word) != want {
			t.Errorf("%q: %t", word, !want)
		}
	}
}
