package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/httpapi"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/serve"
)

type serveFlags struct {
	parts                               *parts
	settings                            *settings
	policies, address, certificate, key string
	reload                              time.Duration
	api                                 bool
}

func (a *app) serveCommand() *cobra.Command {
	s := &serveFlags{parts: &parts{noRequest: true}, address: ":8443", reload: 10 * time.Second}
	c, f := a.newCommand("serve [PATH...]", "Answer as a webhook, for clusters without such policies, or to programs", nil)
	f.text(&s.policies, "policies", "", "the same as a `PATH`")
	f.list(&s.parts.policies, "policy-file", "p", "`FILE`: policies, as eval -p; repeatable")
	f.cluster(&s.parts.cluster)
	f.text(&s.certificate, "tls-cert", "", "`FILE`: the certificate, PEM")
	f.text(&s.key, "tls-key", "", "`FILE`: its key, PEM")
	f.text(&s.address, "addr", "", "`HOST:PORT`: where to listen, 127.0.0.1:8181 with --api")
	f.checked("reload", "", "`DURATION`: how often the files and certificate are read again; policies that the API server would reject do not replace earlier ones", func(value string) (err error) {
		if s.reload, err = time.ParseDuration(value); err != nil || s.reload < time.Second {
			return errors.New("it must be one second or more, such as 10s")
		}
		return nil
	}).DefValue = s.reload.String()
	f.BoolVar(&s.api, "api", false, "answer programs")
	s.settings = f.settings(false)
	c.RunE = a.runs(func(args []string) (int, error) {
		if s.api {
			return a.serveAPI(f, args)
		}
		return a.serve(args, s)
	})
	return c
}

// serve answers AdmissionReviews as a webhook until it is stopped.
func (a *app) serve(args []string, s *serveFlags) (int, error) {
	if s.policies != "" {
		args = append(args, s.policies)
	}
	if s.certificate == "" || s.key == "" {
		return 0, badInput("serve needs --tls-cert and --tls-key: API servers call webhooks over TLS only")
	}
	if len(s.settings.plugins) > 0 {
		return 0, badInput("serve has no --plugin: the API server runs its plugins itself")
	}
	if slices.Contains(slices.Concat([]string{s.certificate, s.key}, args, s.parts.policies, s.parts.cluster), "-") {
		return 0, badInput("serve rereads its files, so it cannot read standard input")
	}
	w := &watched{app: a, args: args, parts: s.parts, settings: s.settings, server: serve.New(serve.Defaults)}
	if loaded, err := w.load(); err != nil || !loaded {
		return exitInput, err
	}
	pair, err := serve.ReadCertificate(s.certificate, s.key)
	if err != nil {
		return 0, badInput("serve: %v", err)
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return 0, badInput("serve: %v", err)
	}
	fmt.Fprintf(a.stderr, "preadmit: answering on https://%s/mutate and /validate\n", listener.Addr())
	failed := func(err error) { fmt.Fprintf(a.stderr, "preadmit: the certificate was not read again: %v\n", err) }
	if err := w.server.Answer(ctx, listener, pair, s.reload, w.again, failed); err != nil {
		return 0, badInput("serve: %v", err)
	}
	return exitOK, nil
}

// watched is a server that reloads its policies when their files change.
type watched struct {
	app      *app
	args     []string
	parts    *parts
	settings *settings
	server   *serve.Server
	seen     [sha256.Size]byte // hash of the files that were last read
}

// load reads the files and, if they changed, updates the server. It reports whether the server has
// them.
func (w *watched) load() (bool, error) {
	in, err := w.app.input(w.args, w.parts)
	if err != nil {
		return false, err
	}
	w.settings.apply(&in.Scenario)
	sum := sha256.Sum256([]byte(in.Policies + "\x00" + in.Cluster))
	if sum == w.seen {
		return true, nil
	}
	w.seen = sum
	problems := append(in.problems, w.server.Load(in.Scenario)...)
	in.place(problems)
	p := w.app.printer(w.app.stderr)
	p.Sources = in.sources
	if err := p.Diagnostics(w.app.stderr, problems); err != nil {
		return false, err
	}
	return !diag.HasErrors(problems), nil
}

// again reloads changed policies.
func (w *watched) again() {
	if _, err := w.load(); err != nil {
		fmt.Fprintf(w.app.stderr, "preadmit: the policies were not read again: %v\n", err)
	}
}

// serveAPI serves programs until it is stopped.
func (a *app) serveAPI(f flags, args []string) (int, error) {
	address := "127.0.0.1:8181"
	var other string
	f.Visit(func(given *pflag.Flag) {
		switch given.Name {
		case "api":
		case "addr":
			address = given.Value.String()
		default:
			other = given.Name
		}
	})
	if other != "" || len(args) > 0 {
		return 0, badInput("serve --api accepts only --addr, and no path: policies come with each call")
	}
	server, err := httpapi.New(thisBuild().Version, serve.Defaults)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := listenHere("serve", address)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(a.stderr, "preadmit: answering programs on http://%s/v1/evaluate and /v1/check; /openapi.json describes them\n", listener.Addr())
	return exitOK, answerHere(ctx, "serve", listener, server.Handler())
}
