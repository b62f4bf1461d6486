package command

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"

	"github.com/preadmit/preadmit/cluster/internal/files"
	"github.com/preadmit/preadmit/cluster/internal/keep"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
	"github.com/preadmit/preadmit/serve"
)

// served are a server's flags.
type served struct {
	policies         []string
	own              bool
	address          string
	certificate, key string
	kubernetes       string
	interval         time.Duration
	lock             sync.Mutex
	app              *app
}

func (a *app) serveCommand() *cobra.Command {
	s := &served{app: a}
	c := &cobra.Command{
		Use: "serve", Short: "Run policies as a webhook, kept in step with the cluster",
		Long: "Answers AdmissionReviews as preadmit serve does, with the params, namespaces, definitions\n" +
			"and roles that the cluster has at the time: informers watch everything that the policies\n" +
			"read. It is ready once all of it was listed. See docs/cluster.md for its permissions.",
		Example: "  kubectl preadmit serve --policies policies/ --tls-cert tls.crt --tls-key tls.key",
		Args:    cobra.NoArgs,
		RunE:    s.run,
	}
	f := c.Flags()
	f.StringSliceVar(&s.policies, "policies", nil, "files and folders with policies, and with objects that they read besides the cluster's")
	f.BoolVar(&s.own, "cluster-policies", false, "also run the policies that the cluster has")
	f.StringVar(&s.address, "addr", ":8443", "address to listen on")
	f.StringVar(&s.certificate, "tls-cert", "", "certificate, PEM")
	f.StringVar(&s.key, "tls-key", "", "its key, PEM")
	f.StringVar(&s.kubernetes, "kubernetes", scenario.DefaultVersion, "the Kubernetes version to simulate")
	f.DurationVar(&s.interval, "reload", 10*time.Second, "how often the files are read again")
	return c
}

func (s *served) check() error {
	switch _, err := scenario.ParseVersion(s.kubernetes); {
	case len(s.policies) == 0 && !s.own:
		return errors.New("serve needs --policies, --cluster-policies or both")
	case s.certificate == "" || s.key == "":
		return errors.New("serve needs --tls-cert and --tls-key: API servers call webhooks over TLS only")
	case s.interval < time.Second:
		return errors.New("--reload must be one second or more")
	default:
		return err
	}
}

func (s *served) run(cmd *cobra.Command, _ []string) error {
	if err := s.check(); err != nil {
		return err
	}
	read := func() ([]*scenario.Document, error) {
		if len(s.policies) == 0 {
			return nil, nil
		}
		return files.Documents(s.policies, nil)
	}
	if _, err := read(); err != nil {
		return err
	}
	config, err := s.app.client()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	mapper, err := s.app.flags.ToRESTMapper()
	if err != nil {
		return err
	}
	kinds, ok := mapper.(meta.ResettableRESTMapper)
	if !ok {
		return fmt.Errorf("the mapper of kinds cannot be reset: %T", mapper)
	}
	pair, err := serve.ReadCertificate(s.certificate, s.key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return err
	}
	server := serve.New(serve.Defaults)
	keeper := keep.New(client, kinds, server.Load, keep.Settings{Files: read, ClusterPolicies: s.own, Kubernetes: s.kubernetes, Interval: s.interval, Log: s.log})
	done := make(chan struct{})
	go func() {
		defer close(done)
		keeper.Run(cmd.Context())
	}()
	s.log(fmt.Sprintf("answering on https://%s/mutate and /validate", listener.Addr()))
	err = server.Answer(cmd.Context(), listener, pair, s.interval, nil, func(err error) { s.log("the certificate was not read again: " + err.Error()) })
	if err == nil {
		<-done
	}
	return err
}

// log writes a line. Informers have their own goroutines.
func (s *served) log(line string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	fmt.Fprintf(s.app.stderr, "kubectl-preadmit: %s\n", text.Safe(line))
}
