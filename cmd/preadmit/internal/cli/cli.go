// Package cli is the command line. It reads files, calls the engine,
// and prints the report. It decides nothing about admission.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"

	"github.com/go-logr/logr"
	"golang.org/x/term"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/render/text"
	"github.com/preadmit/preadmit/storage"
)

// Exit codes, as in the help.
const (
	exitOK     = report.ExitAdmitted // or all scenarios pass
	exitDenied = report.ExitDenied   // or a scenario fails, or --fail-on applies
	exitInput  = report.ExitWrong    // or wrong usage
	exitBug    = report.ExitBug      // a bug in Preadmit
)

// withBuiltInKinds enables the API server's own code for built-in kinds.
var withBuiltInKinds = sync.OnceFunc(func() {
	klog.SetLogger(logr.Discard()) // the server's code logs differences between its two validations
	engine.Use(storage.New())
})

// Run runs one command and returns its exit code. It only uses the given streams, the named files
// and the environment (NO_COLOR, CLICOLOR_FORCE).
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(stderr, "preadmit: this is a bug in preadmit, please report it at %s with the input: %v\n%s", codes.ReportAddress, reason, debug.Stack())
			code = exitBug
		}
	}()
	withBuiltInKinds()
	out, errs := newScreen(stdout), newScreen(stderr)
	errs.Writer = text.SafeWriter(errs.Writer) // it is for people, even when redirected
	if out.terminal != nil {
		out.Writer = text.SafeWriter(out.Writer)
	}
	stderr = errs
	a := &app{ctx: context.Background(), stdin: stdin, stdout: out, stderr: errs, limits: engine.Limits{Heap: maxHeap}}
	code, err := a.command(args)
	if err == nil {
		err = out.failed
	}
	if err == nil {
		return code
	}
	if writing := a.writeError(err); writing != nil {
		fmt.Fprintf(stderr, "preadmit: the output could not be written: %v\n", writing)
		return exitInput
	}
	var wrong *inputError
	if !errors.As(err, &wrong) {
		fmt.Fprintf(stderr, "preadmit: this is a bug in preadmit, please report it at %s with the input: %v\n", codes.ReportAddress, err)
		return exitBug
	}
	fmt.Fprintf(stderr, "preadmit: %s\n", wrong.message)
	if wrong.hint != "" {
		fmt.Fprintf(stderr, "%s\n", wrong.hint)
	}
	return exitInput
}

// screen is an output stream that may be a terminal. It writes data for files and programs
// unchanged, and removes control sequences for a terminal.
type screen struct {
	io.Writer
	terminal *os.File // nil if it is not a terminal
	// failed is the first write error. A command must not succeed after one, even if it did not
	// check.
	failed error
}

func (s *screen) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("writing the output: %w", err)
	}
	return n, err
}

func newScreen(w io.Writer) *screen {
	s := &screen{Writer: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.terminal = f
	}
	return s
}

// say writes a text for people.
func (a *app) say(s string) error {
	_, err := io.WriteString(a.stdout, text.Safe(s))
	return err
}

// app is one run of the program.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	stdinRead      bool
	pipes          map[string][]byte // what was read from them
	limits         engine.Limits
	code           int // the command's exit code
}

// maxHeap limits the heap of an evaluation, in bytes.
const maxHeap = 150 << 20

// MemoryGoal is the memory, in bytes, from which the garbage collector works harder.
const MemoryGoal = 220 << 20

// MemoryGrowth is the heap growth, in per cent, before the next garbage collection. One request
// leaves little garbage, and many follow it: with Go's default of 100, a replay takes up to half as
// long again.
const MemoryGrowth = 400

// writeError returns err's write error, if it is one, such as a full disk or a closed pipe. It
// includes the file unless that is the standard output. Files are read before anything is written,
// so every write is output.
func (a *app) writeError(err error) error {
	var path *fs.PathError
	switch {
	case !errors.As(err, &path) || path.Op != "write":
		return nil
	case path.Path == os.Stdout.Name():
		return path.Err
	}
	return fmt.Errorf("%s: %w", path.Path, path.Err)
}

// inputError is the user's mistake; all other errors are ours.
type inputError struct{ message, hint string }

func (e *inputError) Error() string { return e.message }

func badInput(format string, args ...any) error {
	return &inputError{message: fmt.Sprintf(format, args...)}
}

// unreadable returns the error for a file, after the operation. os errors name the file.
func unreadable(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return badInput("%s: %v", of.Path, of.Err)
	}
	return badInput("%v", err)
}

// didYouMean suggests a similar name, if there is one.
func didYouMean(names []string, got string) string {
	if best, ok := nearest.Of(names, got); ok {
		return fmt.Sprintf(", did you mean %s?", best)
	}
	return ""
}

// printer returns a printer for a stream, with colour and width only for a terminal.
func (a *app) printer(w io.Writer) text.Printer {
	p := text.Printer{Width: text.DefaultWidth}
	if s, ok := w.(*screen); ok && s.terminal != nil {
		p.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(s.terminal.Fd())); err == nil && width > 0 {
			p.Width, p.Wrap = width, true
		}
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" && os.Getenv("NO_COLOR") == "" {
		p.Color = true
	}
	return p
}
