// Command hostile runs every scenario of the generator at full size through the
// command line and measures what each takes: seconds of the processor, memory, and
// what the answer is. It fails when one takes more than it may or gives no report.
//
//	go run ./scripts/hostile -preadmit PROGRAM            all of them, as a table
//	go run ./scripts/hostile -preadmit PROGRAM -only cel   the kind of that name, or those whose names contain it
//	go run ./scripts/hostile -preadmit PROGRAM -curve      cost against size
//	go run ./scripts/hostile -preadmit PROGRAM -growth     how fast the cost grows with the size
//	go run ./scripts/hostile -page web/build               all of them in the page's engine, in Node (scripts/module/build builds it)
//
// Processor seconds are measured and not those of a clock, so that a busy machine
// does not change them much.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/preadmit/preadmit/scripts/hostile/scenarios"
)

// Limits for a run.
const (
	maxSeconds = 2.0
	maxMB      = 300
)

func main() {
	program := flag.String("preadmit", "", "the command line, built")
	only := flag.String("only", "", "only the kind of this name, or those with this in their names")
	curve := flag.Bool("curve", false, "ten dimensions at several sizes, as the table of docs/limits.md")
	exponents := flag.Bool("growth", false, "each kind at an eighth to twice its size, and the largest exponent with which its cost grows")
	build := flag.String("page", "", "the folder with the page's engine, to measure that")
	flag.Parse()
	if (*program == "") == (*build == "") {
		fmt.Fprintln(os.Stderr, "hostile: say with -preadmit or -page what to measure")
		os.Exit(2)
	}
	if *curve {
		if err := curves(*program); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(1)
		}
		return
	}
	if *exponents {
		if err := growths(*program, *only); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(1)
		}
		return
	}
	bar := fmt.Sprintf("%.0f s and %d MB", maxSeconds, maxMB)
	measured := func() (int, error) { return run(*program, *only) }
	if *build != "" {
		bar = fmt.Sprintf("%.0f s", maxPage)
		measured = func() (int, error) { return page(*build, *only) }
	}
	over, err := measured()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
	if over > 0 {
		fmt.Printf("%d over the bar of %s, or without a report\n", over, bar)
		os.Exit(1)
	}
}

// result is one run.
type result struct {
	kind    string
	size    int
	seconds float64 // of processors
	mb      int
	answer  string
	failed  bool
}

func run(program, only string) (over int, err error) {
	for _, k := range kinds(only) {
		r, err := measure(program, k, k.Full)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", k.Name, err)
		}
		mark := ""
		if r.failed || r.seconds > maxSeconds || r.mb > maxMB {
			mark = " OVER"
			over++
		}
		fmt.Printf("%-28s %11d %6.2f s %5d MB%s  %s\n", r.kind, r.size, r.seconds, r.mb, mark, r.answer)
	}
	return over, nil
}

// dimensions are the dimensions in the table of cost by size, each with its largest size.
var dimensions = []struct {
	kind string
	most int
}{
	{"cel-and", 1600},
	{"cel-quadratic", 1600},
	{"variables", 1600},
	{"policies", 800},
	{"params", 80},
	{"apply-containers", 1600},
	{"crd-unknown-fields", 24_000},
	{"annotations", 16_000},
	{"webhooks", 3_200},
	{"rbac-one-role", 9_600},
}

// curves prints each dimension's cost at an eighth, a quarter, half and all of its size, in CPU
// seconds including the program's start.
func curves(program string) error {
	fmt.Println("| what grows | size | s | MB |\n|---|---:|---:|---:|")
	for _, d := range dimensions {
		i := slices.IndexFunc(scenarios.All(), func(k scenarios.Kind) bool { return k.Name == d.kind })
		if i < 0 {
			return fmt.Errorf("there is no kind %s", d.kind)
		}
		k := scenarios.All()[i]
		for _, part := range []int{8, 4, 2, 1} {
			r, err := measure(program, k, d.most/part)
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			fmt.Printf("| %s: %s | %d | %.2f | %d |\n", k.Name, k.Unit, r.size, r.seconds, r.mb)
		}
	}
	return nil
}

// measure runs one scenario in its own process.
func measure(program string, k scenarios.Kind, size int) (result, error) {
	folder, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(folder)
	s := k.Make(size)
	args := []string{"eval", "-o", "text"}
	for name, text := range map[string]string{"policies.yaml": s.Policies, "request.yaml": s.Request, "cluster.yaml": s.Cluster} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return result{}, err
		}
	}
	if s.Kubernetes != "" {
		args = append(args, "-kubernetes", s.Kubernetes[:min(len(s.Kubernetes), 1000)])
	}
	if s.Expression != "" {
		args = append(args, "-e", s.Expression)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, append(args, folder)...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	runErr := command.Run()
	r := result{kind: k.Name, size: size}
	var exit *exec.ExitError
	if runErr != nil && !errors.As(runErr, &exit) {
		return r, runErr
	}
	state := command.ProcessState
	r.seconds = (state.UserTime() + state.SystemTime()).Seconds()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		r.mb = int(usage.Maxrss / 1024)
	}
	r.answer, _, _ = strings.Cut(strings.TrimSpace(out.String()), "\n")
	r.answer = strings.ReplaceAll(r.answer[:min(len(r.answer), 110)], "|", "/")
	code := state.ExitCode()
	r.failed = code < 0 || code > 2 || r.answer == ""
	if code < 0 {
		r.answer = "killed: " + state.String()
	}
	return r, nil
}
