//go:build apiserver

package servertest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// plugin is the environment variable with the path of the built kubectl-preadmit.
const plugin = "PREADMIT_PLUGIN"

// servedPolicy limits the keys of ConfigMaps by a ConfigMap in the cluster, and labels other
// objects. Only the webhook has it.
const servedPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few-keys}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations:
  - expression: object.?data.orValue({}).size() <= int(params.data.keys)
    messageExpression: "'at most ' + params.data.keys + ' keys in ' + namespaceObject.metadata.labels['stage']"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-keys}
spec:
  policyName: few-keys
  validationActions: [Deny]
  paramRef: {name: keys, namespace: served, parameterNotFoundAction: Allow}
  matchResources: {namespaceSelector: {matchExpressions: [{key: stage, operator: Exists}]}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: stage-label}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: "Object{metadata: Object.metadata{labels: {'stage': namespaceObject.metadata.?labels.?stage.orValue('none')}}}"
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: stage-label}
spec: {policyName: stage-label}
`

// servedWorld is what the test adds to the cluster.
const servedWorld = `apiVersion: v1
kind: Namespace
metadata: {name: served, labels: {stage: trial}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: keys, namespace: served}
data: {keys: "1"}
`

// TestServe: the API server calls the plugin as a webhook. Its policy is in a file; its param,
// namespace and CRDs are watched. Changing the param changes the verdict.
func TestServe(t *testing.T) {
	if err := shared.create(servedWorld); err != nil {
		t.Fatal(err)
	}
	if err := shared.allowServing(); err != nil {
		t.Fatal(err)
	}
	policies := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(policies, []byte(servedPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	address, authority := shared.serve(t, "--policies", policies)
	if err := shared.create(webhooks(address, authority, `[{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: served}}`)); err != nil {
		t.Fatal(err)
	}
	one := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: served}, data: {a: b}}`
	two := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: served}, data: {a: b, c: d}}`
	refused := `admission webhook "validate.preadmit.dev" denied the request: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'few-keys' with binding 'few-keys' denied request: at most 1 keys in trial`
	shared.until(t, two, func(err error, _ map[string]string) bool { return err != nil && err.Error() == refused })
	shared.until(t, one, func(err error, labels map[string]string) bool { return err == nil && labels["stage"] == "trial" })
	shared.patch(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: keys, namespace: served}}`, `{"data": {"keys": "2"}}`)
	shared.until(t, two, func(err error, _ map[string]string) bool { return err == nil })
	shared.patch(t, `{apiVersion: v1, kind: Namespace, metadata: {name: served}}`, `{"metadata": {"labels": {"stage": "final"}}}`)
	shared.until(t, two, func(err error, labels map[string]string) bool { return err == nil && labels["stage"] == "final" })
}

// allowServing gives the user preadmit the account's permissions from deploy/cluster: in this
// cluster the account is a user.
func (w *world) allowServing() error {
	role, err := os.ReadFile("../../deploy/cluster/serve-role.yaml")
	if err != nil {
		return err
	}
	err = w.create(strings.NewReplacer("kind: ServiceAccount\n  name: preadmit\n  namespace: preadmit", "kind: User\n  apiGroup: rbac.authorization.k8s.io\n  name: preadmit").Replace(string(role)))
	if apierrors.IsAlreadyExists(err) { // another test created it
		return nil
	}
	return err
}

// serve starts the program with arguments that select the policies, and waits until it is ready.
func (w *world) serve(t *testing.T, policies ...string) (address string, authority []byte) {
	t.Helper()
	dir := t.TempDir()
	certificate, key, authority := selfSigned(t, dir)
	address = w.answering(t, authority, append([]string{"--cache-dir", dir, "--tls-cert", certificate, "--tls-key", key, "--reload", "1s"}, policies...)...)
	return address, authority
}

// answering runs the program with flags, and waits until it is ready.
func (w *world) answering(t *testing.T, authority []byte, flags ...string) (address string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Getenv(plugin), append([]string{"serve", "--kubeconfig", w.kubeconfig("preadmit"), "--addr", "127.0.0.1:0"}, flags...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		t.Log(lines.Text())
		if _, rest, found := strings.Cut(lines.Text(), "https://"); found {
			address, _, _ = strings.Cut(rest, "/")
			break
		}
	}
	go io.Copy(io.Discard, stderr)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		response, err := client.Get("https://" + address + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return address
			}
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the program is not ready: %v", err)
		}
	}
}

// webhooks returns configurations that call the program. rules may be followed by more fields.
func webhooks(address string, authority []byte, rules string) string {
	bundle := base64.StdEncoding.EncodeToString(authority)
	out := ""
	for _, of := range []struct{ kind, path string }{{"Mutating", "mutate"}, {"Validating", "validate"}} {
		out += fmt.Sprintf(`---
apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: preadmit}
webhooks:
- name: %s.preadmit.dev
  rules: %s
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: 'https://%s/%s', caBundle: %s}
`, of.kind, of.path, rules, address, of.path, bundle)
	}
	return out
}

// until sends requests as an administrator with dryRun=All until the response is as expected,
// because both servers' caches take a moment.
func (w *world) until(t *testing.T, text string, expected func(error, map[string]string) bool) {
	t.Helper()
	u := parsed(t, text)
	r, err := w.resource(u)
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got, err := r.Create(t.Context(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		var labels map[string]string
		if err == nil {
			labels = got.GetLabels()
		} else if _, answered := err.(apierrors.APIStatus); !answered {
			t.Fatal(err)
		}
		if expected(err, labels) {
			t.Logf("%v, labels %v", err, labels)
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the answer stays %v, with the labels %v", err, labels)
		}
	}
}

func (w *world) patch(t *testing.T, object, patch string) {
	t.Helper()
	u := parsed(t, object)
	var r dynamic.ResourceInterface
	r, err := w.resource(u)
	if err == nil {
		_, err = r.Patch(t.Context(), u.GetName(), "application/merge-patch+json", []byte(patch), metav1.PatchOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// selfSigned writes a self-signed certificate for loopback.
func selfSigned(t *testing.T, dir string) (certificate, key string, authority []byte) {
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
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	certificate, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for name, content := range map[string][]byte{certificate: authority, key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key, authority
}
