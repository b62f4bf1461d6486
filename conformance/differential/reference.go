package differential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/preadmit/preadmit/conformance/wire"
)

// A Reference is the built command conformance/reference.
type Reference struct {
	// Minor is its Kubernetes minor version.
	Minor int
	// Release is its k8s.io/kubernetes release, such as "1.36.3".
	Release            string
	binary, kubernetes string
}

// The minor versions with which the reference can be built. Recorded is the version of the recorded
// responses and of the reference's own go.mod; the others have a file in its folder releases.
const (
	Oldest   = 30
	Recorded = 36
	Newest   = 37
)

// Build builds the reference command from its folder into dir, with the packages of a Kubernetes
// version such as "1.36". The reference is its own module, so the go command does the work. A
// current binary is kept.
func Build(ctx context.Context, source, dir, version string) (*Reference, error) {
	binary, kubernetes, minor, err := buildCommand(ctx, source, dir, "reference", "k8s.io/kubernetes", version)
	if err != nil {
		return nil, err
	}
	release, folder, _ := strings.Cut(kubernetes, " ")
	return &Reference{Minor: minor, Release: strings.TrimPrefix(release, "v"), binary: binary, kubernetes: folder}, nil
}

// buildFlags select a release's modules and files. Tag until1.33 means release 1.33 or older, tag
// since1.37 means 1.37.
func buildFlags(minor int) []string {
	if minor == Recorded {
		return nil
	}
	tags := []string{"since1.37"}
	if minor < Recorded {
		tags = nil
		for m := minor; m < Recorded; m++ {
			tags = append(tags, fmt.Sprintf("until1.%d", m))
		}
	}
	return []string{fmt.Sprintf("-modfile=releases/1.%d.mod", minor), "-tags=" + strings.Join(tags, ",")}
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

// Answers runs cases through the reference. It passes each response to done, from one goroutine, in
// any order.
func (r *Reference) Answers(ctx context.Context, workers int, cases []wire.Case, done func(wire.Answer)) error {
	if r.Minor == 32 { // whose mutation compilers interfere with each other
		workers = 1
	}
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
