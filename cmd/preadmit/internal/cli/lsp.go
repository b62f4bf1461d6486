package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/language"
)

// lsp answers an editor on the standard streams.
func (a *app) lsp(args []string) (int, error) {
	f := newFlags("lsp")
	f.Bool("stdio", true, "") // what editors give; there is no other way
	if rest, err := f.parse(args); err != nil {
		return 0, err
	} else if len(rest) > 0 {
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
