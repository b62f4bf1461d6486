package cli

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/agents"
)

func (a *app) mcpCommand() *cobra.Command {
	address := ""
	c, f := a.newCommand("mcp", "Tools for agents, over the Model Context Protocol", func(args []string) (int, error) { return a.mcp(args, address) })
	f.text(&address, "addr", "", "answer over streamable HTTP at /mcp on this machine's `HOST:PORT`")
	return c
}

// mcp serves agents on the standard streams, or over HTTP on this machine.
func (a *app) mcp(args []string, address string) (int, error) {
	if len(args) > 0 {
		return 0, badInput("mcp takes no arguments: the texts come with each call")
	}
	server, err := agents.New(thisBuild().Version, a.limits)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if address == "" {
		if err := server.Answer(ctx, a.stdin, a.stdout); err != nil {
			return 0, badInput("mcp: %v", err)
		}
		return exitOK, nil
	}
	listener, err := listenHere("mcp", address)
	if err != nil {
		return 0, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.Handler())
	fmt.Fprintf(a.stderr, "preadmit: answering agents on http://%s/mcp\n", listener.Addr())
	return exitOK, answerHere(ctx, "mcp", listener, mux)
}
