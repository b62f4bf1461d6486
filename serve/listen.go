package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"
)

// Certificate is a server's certificate, in files that others renew.
type Certificate struct {
	certificate, key string
	lock             sync.Mutex
	current          *tls.Certificate
}

// ReadCertificate reads a certificate and its key from PEM files.
func ReadCertificate(certificate, key string) (*Certificate, error) {
	c := &Certificate{certificate: certificate, key: key}
	return c, c.read()
}

func (c *Certificate) read() error {
	loaded, err := tls.LoadX509KeyPair(filepath.Clean(c.certificate), filepath.Clean(c.key))
	if err != nil {
		return fmt.Errorf("the certificate: %w", err)
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.current = &loaded
	return nil
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.current, nil
}

// Answer serves TLS until the context ends, and then finishes running requests. At each interval it
// reloads the certificate and calls again, which may be nil. failed gets the error if a certificate
// cannot be read; the previous one stays.
func (s *Server) Answer(ctx context.Context, listener net.Listener, certificate *Certificate, interval time.Duration, again func(), failed func(error)) error {
	server := &http.Server{
		Handler: s.Handler(), TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get},
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100},
	}
	done := make(chan error, 1)
	go func() { done <- server.ServeTLS(&bounded{listener, s.clients, s.limits}, "", "") }()
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticks.C:
			if again != nil {
				again()
			}
			if err := certificate.read(); err != nil {
				failed(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
			defer cancel()
			if err := server.Shutdown(last); err != nil && !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		}
	}
}
