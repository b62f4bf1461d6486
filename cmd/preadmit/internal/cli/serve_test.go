package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

// webhooks are the configurations with which a cluster calls serve.
const webhooks = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: preadmit}
webhooks:
- name: mutate.preadmit.dev
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  clientConfig: {url: '%[1]s/mutate'}
  sideEffects: None
  admissionReviewVersions: [%[2]s]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: preadmit}
webhooks:
- name: validate.preadmit.dev
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  clientConfig: {url: '%[1]s/validate'}
  sideEffects: None
  admissionReviewVersions: [%[2]s]
`

// TestServe runs gallery examples twice: with their policies, and with webhooks that preadmit serve
// answers. Verdict, object, warnings and the message after the webhook's name must be equal.
func TestServe(t *testing.T) {
	for _, c := range []struct{ name, review string }{
		{"first-look", "v1"}, {"first-look", "v1beta1"}, {"default-requests", "v1"}, {"sidecar-json-patch", "v1"}, {"set-a-label", "v1"}, {"annotation-to-field", "v1"}, {"remove-an-annotation", "v1"},
		{"immutable-field", "v1"}, {"deny-latest-tag", "v1"}, {"warn-and-audit", "v1"}, {"params-by-namespace", "v1"}, {"memory-limits", "v1"}, {"no-such-key", "v1"}, {"protect-from-deletion", "v1"},
		{"exclude-leases", "v1"}, {"scale-subresource", "v1"}, {"namespace-decides", "v1"}, {"composition-variables", "v1"}, {"patch-of-unknown-field", "v1"},
	} {
		t.Run(c.name+" "+c.review, func(t *testing.T) {
			read, err := scenario.FromFS(os.DirFS("../../../../examples/" + c.name))
			if err != nil {
				t.Fatal(err)
			}
			files := read.Scenario
			if files.Now == "" {
				files.Now = "2026-11-27T12:00:00Z" // both runs create the objects at the same time
			}
			s := serve.New(serve.Defaults)
			if problems := s.Load(files); problems.HasErrors() {
				t.Fatal(problems)
			}
			server := httptest.NewTLSServer(s.Handler())
			t.Cleanup(server.Close)
			want := evaluated(t, files)
			files.Policies = fmt.Sprintf(webhooks, server.URL, c.review)
			in := &input{Scenario: files}
			in.sources = nil
			got := called(t, server, in)
			compareServed(t, got, want)
		})
	}
}

func evaluated(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// called evaluates a scenario whose webhooks are called.
func called(t *testing.T, server *httptest.Server, in *input) *report.Report {
	t.Helper()
	dir := t.TempDir()
	files, err := in.Files()
	if err != nil {
		t.Fatal(err)
	}
	files["ca.pem"] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, out, problems := run(t, "eval", dir, "-o", "json", "--call-all", "--ca-file", filepath.Join(dir, "ca.pem"))
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%d: %v\n%s", code, err, problems)
	}
	for _, s := range r.Steps {
		if s.Status == report.Errored || s.Called && !s.Simulated {
			t.Errorf("%s: %s %s", s.Webhook, s.Status, s.Error)
		}
	}
	return &r
}

func compareServed(t *testing.T, got, want *report.Report) {
	t.Helper()
	message := got.Outcome.Message
	for _, name := range []string{"mutate.preadmit.dev", "validate.preadmit.dev"} {
		message = strings.TrimPrefix(message, fmt.Sprintf("admission webhook %q denied the request: ", name))
	}
	if got.Outcome.Allowed != want.Outcome.Allowed || message != want.Outcome.Message || got.Outcome.Code != want.Outcome.Code {
		t.Errorf("got %v, %d %q\nwant %v, %d %q", got.Outcome.Allowed, got.Outcome.Code, message, want.Outcome.Allowed, want.Outcome.Code, want.Outcome.Message)
	}
	if len(got.Outcome.Warnings)+len(want.Outcome.Warnings) > 0 && !reflect.DeepEqual(got.Outcome.Warnings, want.Outcome.Warnings) {
		t.Errorf("warnings: got %q, want %q", got.Outcome.Warnings, want.Outcome.Warnings)
	}
	if a, b := asJSON(t, got.Mutated), asJSON(t, want.Mutated); want.Outcome.Allowed && a != b {
		t.Errorf("got the object\n%s\nwant\n%s", a, b)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestServeLimits: invalid or too large reviews, and missing policies, return an HTTP error. Then
// the failure policy decides.
func TestServeLimits(t *testing.T) {
	s := serve.New(serve.Limits{Body: 2000, Concurrent: 1, Timeout: time.Second})
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	post := func(path, body string) (int, string) {
		t.Helper()
		r, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	get := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	if code, _ := get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("ready without policies: %d", code)
	}
	if code, _ := post("/validate", "{}"); code != http.StatusServiceUnavailable {
		t.Errorf("answers without policies: %d", code)
	}
	if problems := s.Load(scenario.Scenario{Policies: policy("false")}); problems.HasErrors() {
		t.Fatal(problems)
	}
	if problems := s.Load(scenario.Scenario{Policies: policy("objekt")}); !problems.HasErrors() {
		t.Error("a policy that the server rejects was taken over")
	}
	for _, c := range []struct {
		body, want string
		code       int
	}{
		{"", "not an AdmissionReview", 400},
		{`{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}`, "not an AdmissionReview with a request", 400},
		{`{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v9", "request": {"uid": "a"}}`, "not admission.k8s.io/v9", 400},
		{`{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "a"}}`, "the request cannot be read", 400},
		{strings.Repeat("x", 3000), "more than 2000 bytes", 413},
		{asReview, `"uid":"705ab4f5"`, 200},
		{asReview, "ValidatingAdmissionPolicy 'example' with binding 'example' denied request: failed expression: false", 200},
	} {
		if code, text := post("/validate?timeout=5s", c.body); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%.80s: %d %s", c.body, code, text)
		}
	}
	if code, _ := get("/readyz"); code != http.StatusOK {
		t.Errorf("not ready: %d", code)
	}
	if code, _ := get("/mutate"); code != http.StatusMethodNotAllowed {
		t.Errorf("GET /mutate: %d", code)
	}
	for _, want := range []string{`preadmit_reviews_total{code="200",path="validate",verdict="denied"} 2`, `preadmit_reviews_total{code="413",path="validate",verdict="failed"} 1`,
		`preadmit_policy_loads_total{result="failure"} 1`, "preadmit_policies_current 0", `preadmit_review_duration_seconds_count{path="validate"} 8`} {
		if _, text := get("/metrics"); !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func policy(expression string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: example}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}\n" +
		"  validations: [{expression: \"" + expression + "\"}]\n---\n" +
		"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: example}\nspec: {policyName: example, validationActions: [Deny]}\n"
}

const asReview = `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "705ab4f5", "operation": "CREATE", "name": "a", "namespace": "default",
"kind": {"group": "", "version": "v1", "kind": "ConfigMap"}, "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "userInfo": {"username": "admin"},
"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}}}`

// TestServeCommand runs the command with files mounted as in a cluster, and changes them while it
// serves.
func TestServeCommand(t *testing.T) {
	dir := t.TempDir()
	key, certificate := selfSigned(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tls.key", key)
	write("tls.crt", certificate)
	// A ConfigMap is mounted as links into a folder that is replaced.
	mounted := filepath.Join(dir, "policies")
	if err := os.MkdirAll(filepath.Join(mounted, "..data"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("policies/..data/policy.yaml", policy("false"))
	if err := os.Symlink(filepath.Join("..data", "policy.yaml"), filepath.Join(mounted, "policy.yaml")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	a := &app{ctx: ctx, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &log}
	w := &watched{app: a, args: []string{mounted}, parts: &parts{noRequest: true}, settings: &settings{}, server: serve.New(serve.Defaults)}
	if ok, err := w.load(); !ok || err != nil {
		t.Fatalf("%v, %v\n%s", ok, err, log.String())
	}
	pair, err := serve.ReadCertificate(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- w.server.Answer(ctx, listener, pair, 10*time.Millisecond, w.again, func(err error) { t.Error(err) })
	}()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	ask := func() string {
		r, err := client.Post("https://"+listener.Addr().String()+"/validate", "application/json", strings.NewReader(asReview))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := ask(); !strings.Contains(got, `"allowed":false`) {
		t.Fatal(got)
	}
	write("policies/..data/policy.yaml", policy("true"))
	for !strings.Contains(ask(), `"allowed":true`) { // go test ends it if it never comes
		time.Sleep(5 * time.Millisecond)
	}
	client.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestServeUnreadable: serve does not continue without the policies of an unreadable file. A single
// object is a param and not a request.
func TestServeUnreadable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	a := &app{ctx: context.Background(), stdin: strings.NewReader(""), stdout: io.Discard, stderr: &log}
	w := &watched{app: a, args: []string{dir}, parts: &parts{noRequest: true}, settings: &settings{}, server: serve.New(serve.Defaults)}
	load := func(want bool, said string) {
		t.Helper()
		log.Reset()
		if got, err := w.load(); got != want || err != nil || !strings.Contains(log.String(), said) {
			t.Errorf("%v, %v, want %v and %q\n%s", got, err, want, said, log.String())
		}
	}
	answer := func(want string) {
		t.Helper()
		r := httptest.NewRecorder()
		w.server.Handler().ServeHTTP(r, httptest.NewRequest(http.MethodPost, "/validate", strings.NewReader(asReview)))
		if !strings.Contains(r.Body.String(), want) {
			t.Errorf("%s, want %s", r.Body, want)
		}
	}
	write("policy.yaml", strings.NewReplacer("spec:\n", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n",
		"policyName: example", "policyName: example, paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}").Replace(policy("params.data.open == 'yes'")))
	write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: default}\ndata: {open: 'yes'}\n")
	load(true, "")
	answer(`"allowed":true`)
	write("policy.yaml", policy("false"))
	load(true, "")
	answer(`"allowed":false`)
	write("policy.yaml", "kind: [\n")
	load(false, "not valid YAML")
	answer(`"allowed":false`)
	write("policy.yaml", policy("true"))
	load(true, "")
	answer(`"allowed":true`)
}

func selfSigned(t *testing.T) (key, certificate string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "preadmit"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestServeAPIFlags rejects the webhook's flags, and addresses that other machines reach.
func TestServeAPIFlags(t *testing.T) {
	for _, c := range [][2]string{{"--tls-cert a", "accepts only --addr"}, {"policies", "and no path"}, {"--addr 0.0.0.0:0", "not an address of this machine alone"}} {
		var out, problems bytes.Buffer
		if code := Run(append([]string{"serve", "--api"}, strings.Fields(c[0])...), strings.NewReader(""), &out, &problems); code != 2 || !strings.Contains(problems.String(), c[1]) {
			t.Errorf("%s: %d %s", c[0], code, problems.String())
		}
	}
}
