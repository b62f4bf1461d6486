package cli

import (
	"context"
	"net"
	"net/http"
	"time"
)

// listenHere listens on a loopback address only.
func listenHere(command, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, badInput("%s: --addr: %v", command, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, badInput("%s: --addr %s is not an address of this machine alone; use 127.0.0.1, [::1] or localhost", command, address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, badInput("%s: %v", command, err)
	}
	return listener, nil
}

// answerHere serves without TLS until the context ends.
func answerHere(ctx context.Context, command string, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return badInput("%s: %v", command, err)
	case <-ctx.Done():
		return server.Close() // clients keep idle connections open
	}
}
