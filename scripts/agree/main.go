// Command agree evaluates variants of all examples natively and compiled for the page, and compares
// the whole reports.
//
//	scripts/module/build && go run ./scripts/agree          # 1,000 inputs
//	go run ./scripts/agree -from 1000 -inputs 20000   # 20,000 others
//
// It fails at the first input whose reports are not equal, and prints both.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/examples"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

func main() {
	from := flag.Int("from", 0, "the first input")
	inputs := flag.Int("inputs", 1000, "how many")
	hashes := flag.Bool("hashes", false, "only print a line for each input, as both programs do")
	whole := flag.Bool("whole", false, "only print the reports themselves")
	flag.Parse()
	run := compare
	if *hashes || *whole {
		run = func(from, inputs int) error { return evaluated(from, inputs, *whole) }
	}
	if err := run(*from, *inputs); err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
}

// seeds are the texts of all examples.
func seeds() ([][]any, error) {
	folders, err := fs.ReadDir(examples.Scenarios, ".")
	if err != nil {
		return nil, err
	}
	var out [][]any
	for _, folder := range folders {
		below, err := fs.Sub(examples.Scenarios, folder.Name())
		if err != nil {
			return nil, err
		}
		read, err := scenario.FromFS(below)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Name(), err)
		}
		s := read.Scenario
		out = append(out, []any{s.Policies, s.Request, s.Cluster, s.Expression})
	}
	return out, nil
}

// limits end a run after the same work in both programs, however long it takes.
var limits = engine.Limits{Work: 3_000_000, Bytes: 32 << 20}

// evaluated prints what comes of some of the inputs.
func evaluated(from, inputs int, whole bool) error {
	texts, err := seeds()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	shared := engine.New() // as the page has one for all keys
	for i := from; i < from+inputs; i++ {
		in := variants.One(texts, uint64(i))
		o := engine.Everything()
		o.Limits = limits
		r, err := shared.Evaluate(context.Background(), scenario.Scenario{Policies: in[0].(string), Request: in[1].(string), Cluster: in[2].(string),
			Expression: in[3].(string), Now: "2026-01-01T00:00:00Z"}, o)
		if err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		if whole {
			fmt.Fprintf(out, "%s\n", text)
		} else {
			fmt.Fprintf(out, "%d %x\n", i, sha256.Sum256(text))
		}
	}
	return nil
}

// compare runs the inputs through both programs, which it builds.
func compare(from, inputs int) error {
	folder, err := os.MkdirTemp("", "agree")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	native, page := filepath.Join(folder, "native"), filepath.Join(folder, "page.wasm")
	if err := shell("go build -o " + native + " ./scripts/agree").Run(); err != nil {
		return fmt.Errorf("building natively: %w", err)
	}
	if err := shell(`. scripts/module/flags; slim_for engine; GOOS=js GOARCH=wasm go build "${slim_flags[@]}" -o ` + page + " ./scripts/agree").Run(); err != nil {
		return fmt.Errorf("building for the page, from what scripts/module/build has made: %w", err)
	}
	const at = 250
	for done := 0; done < inputs; done += at {
		n := min(at, inputs-done)
		both, err := outputs(native, page, "-hashes", from+done, n)
		if err != nil {
			return err
		}
		one, other := bytes.Split(both[0], []byte("\n")), bytes.Split(both[1], []byte("\n"))
		if len(one) != n+1 || len(other) != n+1 {
			return fmt.Errorf("of %d inputs there are %d and %d lines", n, len(one)-1, len(other)-1)
		}
		for i := range one {
			if !bytes.Equal(one[i], other[i]) {
				return different(native, page, from+done+i)
			}
		}
		fmt.Printf("%d inputs, none different\n", done+n)
	}
	return nil
}

// different prints both reports of an input.
func different(native, page string, input int) error {
	both, err := outputs(native, page, "-whole", input, 1)
	if err != nil {
		return err
	}
	return fmt.Errorf("input %d\nnatively  %s\nin the page %s", input, both[0], both[1])
}

// outputs are what both programs print.
func outputs(native, page, kind string, from, n int) (both [2][]byte, err error) {
	args := []string{kind, "-from", strconv.Itoa(from), "-inputs", strconv.Itoa(n)}
	for i, program := range [][]string{{native}, {"scripts/module/exec", page}} {
		command := exec.Command(program[0], append(program[1:], args...)...)
		command.Stderr = os.Stderr
		if both[i], err = command.Output(); err != nil {
			return both, fmt.Errorf("%s: %w", program[0], err)
		}
	}
	return both, nil
}

func shell(line string) *exec.Cmd {
	command := exec.Command("bash", "-ec", line)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command
}
