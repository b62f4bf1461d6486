package cli

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	policies "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

const deploy = "../../../../deploy"

func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func documents(t *testing.T, text string) []*scenario.Document {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if diag.HasErrors(problems) {
		t.Fatal(problems)
	}
	return docs
}

// TestManifests: the server accepts the manifests that install it and its policies. Its webhooks
// prevent neither themselves nor the cluster from starting.
func TestManifests(t *testing.T) {
	for _, folder := range []string{"webhook", "cluster"} {
		for _, name := range []string{"webhook/webhooks-plain.yaml", "webhook/webhooks-cert-manager.yaml"} {
			t.Run(folder+" with "+name, func(t *testing.T) { testManifests(t, deployed(t, folder+"/server.yaml"), deployed(t, name)) })
		}
	}
}

func testManifests(t *testing.T, server, webhooks string) {
	t.Helper()
	c, list := engine.Compile(scenario.Scenario{Policies: webhooks, Cluster: server})
	for _, d := range list {
		if d.Severity == diag.Error || d.Severity == diag.Warning && d.Code != "unknown-kind" {
			t.Error(d)
		}
	}
	if g := c.Report().WebhookGraph; g == nil || len(g.Nodes) != 6 {
		t.Errorf("the webhooks do not lead to the Deployment: %+v", g)
	}
	for _, d := range documents(t, server) {
		if d.Kind == "ConfigMap" {
			data, _ := d.Value["data"].(map[string]any)
			policies, _ := data["policies.yaml"].(string)
			if problems := serve.New(serve.Defaults).Load(scenario.Scenario{Policies: policies}); policies == "" || len(problems) > 0 {
				t.Errorf("the policies of the ConfigMap: %q, %v", policies, problems)
			}
		}
		// Applied again with the webhooks: they are not called for it.
		s := scenario.Scenario{Policies: webhooks, Cluster: server, Request: asYAML(t, d.Value)}
		installed(t, s, d.Kind)
		if d.Kind == "Deployment" {
			s.Request = asYAML(t, pod(d.Value))
			installed(t, s, "Pod")
		}
	}
}

// installed fails if the server rejects a request's object, or calls a webhook for it. The
// namespace enforces the Pod Security Standard restricted.
func installed(t *testing.T, s scenario.Scenario, kind string) {
	t.Helper()
	s.Options.Plugins = &scenario.Plugins{Enable: []string{"PodSecurity"}}
	r := evaluated(t, s)
	if !r.Outcome.Allowed || len(r.Outcome.Warnings) > 0 {
		t.Errorf("%s: %s %v", kind, r.Outcome.Message, r.Outcome.Warnings)
	}
	for _, step := range r.Steps {
		if step.Webhook != "" && step.Called {
			t.Errorf("%s: %s is asked about what it needs itself", kind, step.Webhook)
		}
	}
}

// pod is the Pod from a Deployment's ReplicaSet.
func pod(deployment map[string]any) map[string]any {
	template, _, _ := unstructured.NestedMap(deployment, "spec", "template")
	out := map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": template["spec"]}
	labels, _, _ := unstructured.NestedMap(template, "metadata", "labels")
	out["metadata"] = map[string]any{"name": "preadmit-1", "namespace": "preadmit", "labels": labels}
	return out
}

func asYAML(t *testing.T, v any) string {
	t.Helper()
	text, err := scenario.YAML(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestManifestsDecode: the API's types have every field of every manifest, except cert-manager's
// two kinds, which TestCertificates checks.
func TestManifestsDecode(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, apps.AddToScheme, batch.AddToScheme, policies.AddToScheme, rbac.AddToScheme, admissionregistration.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	seen := 0
	err := filepath.WalkDir(deploy, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, d := range documents(t, string(text)) {
			if strings.HasPrefix(fmt.Sprint(d.Value["apiVersion"]), "cert-manager.io/") {
				continue
			}
			if _, _, err := strict.Decode([]byte(asYAML(t, d.Value)), nil, nil); err != nil {
				t.Errorf("%s: %s %s: %v", path, d.Kind, d.Name, err)
			}
			seen++
		}
		return nil
	})
	if err != nil || seen < 19 {
		t.Errorf("%d documents, %v", seen, err)
	}
}

// TestCertificates: cert-manager's certificate, and the one from deploy/webhook/certificate, are in
// the Secret that the server reads, for the name that clients call.
func TestCertificates(t *testing.T) {
	byKind := map[string]map[string]any{}
	for _, d := range documents(t, deployed(t, "webhook/webhooks-cert-manager.yaml")) {
		byKind[d.Kind] = d.Value
	}
	text := func(kind string, path ...string) string {
		t.Helper()
		s, ok, err := unstructured.NestedString(byKind[kind], path...)
		if !ok || err != nil {
			t.Errorf("%s has no %v: %v", kind, path, err)
		}
		return s
	}
	names, _, _ := unstructured.NestedStringSlice(byKind["Certificate"], "spec", "dnsNames")
	if text("Certificate", "spec", "issuerRef", "name") != text("Issuer", "metadata", "name") {
		t.Error("the certificate names another issuer")
	}
	script := deployed(t, "webhook/certificate")
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		if from := text(kind, "metadata", "annotations", "cert-manager.io/inject-ca-from"); from != text("Certificate", "metadata", "namespace")+"/"+text("Certificate", "metadata", "name") {
			t.Errorf("%s takes its caBundle from %s", kind, from)
		}
		hooks, _, _ := unstructured.NestedSlice(byKind[kind], "webhooks")
		service, _, _ := unstructured.NestedStringMap(hooks[0].(map[string]any), "clientConfig", "service")
		if host := service["name"] + "." + service["namespace"] + ".svc"; !slices.Contains(names, host) || !strings.Contains(script, "DNS:"+host) {
			t.Errorf("%s is called at %s", kind, host)
		}
	}
	for _, folder := range []string{"webhook", "cluster"} {
		server := deployed(t, folder+"/server.yaml")
		if secret := text("Certificate", "spec", "secretName"); !strings.Contains(server, "secretName: "+secret+"}") || !strings.Contains(script, "secret tls "+secret+" ") {
			t.Errorf("%s: the server does not read Secret %s", folder, secret)
		}
	}
}

// TestDeployment runs the Deployment's command with its ConfigMap and a certificate mounted. Its
// probes and its webhooks' paths must respond.
func TestDeployment(t *testing.T) {
	if !strings.Contains(deployed(t, "webhook/Containerfile"), "\nENTRYPOINT [\"/preadmit\", \"serve\"]\n") {
		t.Error("the image runs another command")
	}
	dir := t.TempDir()
	key, certificate := selfSigned(t)
	files := map[string]string{"/tls/tls.key": key, "/tls/tls.crt": certificate}
	var deployment apps.Deployment
	for _, d := range documents(t, deployed(t, "webhook/server.yaml")) {
		switch d.Kind {
		case "ConfigMap":
			data, _, _ := unstructured.NestedStringMap(d.Value, "data")
			for name, text := range data {
				files["/policies/"+name] = text
			}
		case "Deployment":
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(d.Value, &deployment, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	container := deployment.Spec.Template.Spec.Containers[0]
	if port := container.Ports[0].ContainerPort; port != 8443 { // --addr's default
		t.Errorf("the container listens on 8443, and %d is called", port)
	}
	args := []string{"--addr", "127.0.0.1:0"}
	for _, arg := range container.Args {
		if strings.HasPrefix(arg, "/") {
			arg = filepath.Join(dir, arg)
		}
		args = append(args, arg)
	}
	address := answering(t, args)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	for _, probe := range []*core.Probe{container.ReadinessProbe, container.LivenessProbe} {
		if answer, err := client.Get(fmt.Sprintf("%s://%s%s", strings.ToLower(string(probe.HTTPGet.Scheme)), address, probe.HTTPGet.Path)); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %v", probe.HTTPGet.Path, answer, err)
		}
	}
	for path, want := range map[string]string{"/mutate": `"patchType":"JSONPatch"`, "/validate": `"allowed":true`} {
		for _, name := range []string{"webhook/webhooks-plain.yaml", "webhook/webhooks-cert-manager.yaml"} {
			if !strings.Contains(deployed(t, name), "path: "+path+"}") {
				t.Errorf("%s does not call %s", name, path)
			}
		}
		answer, err := client.Post("https://"+address+path, "application/json", strings.NewReader(asReview))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v", path, text, err)
		}
	}
}

// answering runs preadmit serve until the test ends and returns its address.
func answering(t *testing.T, args []string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := (&app{ctx: ctx, stdin: strings.NewReader(""), stdout: io.Discard, stderr: write}).command(append([]string{"serve"}, args...))
		write.CloseWithError(io.EOF)
		done <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "https://"); found {
			address, _, _ := strings.Cut(rest, "/")
			go io.Copy(io.Discard, read)
			return address
		}
		t.Log(lines.Text())
	}
	t.Fatal("it ended before it answered")
	return ""
}
