// Command benchmark measures how well a person or a language model writes admission policies. The
// tasks in words are in the folder tasks; their requests are hidden from who solves them, and the
// engine grades the answers. docs/editors-and-agents.md says how to measure a model with and without
// the tools of preadmit mcp.
//
//	go run ./benchmark prompts DIR               writes DIR/NAME.md for each task
//	go run ./benchmark run DIR COMMAND [ARG...]  gives the command each prompt on its standard input, and
//	                                             writes its output to DIR/NAME.yaml
//	go run ./benchmark grade [-v] DIR            grades DIR/NAME.yaml
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/storage"
)

func main() {
	engine.Use(storage.New()) // the API server's own code sets the defaults of requests
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := do(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(2)
	}
}

func do(ctx context.Context, args []string, out io.Writer) error {
	tasks, err := readTasks()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		switch rest := args[1:]; {
		case args[0] == "prompts" && len(rest) == 1:
			return writePrompts(tasks, rest[0])
		case args[0] == "run" && len(rest) > 1:
			return run(ctx, tasks, rest[0], rest[1:], out)
		case args[0] == "grade":
			flags := flag.NewFlagSet("grade", flag.ContinueOnError)
			verbose := flags.Bool("v", false, "say of each task what is wrong")
			if err := flags.Parse(rest); err != nil {
				return err
			}
			if flags.NArg() == 1 {
				return gradeAll(ctx, tasks, flags.Arg(0), *verbose, out)
			}
		}
	}
	return errors.New("give prompts DIR, run DIR COMMAND, or grade [-v] DIR")
}

func writePrompts(tasks []*task, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range tasks {
		if err := os.WriteFile(filepath.Join(dir, t.name+".md"), []byte(t.prompt()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// taskTime is how long a command may take for one task.
const taskTime = 10 * time.Minute

// run gives a command each prompt. A command that fails has no answer to that task.
func run(ctx context.Context, tasks []*task, dir string, command []string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range tasks {
		started := time.Now()
		limited, cancel := context.WithTimeout(ctx, taskTime)
		c := exec.CommandContext(limited, command[0], command[1:]...)
		c.Stdin, c.Stderr = strings.NewReader(t.prompt()), os.Stderr
		said, err := c.Output()
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return err
		case err != nil:
			fmt.Fprintf(out, "%-22s no answer: %v\n", t.name, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, t.name+".yaml"), []byte(fenced(string(said))), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-22s %.0f s\n", t.name, time.Since(started).Seconds())
	}
	return nil
}

// fenced is the last piece of code in an answer, or all of it where it has none.
func fenced(answer string) string {
	parts := strings.Split("\n"+answer, "\n```")
	if len(parts) < 3 {
		return answer
	}
	code := parts[len(parts)-1-(len(parts)%2)] // between an opening fence and a closing one
	if len(parts)%2 == 1 {
		code = parts[len(parts)-2]
	}
	_, code, _ = strings.Cut(code, "\n") // the language
	return code + "\n"
}

// gradeAll prints the result of each task and their sum.
func gradeAll(ctx context.Context, tasks []*task, dir string, verbose bool, out io.Writer) error {
	solved, accepted, passed, cases := 0, 0, 0, 0
	for _, t := range tasks {
		g := grade{of: len(t.cases.List), problems: []string{"no answer"}}
		answer, err := os.ReadFile(filepath.Join(dir, t.name+".yaml"))
		if err == nil {
			g, err = t.grade(ctx, string(answer))
		} else if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return err
		}
		cases += g.of
		passed += g.passed
		if g.accepted {
			accepted++
		}
		verdict := "FAIL"
		if g.solved() {
			verdict = "ok"
			solved++
		}
		fmt.Fprintf(out, "%-4s  %-22s %d of %d requests\n", verdict, t.name, g.passed, g.of)
		for _, problem := range g.problems {
			if verbose {
				fmt.Fprintf(out, "        %s\n", problem)
			}
		}
	}
	fmt.Fprintf(out, "%d of %d tasks solved, %d answers accepted by the API server, %d of %d requests right\n", solved, len(tasks), accepted, passed, cases)
	return nil
}
