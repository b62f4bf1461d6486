// Package cli is the command line. It reads files, asks the engine, and writes
// what a printer makes of the report; it decides nothing about admission.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/render/text"
	"github.com/preadmit/preadmit/storage"
)

// Exit codes, as the help says.
const (
	exitOK     = report.ExitAdmitted // or all scenarios pass
	exitDenied = report.ExitDenied   // or a scenario fails, or something that -fail-on names
	exitInput  = report.ExitWrong    // usage, too
	exitBug    = report.ExitBug      // a mistake of ours
)

// withBuiltInKinds gives the engine the API server's own code for built-in kinds.
var withBuiltInKinds = sync.OnceFunc(func() {
	klog.SetLogger(logr.Discard()) // the server's code writes to its log where its two ways to validate differ
	engine.Use(storage.New())
})

// Run runs one command and returns its exit code. Nothing but the given
// streams, the named files and the environment (NO_COLOR, CLICOLOR_FORCE) is
// touched.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(stderr, "preadmit: this is a bug in preadmit, please report it at %s with the input: %v\n%s", codes.ReportAddress, reason, debug.Stack())
			code = exitBug
		}
	}()
	withBuiltInKinds()
	out, errs := newScreen(stdout), newScreen(stderr)
	errs.Writer = text.SafeWriter(errs.Writer) // it is for people, wherever it goes
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

// screen is a stream of the program that may go to a terminal. Data for a file or
// another program is written as it is; a terminal gets nothing that it would obey.
type screen struct {
	io.Writer
	terminal *os.File // nil when it is none
	// failed is the first error of writing. No command may end well with one, even if it
	// has not looked.
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
	limits         engine.Limits
	code           int // that the command has found
}

// maxHeap is how far the heap may grow in an evaluation, in bytes.
const maxHeap = 150 << 20

// MemoryGoal is how much memory the program takes, in bytes, before the collector
// works harder.
const MemoryGoal = 220 << 20

// MemoryGrowth is how much of what is in use the program makes, in per cent of it,
// before the collector looks for what is not in use any more. One request leaves
// little, and many follow it: at Go's own 100 a replay takes up to half as long again.
const MemoryGrowth = 400

// writeError is the error of a full disk or a closed pipe in err, if that is what
// it is, with the file unless that is the standard output: files are read before, and
// anything written is the output.
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

// inputError is a mistake of the user; every other error is ours.
type inputError struct{ message, hint string }

func (e *inputError) Error() string { return e.message }

func badInput(format string, args ...any) error {
	return &inputError{message: fmt.Sprintf(format, args...)}
}

// unreadable is the error for a file, which os errors name, behind what was done to it.
func unreadable(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return badInput("%s: %v", of.Path, of.Err)
	}
	return badInput("%v", err)
}

// root is the program with all of its commands.
func (a *app) root() *cobra.Command {
	cobra.EnableCommandSorting = false
	c := &cobra.Command{
		Use: "preadmit", Short: "What the Kubernetes API server will do with a request, before it does it",
		Long: overview, SilenceUsage: true, SilenceErrors: true, DisableAutoGenTag: true,
		RunE: a.runs(func([]string) (int, error) { return a.printVersion("text") }), // for --version
	}
	c.SetOut(a.stdout)
	c.SetErr(a.stderr)
	c.Flags().BoolP("version", "v", false, "print the version, as preadmit version does")
	c.AddGroup(&cobra.Group{ID: groupEvaluate, Title: "Evaluate:"}, &cobra.Group{ID: groupWrite, Title: "Write policies:"},
		&cobra.Group{ID: groupServe, Title: "Serve:"}, &cobra.Group{ID: groupShare, Title: "Share:"})
	for _, group := range []struct {
		name string
		list []*cobra.Command
	}{
		{groupEvaluate, []*cobra.Command{a.evalCommand(), a.celCommand(), a.testCommand(), a.replayCommand(), a.diffCommand()}},
		{groupWrite, []*cobra.Command{a.checkCommand(), a.fixCommand(), a.askCommand(), a.proposeCommand()}},
		{groupServe, []*cobra.Command{a.serveCommand(), a.uiCommand(), a.lspCommand(), a.mcpCommand()}},
		{groupShare, []*cobra.Command{a.linkCommand(), a.openCommand()}},
		{"", []*cobra.Command{a.versionCommand()}},
	} {
		for _, one := range group.list {
			one.GroupID = group.name
			c.AddCommand(one)
		}
	}
	c.SetHelpCommand(a.helpCommand())
	c.InitDefaultHelpCmd()
	c.InitDefaultCompletionCmd()
	a.completionNeedsShell(c)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return badInput("%s", strings.TrimPrefix(nameOf(c)+": "+flagMessage(c, err), ": "))
	})
	c.SetUsageTemplate(strings.Replace(c.UsageTemplate(), ".LocalFlags.FlagUsages", fmt.Sprintf(".LocalFlags.FlagUsagesWrapped %d", helpWidth), 1))
	return c
}

// completionNeedsShell names the shells where completion gets none that it knows.
func (a *app) completionNeedsShell(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // it was added before
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(*cobra.Command, []string) error {
		return badInput("completion needs the name of a shell: %s", strings.Join(namesOf(c), ", "))
	}
}

// The groups of commands in the help.
const (
	groupEvaluate = "evaluate"
	groupWrite    = "write"
	groupServe    = "serve"
	groupShare    = "share"
)

const overview = `preadmit says what the Kubernetes API server will do with a request, before it does it.

A scenario is a folder with policies.yaml, request.yaml, cluster.yaml and scenario.yaml (all
optional), or the same files in one .txtar archive.

Exit codes: 0 admitted, 1 denied, 2 the input is wrong, 3 a bug in preadmit.`

// runs makes a function that returns an exit code that of a command.
func (a *app) runs(f func(args []string) (int, error)) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) (err error) {
		a.code, err = f(args)
		return err
	}
}

// command runs one command and returns its exit code.
func (a *app) command(args []string) (int, error) {
	root := a.root()
	if len(args) == 0 {
		root.SetOut(a.stderr)
		return exitInput, root.Help()
	}
	name := args[0]
	found, _, err := root.Find([]string{name})
	completing := name == cobra.ShellCompRequestCmd || name == cobra.ShellCompNoDescRequestCmd
	if !completing && !strings.HasPrefix(name, "-") && (err != nil || found == root) {
		names := namesOf(root)
		return 0, &inputError{fmt.Sprintf("there is no command %q%s", name, didYouMean(names, name)), "Commands are " + strings.Join(names, ", ") + ". See preadmit help."}
	}
	switch {
	case completing:
	case found == root:
		args = a.withTwoDashes(root, args)
	default:
		args = append([]string{name}, a.withTwoDashes(found, args[1:])...)
	}
	root.SetArgs(args)
	c, err := root.ExecuteC()
	var wrong *inputError
	if errors.As(err, &wrong) && wrong.hint == "" {
		wrong.hint = strings.TrimSpace("See preadmit help "+nameOf(c)) + "."
	}
	return a.code, err
}

// nameOf is the name of a command without that of the program.
func nameOf(c *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "preadmit"), " ")
}

// namesOf are the names of the commands below one.
func namesOf(c *cobra.Command) []string {
	var names []string
	for _, one := range c.Commands() {
		names = append(names, one.Name())
	}
	return names
}

// didYouMean asks whether a name that is near was meant; empty when none is.
func didYouMean(names []string, got string) string {
	if best, ok := nearest.Of(names, got); ok {
		return fmt.Sprintf(", did you mean %s?", best)
	}
	return ""
}

// printer is set up for a stream: colour and width only for a terminal.
func (a *app) printer(w io.Writer) text.Printer {
	p := text.Printer{Width: text.DefaultWidth}
	if s, ok := w.(*screen); ok && s.terminal != nil {
		p.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(s.terminal.Fd())); err == nil && width > 0 {
			p.Width = width
		}
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" && os.Getenv("NO_COLOR") == "" {
		p.Color = true
	}
	return p
}
