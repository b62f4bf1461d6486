package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/storage"
)

func TestMain(m *testing.M) {
	engine.Use(storage.New())
	os.Exit(m.Run())
}

// TestTasks: each task's solution passes all its requests, each wrong answer fails one, and so does
// the answer that does nothing.
func TestTasks(t *testing.T) {
	tasks, err := readTasks()
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 30 {
		t.Errorf("%d tasks", len(tasks))
	}
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			graded := func(policies string) grade {
				g, err := task.grade(t.Context(), policies)
				if err != nil {
					t.Fatal(err)
				}
				return g
			}
			if g := graded(task.solution); !g.solved() || task.words == "" {
				t.Errorf("the solution: accepted %v, %d of %d: %s", g.accepted, g.passed, g.of, strings.Join(g.problems, "\n"))
			}
			if len(task.wrong) == 0 {
				t.Error("no wrong answer")
			}
			for i, wrong := range task.wrong {
				if g := graded(wrong); g.solved() || !g.accepted && g.passed == 0 {
					t.Errorf("wrong answer %d: accepted %v, %d of %d: %s", i+1, g.accepted, g.passed, g.of, strings.Join(g.problems, "\n"))
				}
			}
			for _, none := range []string{"", "kind: Pod", "a: ["} {
				if g := graded(none); g.solved() || g.accepted {
					t.Errorf("%q solves it", none)
				}
			}
		})
	}
}

// TestCommands writes prompts, runs a program that answers with the solutions, and grades it.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	tasks, err := readTasks()
	if err != nil {
		t.Fatal(err)
	}
	if err := do(t.Context(), []string{"prompts", dir}, nil); err != nil {
		t.Fatal(err)
	}
	prompt, err := os.ReadFile(filepath.Join(dir, "replica-limit.md"))
	if err != nil || !strings.Contains(string(prompt), "more than 5 replicas") || strings.Contains(string(prompt), "six replicas") {
		t.Errorf("%v\n%s", err, prompt)
	}
	solutions := filepath.Join(dir, "solutions")
	if err := os.Mkdir(solutions, 0o777); err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		answer := task.solution
		if i == 1 {
			answer = task.wrong[0]
		}
		if err := os.WriteFile(filepath.Join(solutions, task.name+".yaml"), []byte(answer), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(solutions, tasks[2].name+".yaml")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := do(t.Context(), []string{"grade", "-v", solutions}, &out); err != nil {
		t.Fatal(err)
	}
	if said := out.String(); !strings.Contains(said, "28 of 30 tasks solved, 29 answers accepted") || !strings.Contains(said, "no answer") {
		t.Error(said)
	}
	// cat answers with the prompt, which is no policy.
	answers := filepath.Join(dir, "answers")
	if err := run(context.WithoutCancel(t.Context()), tasks[:2], answers, []string{"cat"}, &out); err != nil {
		t.Fatal(err)
	}
	if answer, err := os.ReadFile(filepath.Join(answers, tasks[0].name+".yaml")); err != nil || string(answer) != fenced(tasks[0].prompt()) {
		t.Errorf("%v %s", err, answer)
	}
}

func TestFenced(t *testing.T) {
	for answer, want := range map[string]string{
		"kind: A\n":                                     "kind: A\n",
		"Here:\n```yaml\nkind: A\n```\nDone.":           "kind: A\n",
		"```\nx\n```\nand better\n```yaml\ny\nz\n```\n": "y\nz\n",
		"```yaml\nkind: A":                              "```yaml\nkind: A",
	} {
		if got := fenced(answer); got != want {
			t.Errorf("%q: %q, not %q", answer, got, want)
		}
	}
}
