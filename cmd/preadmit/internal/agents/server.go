// Package agents is a Model Context Protocol server: agents use it to evaluate, check and repair
// admission policies, and to read examples and documentation. It reads no files and calls no other
// servers.
package agents

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/serve"
)

// instructions tell an agent when to use which tool.
const instructions = `Preadmit predicts what the Kubernetes API server's admission answers, with the server's own CEL libraries, limits and messages.
- Write a policy, then call check. It compiles and types every expression as the server does.
- Call evaluate with a request that must be denied and one that must be admitted.
- Call find_request for such requests, and for one that a changed policy answers differently.
- Call fix for mistakes that have one likely repair; it returns the repaired texts.
- Call explain_denial with the message that kubectl printed. Add the policies and the request to see the deciding expression with its values.
Read the resource preadmit://docs/cel before you write CEL: it lists the functions of each release. preadmit://examples has complete policies.`

// callTime is the time limit for one tool call.
const callTime = 20 * time.Second

// Server serves agents.
type Server struct {
	mcp    *mcp.Server
	limits engine.Limits
	// slots limits how many calls run at the same time.
	slots chan struct{}
}

// New returns a server for a version of the program. The limits apply to each evaluation.
func New(version string, limits engine.Limits) (*Server, error) {
	s := &Server{limits: limits, slots: make(chan struct{}, 2)}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "preadmit", Title: "Preadmit", Version: version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{},
	})
	s.addTools()
	if err := s.addResources(); err != nil {
		return nil, err
	}
	return s, nil
}

// Answer serves one client, one message per line, until the client closes its side or the context
// ends.
func (s *Server) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	transport := &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}, MaxLineLength: int(serve.Defaults.Body)}
	err := s.mcp.Run(ctx, draining{transport})
	if ctx.Err() != nil {
		return nil // stopped
	}
	return err
}

// unclosed is a writer that others close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// Handler serves clients over streamable HTTP without sessions: every call is independent. Other
// sites' pages cannot call it.
func (s *Server) Handler() http.Handler {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: serve.Defaults.Body, PropagateRequestCancellation: true,
	})
	return http.NewCrossOriginProtection().Handler(handler)
}

// begin waits for a slot and limits a call's time.
func (s *Server) begin(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTime, fmt.Errorf("the call took more than %v", callTime))
	select {
	case s.slots <- struct{}{}:
		return ctx, func() { <-s.slots; cancel() }, nil
	case <-ctx.Done():
		cancel()
		return nil, nil, context.Cause(ctx)
	}
}
