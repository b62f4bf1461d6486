package cli

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/programs"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/serve"
)

// serve answers AdmissionReviews as a webhook until it is stopped.
func (a *app) serve(args []string) (int, error) {
	f := newFlags("serve")
	parts, settings := served(f.list("p"), f.list("c")), f.settings(false)
	policies := f.String("policies", "", "")
	address := f.String("addr", ":8443", "")
	certificate, key := f.String("tls-cert", "", ""), f.String("tls-key", "", "")
	reload := f.Duration("reload", 10*time.Second, "")
	api := f.Bool("api", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if *api {
		return a.serveAPI(f, args)
	}
	if *policies != "" {
		args = append(args, *policies)
	}
	if *certificate == "" || *key == "" {
		return 0, badInput("serve needs -tls-cert and -tls-key: API servers call webhooks over TLS only")
	}
	if len(settings.plugins) > 0 {
		return 0, badInput("serve has no -plugin: the API server runs its plugins itself")
	}
	if *reload < time.Second {
		return 0, badInput("serve: -reload is one second or more")
	}
	for _, file := range append(append([]string{*certificate, *key}, args...), append(*parts.policies, *parts.cluster...)...) {
		if file == "-" {
			return 0, badInput("serve rereads its files, so it cannot read standard input")
		}
	}
	w := &watched{app: a, args: args, parts: parts, settings: settings, server: serve.New(serve.Defaults)}
	if loaded, err := w.load(); err != nil || !loaded {
		return exitInput, err
	}
	pair, err := serve.ReadCertificate(*certificate, *key)
	if err != nil {
		return 0, badInput("serve: %v", err)
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return 0, badInput("serve: %v", err)
	}
	fmt.Fprintf(a.stderr, "preadmit: answering on https://%s/mutate and /validate\n", listener.Addr())
	failed := func(err error) { fmt.Fprintf(a.stderr, "preadmit: the certificate was not read again: %v\n", err) }
	if err := w.server.Answer(ctx, listener, pair, *reload, w.again, failed); err != nil {
		return 0, badInput("serve: %v", err)
	}
	return exitOK, nil
}

// served are the parts that policies are read from: requests come from the API server.
func served(policies, cluster *[]string) *parts {
	return &parts{policies: policies, cluster: cluster, request: new(string), noRequest: true}
}

// watched is a server whose policies are read again when their files change.
type watched struct {
	app      *app
	args     []string
	parts    *parts
	settings *settings
	server   *serve.Server
	seen     [sha256.Size]byte // of the files that were read last
}

// load reads the files, and gives them to the server if they changed. It reports
// whether the server has them.
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

// again reads policies that changed.
func (w *watched) again() {
	if _, err := w.load(); err != nil {
		fmt.Fprintf(w.app.stderr, "preadmit: the policies were not read again: %v\n", err)
	}
}

// serveAPI answers programs until it is stopped.
func (a *app) serveAPI(f flags, args []string) (int, error) {
	address := "127.0.0.1:8181"
	var other string
	f.Visit(func(given *flag.Flag) {
		switch given.Name {
		case "api":
		case "addr":
			address = given.Value.String()
		default:
			other = given.Name
		}
	})
	if other != "" || len(args) > 0 {
		return 0, badInput("serve -api takes no other flag than -addr, and no path: policies come with each call")
	}
	server, err := programs.New(thisBuild().Version, serve.Defaults)
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
