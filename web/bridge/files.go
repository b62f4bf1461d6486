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

// OpenParams are files that were dropped on the page: a txtar archive, the files
// of a folder by their names, or manifests.
type OpenParams struct {
	Files map[string]string `json:"files"`
	// Request chooses one of the objects that could be the request, from 1; 0 is
	// the first.
	Request int `json:"request,omitempty"`
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
	// Commands print what is needed in place of a server's answer.
	Commands []string `json:"commands,omitempty"`
	// Candidates are the objects of which one is the request, by their names;
	// Chosen is its number, from 1.
	Candidates []string `json:"candidates,omitempty"`
	Chosen     int      `json:"chosen,omitempty"`
}

// open makes a scenario of files.
func open(_ context.Context, p OpenParams) (Opened, error) {
	var list []scenario.File
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		list = append(list, scenario.File{Name: name, Text: p.Files[name]})
	}
	c := scenario.Classify(list, scenario.Given{Request: p.Request})
	if len(c.Candidates) > 0 && p.Request == 0 {
		c = scenario.Classify(list, scenario.Given{Request: 1}) // shown with all the others to choose from
	}
	out := Opened{Scenario: c.Scenario, Manifests: !c.Whole, Summary: c.Summary, Commands: c.Commands, Chosen: c.Chosen}
	for _, o := range c.Candidates {
		out.Candidates = append(out.Candidates, o.String())
	}
	for _, p := range c.Diagnostics {
		out.Problems = append(out.Problems, p.Summary)
	}
	return out, nil
}
