package differential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/conformance/wire"
)

// A Reference is the command of the same name, built and ready to run.
type Reference struct {
	binary, kubernetes string
}

// Build builds the reference command from its folder into dir. It is a module
// of its own, so the go command does the work; a second build takes no time.
func Build(ctx context.Context, source, dir string) (*Reference, error) {
	binary, err := filepath.Abs(filepath.Join(dir, "reference"))
	if err != nil {
		return nil, err
	}
	if _, err := output(ctx, source, "go", "build", "-o", binary, "."); err != nil {
		return nil, err
	}
	kubernetes, err := output(ctx, source, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	if err != nil {
		return nil, err
	}
	return &Reference{binary: binary, kubernetes: strings.TrimSpace(kubernetes)}, nil
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out), err
}

// Answers runs cases through the reference; each answer goes to done, from one
// goroutine, in any order.
func (r *Reference) Answers(ctx context.Context, workers int, cases []wire.Case, done func(wire.Answer)) error {
	cmd := exec.CommandContext(ctx, r.binary, "-kubernetes", r.kubernetes, "-workers", fmt.Sprint(workers))
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() {
		encoder := json.NewEncoder(in)
		var err error
		for i := 0; i < len(cases) && err == nil; i++ {
			err = encoder.Encode(cases[i])
		}
		written <- errors.Join(err, in.Close())
	}()
	n, err := read(out, done)
	err = errors.Join(err, <-written, cmd.Wait())
	if err == nil && n != len(cases) {
		err = fmt.Errorf("%d answers to %d cases", n, len(cases))
	}
	if err != nil {
		return fmt.Errorf("reference: %w\n%s", err, stderr.String())
	}
	return nil
}

func read(out io.Reader, done func(wire.Answer)) (n int, err error) {
	decoder := json.NewDecoder(out)
	for {
		var a wire.Answer
		if err := decoder.Decode(&a); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
		done(a)
	}
}
