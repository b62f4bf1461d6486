package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/language"
)

func (a *app) lspCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "lsp", Short: "The language server for editors",
		Long: `Answers the Language Server Protocol on the standard input and output. An editor starts the command
itself. The YAML files of a folder are one scenario: policies, bindings, webhook configurations,
CustomResourceDefinitions and params. With a request.yaml beside them, the server evaluates it.

    problems       what check reports, with related places; with a request also what eval reports
    completion     variables, fields and functions of CEL, and the fields of kinds
    hover          help, and the value and cost for the request
    code actions   tried fixes; those with one likely answer all at once
    symbols        documents with their variables, validations, mutations and webhooks

Exit codes: 0 the editor or a signal ended it in order; 1 the editor ended without shutdown; 2 the
input is wrong; 3 a bug in preadmit.`,
		Example: "  preadmit lsp", RunE: a.runs(a.lsp),
	}
	c.Flags().Bool("stdio", true, "editors give it; it changes nothing")
	return c
}

// lsp answers an editor on the standard streams.
func (a *app) lsp(args []string) (int, error) {
	if len(args) > 0 {
		return 0, badInput("lsp takes no arguments: the editor sends the files")
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	orderly, err := language.New(thisBuild().Version, a.limits, a.stderr).Answer(ctx, a.stdin, a.stdout)
	if err != nil {
		return 0, badInput("lsp: %v", err)
	}
	if !orderly && ctx.Err() == nil {
		return exitDenied, nil // as the protocol says
	}
	return exitOK, nil
}
