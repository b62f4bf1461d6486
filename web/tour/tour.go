// Package tour reads the lessons of the tour: folders, each with a text, a scenario to
// begin with, a solution, and checks. A check is a request with what is expected of it;
// the engine decides, so any text that does what the task asks for is right.
package tour

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/bridge"
)

// Lesson is one step of the tour. As JSON it is what the page of the lesson fetches.
type Lesson struct {
	// Slug is its address: the folder's name without the number.
	Slug    string    `json:"slug"`
	Title   string    `json:"title"`
	Summary string    `json:"-"`
	Task    string    `json:"-"` // what to do, with the marks of descriptions (`code`, **strong**)
	Hint    string    `json:"-"`
	Show    diag.Text `json:"show"` // the text to show first
	Body    []byte    `json:"-"`    // Markdown
	// Start is what the reader begins with, Solution one way to do the task.
	Start    scenario.Scenario `json:"start"`
	Solution scenario.Scenario `json:"solution"`
	Checks   []Check           `json:"checks"`
}

// Check is a request to the reader's policies, and what has to become of it.
type Check struct {
	// Name says in a sentence what is checked.
	Name string `json:"name"`
	// Request is asked instead of the reader's own, Cluster is instead of the reader's.
	Request *string `json:"request,omitempty"`
	Cluster *string `json:"cluster,omitempty"`
	// Original are the texts that are taken as the lesson began, not as the reader has
	// changed them.
	Original []diag.Text `json:"original,omitempty"`
	// Kubernetes is the version; empty is that of the lesson.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Expected is the text of an expected.yaml, Or another one that is right, too.
	Expected string `json:"expected"`
	Or       string `json:"or,omitempty"`
}

// Cases are the check as tests of what the reader has written; it is passed when one of
// them is. web/app/lesson-check.ts does the same in the page.
func (c Check) Cases(l Lesson, written scenario.Scenario) []bridge.Case {
	out := bridge.Case{Name: c.Name, Request: written.Request, Expected: c.Expected, Cluster: c.Cluster}
	if c.Request != nil {
		out.Request = *c.Request
	}
	for _, text := range c.Original {
		switch text {
		case diag.Policies:
			out.Policies = &l.Start.Policies
		case diag.Cluster:
			out.Cluster = &l.Start.Cluster
		}
	}
	kubernetes := c.Kubernetes
	if kubernetes == "" {
		kubernetes = l.Start.Kubernetes
	}
	// Settings are the lesson's: a reader's own cannot make a check easier.
	out.Settings = &scenario.Scenario{Kubernetes: kubernetes}
	if c.Or == "" {
		return []bridge.Case{out}
	}
	other := out
	other.Expected = c.Or
	return []bridge.Case{out, other}
}

// Read reads all lessons of a folder, in their order.
func Read(folder fs.FS) ([]Lesson, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	var out []Lesson
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		sub, err := fs.Sub(folder, e.Name())
		if err != nil {
			return nil, err
		}
		l, err := lesson(sub)
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", e.Name(), err)
		}
		_, l.Slug, _ = strings.Cut(e.Name(), "-")
		out = append(out, l)
	}
	if len(out) == 0 {
		return nil, errors.New("there are no lessons")
	}
	return out, nil
}

// head is the front matter of lesson.md.
type head struct {
	Title   string    `json:"title"`
	Summary string    `json:"summary"`
	Task    string    `json:"task"`
	Hint    string    `json:"hint"`
	Show    diag.Text `json:"show"`
}

func lesson(folder fs.FS) (Lesson, error) {
	text, err := fs.ReadFile(folder, "lesson.md")
	if err != nil {
		return Lesson{}, err
	}
	rest, ok := strings.CutPrefix(string(text), "---\n")
	front, body, closed := strings.Cut(rest, "\n---\n")
	if !ok || !closed {
		return Lesson{}, errors.New("lesson.md does not begin with a front matter")
	}
	var h head
	if err := yaml.UnmarshalStrict([]byte(front), &h); err != nil {
		return Lesson{}, fmt.Errorf("lesson.md: %w", err)
	}
	if h.Title == "" || h.Summary == "" || h.Task == "" || h.Hint == "" || h.Show == "" {
		return Lesson{}, errors.New("lesson.md: title, summary, task, hint and show are needed")
	}
	l := Lesson{Title: h.Title, Summary: h.Summary, Task: h.Task, Hint: h.Hint, Show: h.Show, Body: []byte(body)}
	if l.Start, err = archive(folder, "start.txtar"); err != nil {
		return l, err
	}
	if l.Solution, err = archive(folder, "solution.txtar"); err != nil {
		return l, err
	}
	l.Checks, err = checks(folder)
	return l, err
}

func archive(folder fs.FS, name string) (scenario.Scenario, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return scenario.Scenario{}, err
	}
	s, problems := scenario.FromTxtar(text)
	if diag.HasErrors(problems) {
		return s, fmt.Errorf("%s: %s", name, problems[0].Summary)
	}
	return s, nil
}

func checks(folder fs.FS) ([]Check, error) {
	text, err := fs.ReadFile(folder, "checks.yaml")
	if err != nil {
		return nil, err
	}
	var list []Check
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, fmt.Errorf("checks.yaml: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("checks.yaml has none")
	}
	for _, c := range list {
		for _, text := range []string{c.Expected, c.Or} {
			if _, err := expect.Parse([]byte(text)); err != nil && text != "" {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		if c.Expected == "" {
			return nil, fmt.Errorf("%s: nothing is expected", c.Name)
		}
		known := []diag.Text{diag.Policies, diag.Cluster}
		for _, text := range c.Original {
			if !slices.Contains(known, text) {
				return nil, fmt.Errorf("%s: %q cannot be the original", c.Name, text)
			}
		}
	}
	return list, nil
}
