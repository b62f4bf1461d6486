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

// maxPage is what a call of the page may take, in seconds: an evaluation has four of them, and is
// to end in time.
const maxPage = 5.0

// called is what one call of the page took, in seconds (web/tools/hostile.mjs).
type called struct {
	Call string `json:"call"`
	// CPU is that of the engine's thread, Clock what passed meanwhile, Process what all
	// threads used.
	CPU     float64 `json:"cpu"`
	Clock   float64 `json:"clock"`
	Process float64 `json:"process"`
}

// paged is what one scenario took in the page's engine.
type paged struct {
	Took        []called `json:"took"`
	Memory      int      `json:"memory"` // of the engine, in bytes
	Code        int      `json:"code"`   // of the answer
	Diagnostics []string `json:"diagnostics"`
}

// page runs the kinds through the page's engine, in Node, each in a process that has compiled
// nothing of it yet, and prints what an evaluation took and the dearest call after it.
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
		first, then := p.Took[0], called{Call: "-"} // nothing comes after what is not evaluated
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

// inPage runs one scenario in a process of its own.
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

// kinds are all whose names contain a text, or the one of that name.
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
