package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Files is the reply to files: a scenario as it lies on disk.
type Files struct {
	Files map[string]string `json:"files"`
	Txtar string            `json:"txtar"`
}

// files turns a scenario into files, for downloads.
func files(_ context.Context, params json.RawMessage) (any, error) {
	var s scenario.Scenario
	if err := json.Unmarshal(params, &s); err != nil {
		return nil, fmt.Errorf("the scenario: %w", err)
	}
	list, err := s.Files()
	if err != nil {
		return nil, err
	}
	txtar, err := s.Txtar()
	if err != nil {
		return nil, err
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
}

// open makes a scenario of files that were dropped on the page: a txtar
// archive, or the files of a folder by their names.
func open(_ context.Context, params json.RawMessage) (any, error) {
	var dropped map[string]string
	if err := json.Unmarshal(params, &dropped); err != nil {
		return nil, fmt.Errorf("the files: %w", err)
	}
	var s scenario.Scenario
	var problems []diag.Diagnostic
	if archive, ok := dropped["scenario.txtar"]; ok && len(dropped) == 1 {
		s, problems = scenario.FromTxtar([]byte(archive))
	} else {
		list := map[string][]byte{}
		for name, content := range dropped {
			list[name] = []byte(content)
		}
		s, problems = scenario.FromFiles(list)
	}
	out := Opened{Scenario: s}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Summary)
	}
	return out, nil
}
