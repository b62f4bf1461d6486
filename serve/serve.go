// Package serve answers AdmissionReviews with policies, for clusters that cannot evaluate these
// policies themselves (KEP-3962 names that as a goal outside the API server). It is a webhook's
// handler: /mutate evaluates mutating policies, /validate validating ones.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Limits limit a server's load. Zero means the limit from [Defaults].
type Limits struct {
	// Body is the maximum size of a review, in bytes. The API server accepts objects of 3 MiB, and
	// a review has two.
	Body int64
	// Concurrent is how many reviews are evaluated at the same time. More get 503, and so does one
	// client beyond three quarters.
	Concurrent int
	// Timeout limits an evaluation if the caller does not specify one.
	Timeout time.Duration
	// Receive limits the time in which a review must arrive.
	Receive time.Duration
	// Connections limits one client's open connections, by address; All limits the total. An API
	// server has few: HTTP/2 sends its reviews over one.
	Connections, All int
	// Received limits the bytes of unanswered reviews; one client may use a quarter.
	Received int64
}

// Defaults are the command's limits.
var Defaults = Limits{Body: 8 << 20, Concurrent: 64, Timeout: 10 * time.Second, Receive: 10 * time.Second, Connections: 64, All: 1024, Received: 256 << 20}

// Server answers reviews with its current policies. It is safe for concurrent use.
type Server struct {
	limits  Limits
	slots   chan struct{}
	clients *clients
	metrics *metrics
	engine  *engine.Engine
	current atomic.Pointer[policies]
}

// policies are a configuration's two compiled halves.
type policies struct{ mutating, validating *engine.Configuration }

// New returns a server without policies, which is not ready.
func New(limits Limits) *Server {
	limits.Body, limits.Concurrent = cmp.Or(limits.Body, Defaults.Body), cmp.Or(limits.Concurrent, Defaults.Concurrent)
	limits.Timeout, limits.Receive = cmp.Or(limits.Timeout, Defaults.Timeout), cmp.Or(limits.Receive, Defaults.Receive)
	limits.Connections, limits.All, limits.Received = cmp.Or(limits.Connections, Defaults.Connections), cmp.Or(limits.All, Defaults.All), cmp.Or(limits.Received, Defaults.Received)
	return &Server{limits: limits, slots: make(chan struct{}, limits.Concurrent), clients: newClients(), metrics: newMetrics(), engine: engine.New()}
}

// The kinds of policies that the server evaluates.
var (
	mutatingKinds   = []string{"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}
	validatingKinds = []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
)

// Load compiles a scenario's policies and cluster and uses them from now on. On an error, for which
// the API server would reject a policy, the server keeps the previous ones. The diagnostics include
// warnings.
func (s *Server) Load(files scenario.Scenario) diag.Diagnostics {
	files.Request, files.Expression, files.Options.Plugins = "", "", scenario.Exactly()
	_, problems := s.engine.Compile(files)
	if problems.HasErrors() {
		s.metrics.loaded(false)
		return problems
	}
	mutating, first := s.engine.Compile(only(files, mutatingKinds))
	validating, second := s.engine.Compile(only(files, validatingKinds))
	if errs := append(first.Errors(), second.Errors()...); len(errs) > 0 {
		s.metrics.loaded(false)
		return append(problems, errs...)
	}
	s.current.Store(&policies{mutating: mutating, validating: validating})
	s.metrics.loaded(true)
	return problems
}

// only keeps the policies of some kinds. It drops webhooks, because nothing calls them from here.
func only(files scenario.Scenario, kinds []string) scenario.Scenario {
	docs, _ := scenario.ParseDocuments(diag.Policies, files.Policies) // its problems have been reported
	var kept []string
	for _, d := range docs {
		for _, kind := range kinds {
			if d.Kind == kind {
				kept = append(kept, string(d.JSON()))
			}
		}
	}
	files.Policies = strings.Join(kept, "\n---\n")
	return files
}

// Handler serves /mutate, /validate, /healthz, /readyz and /metrics.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mutate", s.reviews("mutate", func(p *policies) *engine.Configuration { return p.mutating }, mutated))
	mux.HandleFunc("POST /validate", s.reviews("validate", func(p *policies) *engine.Configuration { return p.validating }, validated))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.current.Load() == nil {
			http.Error(w, "no policies are loaded", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	return mux
}

// failure is a review without a verdict. The API server then applies the failure policy from its
// webhook configuration.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }

func (s *Server) reviews(path string, choose func(*policies) *engine.Configuration, answer func(*report.Report) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		out, err := s.review(w, r, choose, answer)
		if err != nil {
			code := http.StatusInternalServerError
			var known *failure
			if errors.As(err, &known) {
				code = known.code
			}
			s.metrics.failed(path, code, time.Since(start))
			http.Error(w, "preadmit: "+err.Error(), code)
			return
		}
		response := out["response"].(map[string]any)
		s.metrics.answered(path, response["allowed"] == true, time.Since(start))
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(out); err != nil {
			return // the caller has disconnected
		}
	}
}

// envelope has a review's fields that the engine does not read.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID string `json:"uid"`
	} `json:"request"`
}

func (s *Server) review(w http.ResponseWriter, r *http.Request, choose func(*policies) *engine.Configuration, answer func(*report.Report) map[string]any) (map[string]any, error) {
	loaded := s.current.Load()
	if loaded == nil {
		return nil, &failure{http.StatusServiceUnavailable, "no policies are loaded"}
	}
	body, release, err := s.receive(w, r)
	defer release()
	if err != nil {
		return nil, err
	}
	client := clientOf(r)
	if !s.clients.evaluate(client, s.limits) {
		return nil, &failure{http.StatusServiceUnavailable, fmt.Sprintf("too many reviews of %s are being evaluated already", client)}
	}
	defer s.clients.evaluated(client)
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, &failure{http.StatusServiceUnavailable, fmt.Sprintf("%d reviews are being evaluated already", s.limits.Concurrent)}
	}
	var asked envelope
	if err := json.Unmarshal(body, &asked); err != nil || asked.Kind != "AdmissionReview" || asked.Request == nil {
		return nil, &failure{http.StatusBadRequest, "the body is not an AdmissionReview with a request"}
	}
	if asked.APIVersion != "admission.k8s.io/v1" && asked.APIVersion != "admission.k8s.io/v1beta1" {
		return nil, &failure{http.StatusBadRequest, "this webhook answers AdmissionReview v1 and v1beta1, not " + asked.APIVersion}
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(r))
	defer cancel()
	// The calling API server authorizes, prepares and validates by itself.
	result, err := choose(loaded).Evaluate(ctx, engine.Text(string(body)), engine.Options{AdmissionOnly: true})
	switch {
	case errors.Is(err, context.DeadlineExceeded), err == nil && ctx.Err() != nil && result.Outcome.State == report.StateUndecided:
		return nil, &failure{http.StatusGatewayTimeout, "the policies took too long"}
	case err != nil:
		return nil, err
	case result.Mistaken(): // an error, on which the failurePolicy decides
		return nil, errors.New(result.Outcome.StateReason)
	case result.Request == nil || len(result.Steps) == 0 && !result.Outcome.Allowed:
		return nil, &failure{http.StatusBadRequest, unusable(result)}
	}
	response := answer(result)
	response["uid"] = asked.Request.UID
	return map[string]any{"apiVersion": asked.APIVersion, "kind": "AdmissionReview", "response": response}, nil
}

// maxWait is the longest timeout of a webhook configuration.
const maxWait = 30 * time.Second

// timeout is slightly less than the API server's timeout, which it sends in the URL. Any caller
// could set it, so it is limited to a server's maximum.
func (s *Server) timeout(r *http.Request) time.Duration {
	if d, err := time.ParseDuration(r.URL.Query().Get("timeout")); err == nil && d > 0 {
		return min(d, maxWait) * 9 / 10
	}
	return s.limits.Timeout
}

// unusable says why a review was not evaluated.
func unusable(r *report.Report) string {
	for _, d := range r.Diagnostics.Errors() {
		if d.Text == diag.Request {
			return "the request cannot be read: " + d.Summary
		}
	}
	if r.Outcome.Message != "" {
		return r.Outcome.Message
	}
	return "the request cannot be read"
}
