package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// files are the tasks: archives whose comment is the task in words. Their files are request.yaml,
// cluster.yaml and cases.yaml of a scenario, solution.yaml, and answers that are wrong in a likely way.
//
//go:embed tasks/*.txtar
var files embed.FS

// task is one to solve.
type task struct {
	name     string
	words    string
	scenario scenario.Scenario // its request and cluster
	cases    *expect.Cases
	solution string
	wrong    []string
}

func readTasks() ([]*task, error) {
	names, err := fs.Glob(files, "tasks/*.txtar")
	if err != nil {
		return nil, err
	}
	var out []*task
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t, err := readTask(strings.TrimSuffix(path.Base(name), ".txtar"), txtar.Parse(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func readTask(name string, archive *txtar.Archive) (*task, error) {
	t := &task{name: name, words: strings.TrimSpace(string(archive.Comment))}
	for _, f := range archive.Files {
		text := string(f.Data)
		switch {
		case f.Name == scenario.RequestFile:
			t.scenario.Request = text
		case f.Name == scenario.ClusterFile:
			t.scenario.Cluster = text
		case f.Name == "solution.yaml":
			t.solution = text
		case strings.HasPrefix(f.Name, "wrong-"):
			t.wrong = append(t.wrong, text)
		case f.Name == scenario.CasesFile:
			var err error
			if t.cases, err = expect.ParseCases(f.Data); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("no task has a file %s", f.Name)
		}
	}
	return t, nil
}

// prompt is the text of the task as its solver gets it.
func (t *task) prompt() string {
	text := "Write admission policies for Kubernetes " + scenario.DefaultVersion + ".\n\n" + t.words + "\n\n" +
		"Answer with YAML alone: ValidatingAdmissionPolicy or MutatingAdmissionPolicy documents of\n" +
		"admissionregistration.k8s.io/v1 with their bindings. Hidden requests test the answer. A request that\n" +
		"is denied because an expression raises an error counts as wrong.\n"
	if t.scenario.Cluster != "" {
		text += "\nThe cluster has:\n\n```yaml\n" + t.scenario.Cluster + "```\n"
	}
	return text
}

// grade is how good an answer is.
type grade struct {
	accepted   bool // by the API server, when the policies are created
	passed, of int
	problems   []string
}

func (g grade) solved() bool { return g.accepted && g.passed == g.of }

// grade evaluates the requests of a task with an answer. What a case does not mention does not count.
func (t *task) grade(ctx context.Context, policies string) (grade, error) {
	g := grade{accepted: true, of: len(t.cases.List)}
	for i, c := range t.cases.List {
		s := t.scenario
		s.Policies = policies
		var err error
		if s.Request, err = c.Request(t.scenario.Request); err != nil {
			return g, err
		}
		r, err := engine.Evaluate(ctx, s, engine.Options{})
		if err != nil {
			return g, err
		}
		if i == 0 && refused(r) {
			g.accepted = false
			for _, d := range r.Diagnostics.Errors() {
				g.problems = append(g.problems, fmt.Sprintf("line %d: %s", d.Line, d.Summary))
			}
		}
		problem, err := wrongAnswer(c, r)
		if err != nil {
			return g, fmt.Errorf("%s: %w", t.name, err)
		}
		if problem == "" {
			g.passed++
		} else {
			g.problems = append(g.problems, c.Name+": "+problem)
		}
	}
	return g, nil
}

// refused reports whether the API server does not accept the policies, or cannot read them.
func refused(r *report.Report) bool {
	for _, in := range r.Install {
		if in.Code != 0 {
			return true
		}
	}
	unread := slices.ContainsFunc(r.Diagnostics.Errors(), func(d diag.Diagnostic) bool { return d.Text == diag.Policies })
	return unread || r.Outcome.State == report.StateNoPolicies
}

// wrongAnswer says what differs from what a case expects; empty when nothing does.
func wrongAnswer(c *expect.Case, r *report.Report) (string, error) {
	failed := ""
	for i := range r.Steps {
		r.Steps[i].Evaluations(func(e *report.Evaluation) { failed = cmp.Or(failed, e.Error) })
		failed = cmp.Or(failed, r.Steps[i].Error)
	}
	if failed != "" {
		return "an expression raises an error: " + failed, nil
	}
	differences, err := expect.Compare(c.Expected, r)
	if err != nil {
		return "", err
	}
	for _, d := range differences {
		switch {
		case d.Line == 0: // the case does not mention it
		case d.Problem != "":
			return d.Path + ": " + d.Problem, nil
		default:
			return fmt.Sprintf("%s is %s, not %s", d.Path, expect.Shown(d.Got), expect.Shown(d.Want)), nil
		}
	}
	return "", nil
}
