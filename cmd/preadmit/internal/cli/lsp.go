package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/language"
)

func (a *app) lspCommand() *cobra.Command {
	c, f := a.newCommand("lsp", "The language server for editors", a.lsp)
	f.Bool("stdio", true, "for editors; has no effect")
	return c
}

// lsp serves an editor on the standard streams.
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
		return exitDenied, nil // required by the protocol
	}
	return exitOK, nil
}
