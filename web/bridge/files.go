package bridge

import (
	"context"
	"maps"
	"slices"

	"github.com/preadmit/preadmit/engine/scenario"
)

// Files is the reply to files: a scenario's files.
type Files struct {
	Files map[string]string `json:"files"`
	Txtar string            `json:"txtar"`
}

// files converts a scenario to files for download.
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

// OpenParams are files dropped on the page: a txtar archive, a folder's files by name, or
// manifests.
type OpenParams struct {
	Files map[string]string `json:"files"`
	// Request selects one of the possible requests, from 1; 0 means the first.
	Request int `json:"request,omitempty"`
}

// Opened is the reply to open.
type Opened struct {
	Scenario scenario.Scenario `json:"scenario"`
	Problems []string          `json:"problems,omitempty"`
	// Manifests says that the files were single manifests and not a scenario's: Scenario then only
	// has their texts.
	Manifests bool `json:"manifests,omitempty"`
	// Summary describes in one line how manifests were sorted.
	Summary string `json:"summary,omitempty"`
	// Commands print the objects to paste instead of a server's reply.
	Commands []string `json:"commands,omitempty"`
	// Candidates are the names of the possible requests. Chosen is the chosen one's number, from 1.
	Candidates []string `json:"candidates,omitempty"`
	Chosen     int      `json:"chosen,omitempty"`
}

// open builds a scenario from files.
func open(_ context.Context, p OpenParams) (Opened, error) {
	var list []scenario.File
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		list = append(list, scenario.File{Name: name, Text: p.Files[name]})
	}
	c := scenario.Classify(list, scenario.Given{Request: p.Request})
	if len(c.Candidates) > 0 && p.Request == 0 {
		c = scenario.Classify(list, scenario.Given{Request: 1}) // show it, with the others to choose from
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
