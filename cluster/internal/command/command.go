// Package command is the plugin's command line. It determines the request, reads what the request
// needs, and prints the engine's result.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/text"
)

// app is one run of the program.
type app struct {
	flags          *genericclioptions.ConfigFlags
	stdin          io.Reader
	stdout, stderr io.Writer
	output         string
	asUser         string   // the request's user; empty for the caller
	asGroups       []string // the user's groups
	code           int
}

// Run runs one command and returns its exit code, as in preadmit: 0 admitted, 1 denied or drifted,
// 2 wrong input or an unreachable cluster.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{flags: genericclioptions.NewConfigFlags(true), stdin: stdin, stdout: stdout, stderr: stderr}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.stdout = text.SafeWriter(stdout) // removes control sequences for a terminal
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "kubectl-preadmit: %s\n", text.Safe(err.Error()))
		return report.ExitWrong
	}
	return a.code
}

// version is set by a release's build.
var version string

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-preadmit", Short: "What a cluster's API server will do with a request, and why",
		Long: "What a cluster's API server will do with a request, and why.\n\n" +
			"It reads policies, bindings, params, namespaces, roles and definitions, evaluates\n" +
			"the request on this machine, and changes nothing in the cluster. Secrets are never read.",
		SilenceUsage: true, SilenceErrors: true, Version: cmp.Or(version, "built from sources"),
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl preadmit"},
	}
	a.flags.AddFlags(root.PersistentFlags())
	root.AddCommand(a.whyCommand(), a.tryCommand(), a.collectCommand(), a.driftCommand(), a.serveCommand())
	return root
}

// outputFlag adds -o.
func (a *app) outputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&a.output, "output", "o", "text", "text or json")
}

// userFlags adds the flags for the request's user.
func (a *app) userFlags(c *cobra.Command) {
	c.Flags().StringVar(&a.asUser, "user-name", "", "the user who makes the request, by default you; needs no permission to impersonate")
	c.Flags().StringSliceVar(&a.asGroups, "user-group", nil, "a group of --user-name; system:authenticated is added")
}

func (a *app) checkOutput() error {
	if a.output != "text" && a.output != "json" {
		return fmt.Errorf("-o must be text or json, not %q", a.output)
	}
	return nil
}

// client returns the connection's configuration.
func (a *app) client() (*rest.Config, error) {
	config, err := a.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	// One command reads a handful of lists. client-go's default limits are for long-running
	// programs.
	config.QPS, config.Burst = 50, 100
	config.WarningHandler = rest.NoWarnings{} // they are about versions that this program selected
	return config, nil
}

// cluster connects to the cluster.
func (a *app) cluster() (*source.Cluster, error) {
	config, err := a.client()
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper, err := a.flags.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	versions, err := a.flags.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return source.New(objects, mapper, versions), nil
}

// namespace returns the namespace from the flags or context, and whether a flag set it.
func (a *app) namespace() (string, bool, error) {
	return a.flags.ToRawKubeConfigLoader().Namespace()
}

// user returns the request's user.
func (a *app) user(ctx context.Context, from *source.Cluster) (authenticationv1.UserInfo, error) {
	if a.asUser == "" {
		if len(a.asGroups) > 0 {
			return authenticationv1.UserInfo{}, errors.New("--user-group needs --user-name")
		}
		return from.Whoami(ctx)
	}
	return authenticationv1.UserInfo{Username: a.asUser, Groups: append(append([]string{}, a.asGroups...), "system:authenticated")}, nil
}

// evaluate runs the engine and adds the collection's assumptions.
func evaluate(ctx context.Context, c *collected) (*report.Report, error) {
	r, err := engine.Evaluate(ctx, c.Scenario, engine.Everything())
	if err != nil {
		return nil, err
	}
	r.Assumed = append(r.Assumed, c.Assumed...)
	return r, nil
}
