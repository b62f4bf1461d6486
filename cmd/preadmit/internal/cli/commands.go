package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// root returns the program with all commands.
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

// completionNeedsShell lists the shells if completion gets an unknown one.
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

// runs adapts a function that returns an exit code to a cobra command.
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
		mayRepeat(root)
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

// mayRepeat allows each flag twice: for a completion cobra reads the same flags again.
func mayRepeat(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if s, ok := f.Value.(*setting); ok {
			s.repeat = true
		}
	})
	for _, one := range c.Commands() {
		mayRepeat(one)
	}
}

// nameOf returns a command's name without the program's.
func nameOf(c *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "preadmit"), " ")
}

// namesOf returns the names of a command's subcommands.
func namesOf(c *cobra.Command) []string {
	var names []string
	for _, one := range c.Commands() {
		names = append(names, one.Name())
	}
	return names
}
