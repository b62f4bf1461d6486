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
	c := &cobra.Command{
		Use: "mcp", Short: "Tools for agents, over the Model Context Protocol",
		Long: `Answers the Model Context Protocol on the standard input and output. An agent starts the command
itself. It reads no file and calls no other server: texts come with each call.

    evaluate         the server's answer to a request, with the value of each expression
    check            problems in policies, without a request
    fix              the policies after fixes that have one likely answer
    explain_denial   who denied a request, from kubectl's message, and why

Resources are the examples, preadmit://examples, and the documentation, such as preadmit://docs/cel.
A call has at most 8 MiB and 20 seconds. Two run at the same time.

Exit codes: 0 the client closed the input, or a signal stopped the command; 2 the input is wrong; 3
a bug in preadmit.`,
		Example: "  preadmit mcp --addr 127.0.0.1:8811",
		RunE:    a.runs(func(args []string) (int, error) { return a.mcp(args, address) }),
	}
	flagsOf(c).text(&address, "addr", "", "answer over streamable HTTP at /mcp on this machine's `HOST:PORT`")
	return c
}

// mcp answers agents on the standard streams, or over HTTP on this machine.
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
