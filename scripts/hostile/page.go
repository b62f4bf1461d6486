package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/scenarios"
)

// maxPage limits a page call, in seconds. An evaluation has four and should end in time.
const maxPage = 5.0

// called is the time of one page call, in seconds (web/tools/hostile.mjs).
type called struct {
	Call string `json:"call"`
	// CPU is the engine thread's time, Clock the elapsed time, Process the time of all threads.
	CPU     float64 `json:"cpu"`
	Clock   float64 `json:"clock"`
	Process float64 `json:"process"`
}

// paged is one scenario's cost in the page's engine.
type paged struct {
	Took        []called `json:"took"`
	Memory      int      `json:"memory"` // of the engine, in bytes
	Code        int      `json:"code"`   // of the answer
	Diagnostics []string `json:"diagnostics"`
}

// page runs the kinds through the page's engine in Node, each in a fresh process. It prints an
// evaluation's time and the most expensive later call.
func page(build, only string) (over int, err error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return 0, fmt.Errorf("go env: %w", err)
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	fmt.Printf("%-28s %11s %7s %7s %8s %8s  %-16s %s\n", "kind", "size", "s", "clock", "process", "MB", "then at most", "answer")
	for _, k := range kinds(only) {
		p, err := inPage(loader, build, k.Make(k.Full))
		if err != nil {
			over++
			fmt.Printf("%-28s %11d OVER  %v\n", k.Name, k.Full, err)
			continue
		}
		first, then := p.Took[0], called{Call: "-"} // without an evaluation there is no later call
		for _, c := range p.Took[1:] {
			if c.CPU > then.CPU {
				then = c
			}
		}
		mark := ""
		if max(first.CPU, then.CPU) > maxPage {
			mark = " OVER"
			over++
		}
		fmt.Printf("%-28s %11d %7.2f %7.2f %8.2f %8d  %-16s %d %s%s\n", k.Name, k.Full, first.CPU, first.Clock, first.Process, p.Memory>>20,
			fmt.Sprintf("%s %.2f", then.Call, then.CPU), p.Code, strings.Join(p.Diagnostics, " "), mark)
	}
	return over, nil
}

// inPage runs one scenario in its own process.
func inPage(loader, build string, s scenario.Scenario) (paged, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return paged{}, err
	}
	file, err := os.CreateTemp("", "hostile*.json")
	if err != nil {
		return paged{}, err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(text); err != nil {
		return paged{}, err
	}
	if err := file.Close(); err != nil {
		return paged{}, err
	}
	command := exec.Command("node", "web/tools/hostile.mjs", loader, build, file.Name())
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	if err := command.Run(); err != nil {
		return paged{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(problem.String()))
	}
	var p paged
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return paged{}, fmt.Errorf("%w: %s", err, out.String())
	}
	if len(p.Took) == 0 {
		return paged{}, errors.New("no call was made")
	}
	return p, nil
}

// kinds returns all kinds whose names contain a text, or the one with that name.
func kinds(only string) []scenarios.Kind {
	var found []scenarios.Kind
	for _, k := range scenarios.All() {
		if k.Name == only {
			return []scenarios.Kind{k}
		}
		if strings.Contains(k.Name, only) {
			found = append(found, k)
		}
	}
	return found
}
