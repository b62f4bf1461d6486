package differential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// BuildCommand builds a command that answers wire.Cases with the packages of a Kubernetes version
// such as "1.36". The command's folder is its own module; the program goes into dir. It returns the
// program, its module's release in Kubernetes numbers ("1.36.3"), and its minor version.
func BuildCommand(ctx context.Context, source, dir, name, module, version string) (program, release string, minor int, err error) {
	program, found, minor, err := buildCommand(ctx, source, dir, name, module, version)
	release, _, _ = strings.Cut(strings.TrimPrefix(found, "v"), " ")
	if rest, staging := strings.CutPrefix(release, "0."); staging {
		release = "1." + rest
	}
	return program, release, minor, err
}

// buildCommand implements BuildCommand. found is the module's version and folder.
func buildCommand(ctx context.Context, source, dir, name, module, version string) (program, found string, minor int, err error) {
	if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil || minor < Oldest || minor > Newest {
		return "", "", 0, fmt.Errorf("Kubernetes %q is not one of 1.%d to 1.%d", version, Oldest, Newest)
	}
	if program, err = filepath.Abs(filepath.Join(dir, name+"-"+version)); err != nil {
		return "", "", 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", 0, err
	}
	if _, err := output(ctx, source, "go", append(append([]string{"build"}, buildFlags(minor)...), "-o", program, ".")...); err != nil {
		return "", "", 0, err
	}
	found, err = output(ctx, source, "go", append(append([]string{"list"}, buildFlags(minor)...), "-m", "-f", "{{.Version}} {{.Dir}}", module)...)
	return program, strings.TrimSpace(found), minor, err
}

// Answered runs a program with an input and returns its output.
func Answered(ctx context.Context, program string, in io.Reader) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = in
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, failed.Stderr)
	}
	return out, err
}
