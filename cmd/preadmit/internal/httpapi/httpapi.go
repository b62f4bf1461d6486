// Package httpapi serves other programs over HTTP: a scenario in, its report out. It has the same
// limits as the webhook.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

// Server serves programs. It is safe for concurrent use.
type Server struct {
	limits      serve.Limits
	slots       chan struct{}
	description []byte
}

// New returns a server. version is the program's.
func New(version string, limits serve.Limits) (*Server, error) {
	description, err := openAPI(version, limits)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI description: %w", err)
	}
	return &Server{limits: limits, slots: make(chan struct{}, limits.Concurrent), description: description}, nil
}

// Handler serves /v1/evaluate, /v1/check, /openapi.json and /healthz. Other sites' pages cannot
// call it.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/evaluate", s.calls(evaluate))
	mux.HandleFunc("POST /v1/check", s.calls(check))
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.description) // the client may have disconnected
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return http.NewCrossOriginProtection().Handler(mux)
}

func evaluate(ctx context.Context, s scenario.Scenario, r *http.Request) (any, error) {
	o := engine.Options{TryRepairs: true}
	switch r.URL.Query().Get("explain") {
	case "", "false":
	case "true":
		o = engine.Everything()
	default:
		return nil, &failure{http.StatusBadRequest, "explain must be true or false"}
	}
	return engine.Evaluate(ctx, s, o)
}

// check returns the server's result for a scenario's policies and cluster.
func check(ctx context.Context, s scenario.Scenario, _ *http.Request) (any, error) {
	return checks.Of(ctx, s, checks.Everything())
}

// failure is a call without a report.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }

// problem is the reply for a failure.
type problem struct {
	Error string `json:"error"`
}

func (s *Server) calls(answer func(context.Context, scenario.Scenario, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := s.call(w, r, answer)
		code := http.StatusOK
		if err != nil {
			code = http.StatusInternalServerError
			var known *failure
			if errors.As(err, &known) {
				code = known.code
			}
			out = problem{err.Error()}
		}
		w.Header().Set("Content-Type", "application/json")
		if code == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(code)
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(out) // the client may have disconnected
	}
}

func (s *Server) call(w http.ResponseWriter, r *http.Request, answer func(context.Context, scenario.Scenario, *http.Request) (any, error)) (any, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, &failure{http.StatusServiceUnavailable, fmt.Sprintf("%d calls are being answered already", s.limits.Concurrent)}
	}
	given, err := s.read(w, r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Timeout)
	defer cancel()
	return answer(ctx, given, r)
}

// read reads a call's scenario.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (scenario.Scenario, error) {
	var given scenario.Scenario
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return given, &failure{http.StatusUnsupportedMediaType, "the Content-Type must be application/json"}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.limits.Body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&given)
	if err == nil && decoder.More() {
		err = errors.New("there is more text after it")
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return given, &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d MiB", s.limits.Body>>20)}
	case errors.Is(err, io.EOF):
		return given, &failure{http.StatusBadRequest, "the body is empty: send a scenario as JSON, see /openapi.json"}
	case err != nil:
		return given, &failure{http.StatusBadRequest, "the body is not a scenario: " + err.Error()}
	}
	if given.Kubernetes != "" {
		if given.Kubernetes, err = scenario.ParseVersion(given.Kubernetes); err != nil {
			return given, &failure{http.StatusBadRequest, err.Error()}
		}
	}
	return given, nil
}
