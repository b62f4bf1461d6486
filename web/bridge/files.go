package bridge

import (
	"context"
	"maps"
	"slices"

	"github.com/preadmit/preadmit/engine/scenario"
)

// Files is the reply to files: a scenario as it lies on disk.
type Files struct {
	Files map[string]string `json:"files"`
	Txtar string            `json:"txtar"`
}

// files turns a scenario into files, for downloads.
func files(_ context.Context, s scenario.Scenario) (Files, error) {
	list, err := s.Files()
	if err != nil {
		return Files{}, err
	}
	txtar, err := s.Txtar()
	if err != nil {
		return Files{}, err
	}
	out := Files{Files: map[string]string{}, Txtar: string(txtar)}
	for name, content := range list {
		out.Files[name] = string(content)
	}
	return out, nil
}

// Opened is the reply to open.
type Opened struct {
	Scenario scenario.Scenario `json:"scenario"`
	Problems []string          `json:"problems,omitempty"`
	// Manifests says that the files were single manifests and not those of a
	// scenario: Scenario has only the texts that they are.
	Manifests bool `json:"manifests,omitempty"`
	// Summary says in one line how manifests were sorted.
	Summary string `json:"summary,omitempty"`
}

// open makes a scenario of files that were dropped on the page: a txtar
// archive, the files of a folder by their names, or manifests.
func open(_ context.Context, dropped map[string]string) (Opened, error) {
	var list []scenario.File
	for _, name := range slices.Sorted(maps.Keys(dropped)) {
		list = append(list, scenario.File{Name: name, Text: dropped[name]})
	}
	c := scenario.Classify(list, scenario.Given{})
	out := Opened{Scenario: c.Scenario, Manifests: !c.Whole, Summary: c.Summary}
	for _, p := range c.Diagnostics {
		out.Problems = append(out.Problems, p.Summary)
	}
	return out, nil
}
