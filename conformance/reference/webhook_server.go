package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/util/proxy"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"

	"github.com/preadmit/preadmit/conformance/wire"
)

// A hookServer is all webhooks of one scenario: an HTTPS server on loopback
// that answers as the WebhookResponse documents say. The API server's client
// calls it over TLS under the names that the configurations have; only the
// network between the two is ours (dial). With served, a webhook whose URL is a loopback
// address is a server of the caller's, and called there. It implements webhook.AuthenticationInfoResolver.
type hookServer struct {
	world   *world
	answers *hookAnswers
	server  *httptest.Server
	served  bool
	// hooks are the webhooks by host and path, hosts their names by host alone:
	// the URL's, or name.namespace.svc.
	hooks map[string]hook
	hosts map[string]string

	lock  sync.Mutex
	calls []wire.Call
}

// hook is what the server needs to know of a webhook.
type hook struct {
	name     string
	mutating bool
}

// startHooks starts the server and makes the configurations trust it.
func startHooks(w *world, p *policies, answers *hookAnswers, served bool) *hookServer {
	s := &hookServer{world: w, answers: answers, served: served, hooks: map[string]hook{}, hosts: map[string]string{}}
	for _, c := range p.mutatingWebhooks {
		for i := range c.Webhooks {
			s.add(c.Webhooks[i].Name, true, &c.Webhooks[i].ClientConfig)
		}
	}
	for _, c := range p.validatingWebhooks {
		for i := range c.Webhooks {
			s.add(c.Webhooks[i].Name, false, &c.Webhooks[i].ClientConfig)
		}
	}
	s.server = httptest.NewUnstartedServer(s)
	s.server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate().Certificate}}
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that gave up is no news
	s.server.Config.SetKeepAlivesEnabled(false)           // every call dials, and may be refused
	s.server.StartTLS()
	return s
}

func (s *hookServer) stop() { s.server.Close() }

func (s *hookServer) add(name string, mutating bool, c *v1.WebhookClientConfig) {
	if len(c.CABundle) == 0 {
		c.CABundle = certificate().pem
	}
	host, path := hookAddress(c)
	s.hooks[hookKey(host, path)] = hook{name: name, mutating: mutating}
	s.hosts[host] = name
}

func hookKey(host, p string) string { return host + path.Join("/", p) }

func hookAddress(c *v1.WebhookClientConfig) (host, path string) {
	if c.Service != nil {
		if c.Service.Path != nil {
			path = *c.Service.Path
		}
		return serviceHost(c.Service.Namespace, c.Service.Name), path
	}
	u, err := url.Parse(*c.URL)
	if err != nil {
		panic(err) // installation refuses it
	}
	return u.Hostname(), u.Path
}

func serviceHost(namespace, name string) string { return name + "." + namespace + ".svc" }

// ServeHTTP implements http.Handler: one call of one webhook.
func (s *hookServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	h, ok := s.hooks[hookKey(host, r.URL.Path)]
	if !ok {
		http.Error(w, "no webhook is at "+host+r.URL.Path, http.StatusTeapot)
		return
	}
	review, version, uid, err := readReview(r.Body)
	if err != nil {
		http.Error(w, "the API server sent no AdmissionReview: "+err.Error(), http.StatusTeapot)
		return
	}
	s.record(wire.Call{Webhook: h.name, UID: uid, Mutating: h.mutating, Review: review})
	a := s.answers.current(h.name)
	s.answers.advance(h.name)
	late := time.After(time.Duration(a.DelaySeconds * float64(time.Second)))
	if a.Timeout {
		late = nil // the client gives up
	}
	select {
	case <-late:
	case <-r.Context().Done():
		return
	}
	data, contentType, err := a.bytes(version, uid)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	w.Header().Set("Content-Type", contentType)
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header()["Content-Type"] = nil // or Go would guess one
	}
	if a.HTTPStatus != 0 {
		w.WriteHeader(a.HTTPStatus)
	}
	_, _ = w.Write(data) // statuses without a body refuse it, clients that gave up too
}

// readReview reads what the server sent: the review without the uid of its request, the
// version of AdmissionReview, and that uid.
func readReview(body io.Reader) (review map[string]any, version, uid string, err error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, "", "", err
	}
	if err := utiljson.Unmarshal(data, &review); err != nil {
		return nil, "", "", err
	}
	apiVersion, _ := review["apiVersion"].(string)
	_, version, _ = strings.Cut(apiVersion, "/")
	request, ok := review["request"].(map[string]any)
	if uid, _ = request["uid"].(string); !ok || uid == "" {
		return nil, "", "", errors.New("it has no request with a uid")
	}
	delete(request, "uid")
	return review, version, uid, nil
}

func (s *hookServer) record(call wire.Call) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.calls = append(s.calls, call)
}

// The API server asks an AuthenticationInfoResolver how to reach a webhook.

func (s *hookServer) ClientConfigFor(hostPort string) (*rest.Config, error) {
	host, _, _ := strings.Cut(hostPort, ":")
	return s.clientConfig(s.hosts[host]), nil
}

func (s *hookServer) ClientConfigForService(name, namespace string, _ int) (*rest.Config, error) {
	return s.clientConfig(s.hosts[serviceHost(namespace, name)]), nil
}

func (s *hookServer) clientConfig(name string) *rest.Config {
	return &rest.Config{
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }, // whatever the environment says
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			var d net.Dialer
			if s.served && isLoopback(addr) {
				return d.DialContext(ctx, network, addr)
			}
			if s.answers.current(name).ConnectionRefused {
				s.answers.advance(name)
				return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			}
			if text := s.answers.current(name).ConnectionError; text != "" {
				s.answers.advance(name)
				return nil, errors.New(text)
			}
			return d.DialContext(ctx, network, s.server.Listener.Addr().String())
		},
	}
}

// isLoopback reports whether a host and port are those of this machine, by number.
func isLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// address is a network address by its text. It implements net.Addr.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// ResolveEndpoint implements webhook.ServiceResolver as the API server does
// without --enable-aggregator-routing, over the Services of the cluster text.
// The Service of a webhook that no document answers for need not be there.
func (s *hookServer) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	if host := serviceHost(namespace, name); !s.answers.known(s.hosts[host]) {
		return &url.URL{Scheme: "https", Host: host}, nil
	}
	store, err := s.world.params(corev1.SchemeGroupVersion.WithResource("services"))
	if err != nil {
		return nil, err
	}
	return proxy.ResolveCluster(corev1listers.NewServiceLister(store.indexer), namespace, name, port)
}

// servingCertificate is the certificate of all webhooks, and its own authority.
type servingCertificate struct {
	tls.Certificate
	pem []byte
}

// certificate makes it once in the life of the process.
var certificate = sync.OnceValue(func() servingCertificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "webhooks"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"*.hooks.example.com", "*.hooks.svc"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return servingCertificate{
		Certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem:         pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}
})
