package cli

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// posted are the reviews that a server received.
type posted struct {
	sync.Mutex
	reviews []map[string]any
	queries []string
}

// server serves on loopback and records what it receives.
func server(t *testing.T, answer func(n int, review map[string]any, w http.ResponseWriter)) (*httptest.Server, *posted) {
	t.Helper()
	got := &posted{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var review map[string]any
		if err := json.Unmarshal(data, &review); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %q: %v", r.Method, r.Header.Get("Content-Type"), err)
		}
		got.Lock()
		got.reviews, got.queries = append(got.reviews, review), append(got.queries, r.URL.RawQuery)
		n := len(got.reviews)
		got.Unlock()
		answer(n, review, w)
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s, got
}

// review writes an AdmissionReview with a response's fields.
func review(w http.ResponseWriter, asked map[string]any, fields map[string]any) {
	fields["uid"] = asked["request"].(map[string]any)["uid"]
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": asked["apiVersion"], "kind": "AdmissionReview", "response": fields})
}

const hooks = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: a}
webhooks:
- name: mutate.example.com
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  clientConfig: {service: {namespace: hooks, name: mutate}}
  reinvocationPolicy: IfNeeded
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 2
- name: later.example.com
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  clientConfig: {service: {namespace: hooks, name: later}}
  sideEffects: None
  admissionReviewVersions: [v1]
`

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {mode: fast}\n"

const laterAnswer = `apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: later.example.com}
spec:
  allowed: true
  patchType: JSONPatch
  patch: [{op: add, path: /data/later, value: 'yes'}]
`

// files writes a scenario and a server's certificate into a folder.
func files(t *testing.T, s *httptest.Server, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if s != nil {
		content["ca.pem"] = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	}
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestCall calls a webhook in both passes of the mutating phase. The second review has the other
// webhook's changes. The responses are recorded, and the recorded scenario has the same result
// without a call.
func TestCall(t *testing.T) {
	s, got := server(t, func(n int, asked map[string]any, w http.ResponseWriter) {
		patch := `[{"op":"add","path":"/data/call","value":"1"}]`
		if n > 1 {
			patch = `[{"op":"add","path":"/data/again","value":"2"}]`
		}
		review(w, asked, map[string]any{"allowed": true, "patchType": "JSONPatch", "patch": []byte(patch), "warnings": []string{"called"}})
	})
	dir := files(t, s, map[string]string{"policies.yaml": hooks, "request.yaml": configMap, "cluster.yaml": laterAnswer,
		"scenario.yaml": "now: \"2026-01-31T12:00:00Z\"\n"}) // two evaluations may be in different seconds
	record := filepath.Join(t.TempDir(), "recorded")
	call := []string{"eval", dir, "--call", "mutate.example.com=" + s.URL + "/mutate", "--ca-file", filepath.Join(dir, "ca.pem"), "--record", record}
	code, object, problems := run(t, append(call, "-o", "object")...)
	if code != exitOK || !strings.Contains(object, `again: "2"`) || !strings.Contains(object, `call: "1"`) {
		t.Fatalf("%d, %s\n%s", code, object, problems)
	}
	if len(got.reviews) != 2 || !slices.Equal(got.queries, []string{"timeout=2s", "timeout=2s"}) {
		t.Fatalf("%d calls, %q", len(got.reviews), got.queries)
	}
	data := got.reviews[1]["request"].(map[string]any)["object"].(map[string]any)["data"].(map[string]any)
	if data["later"] != "yes" || data["call"] != "1" {
		t.Errorf("the second call gets %v", data)
	}
	_, again, _ := run(t, "eval", record, "-o", "object")
	if again != object || len(got.reviews) != 2 {
		t.Errorf("recorded: %d calls,\n%s\nwant\n%s", len(got.reviews), again, object)
	}
	_, metrics, _ := run(t, "eval", record, "-o", "prometheus")
	for _, line := range []string{
		`apiserver_admission_webhook_request_total{code="200",name="mutate.example.com",operation="CREATE",rejected="false",type="admit"} 2`,
		`apiserver_admission_webhook_admission_duration_seconds_bucket{name="mutate.example.com",operation="CREATE",rejected="false",type="admit",le="+Inf"} 2`,
		`apiserver_admission_webhook_admission_duration_seconds_count{name="mutate.example.com",operation="CREATE",rejected="false",type="admit"} 2`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("the metrics lack %s:\n%s", line, metrics)
		}
	}
	if strings.Contains(metrics, `seconds_count{name="later.example.com"`) {
		t.Errorf("a time was made up:\n%s", metrics)
	}
	if _, text, _ := run(t, "eval", record); !strings.Contains(text, "This is a real answer") {
		t.Errorf("the report does not say that the webhook was called:\n%s", text)
	}
}

// TestCallFailures: a failed call is a response. The failure policy decides on it, with the
// server's text.
func TestCallFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(n int, asked map[string]any, w http.ResponseWriter)
		trust  bool
		want   string
	}{
		{"another uid", func(_ int, asked map[string]any, w http.ResponseWriter) {
			asked["request"].(map[string]any)["uid"] = "other"
			review(w, asked, map[string]any{"allowed": true})
		}, true, `received invalid webhook response: expected response.uid="00000000-0000-0000-0000-000000000000", got "other"`},
		{"an empty body", func(_ int, _ map[string]any, w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
		}, true, "0-length response with status code: 200 and content type: application/json"},
		{"a text", func(_ int, _ map[string]any, w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "nonsense")
		}, true, "couldn't get version/kind; json parse error"},
		{"a status", func(_ int, _ map[string]any, w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, true, "failed calling webhook"},
		{"a certificate that nobody trusts", func(int, map[string]any, http.ResponseWriter) {}, false, "x509: certificate signed by unknown authority"},
		{"a refusal", func(_ int, asked map[string]any, w http.ResponseWriter) {
			review(w, asked, map[string]any{"allowed": false, "status": map[string]any{"message": "not today", "code": 418}})
		}, true, `admission webhook "mutate.example.com" denied the request: not today`},
		{"too busy, then an answer", func(n int, asked map[string]any, w http.ResponseWriter) {
			if n == 1 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			review(w, asked, map[string]any{"allowed": false, "status": map[string]any{"message": "second try"}})
		}, true, "second try"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := server(t, c.answer)
			dir := files(t, s, map[string]string{"policies.yaml": hooks, "request.yaml": configMap})
			args := []string{"eval", dir, "-o", "json", "--call", "mutate.example.com=" + s.URL}
			if c.trust {
				args = append(args, "--ca-file", filepath.Join(dir, "ca.pem"))
			}
			code, out, problems := run(t, args...)
			var r struct{ Outcome struct{ Message string } }
			if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDenied || !strings.Contains(r.Outcome.Message, c.want) {
				t.Errorf("%d: %q, want %q\n%s", code, r.Outcome.Message, c.want, problems)
			}
		})
	}
}

// TestCallTimeout: no response within timeoutSeconds.
func TestCallTimeout(t *testing.T) {
	release := make(chan struct{})
	s, _ := server(t, func(_ int, _ map[string]any, _ http.ResponseWriter) { <-release })
	t.Cleanup(func() { close(release) })
	dir := files(t, s, map[string]string{"policies.yaml": strings.Replace(hooks, "timeoutSeconds: 2", "timeoutSeconds: 1", 1), "request.yaml": configMap})
	code, out, problems := run(t, "eval", dir, "-o", "review", "--call", "mutate.example.com="+s.URL, "--ca-file", filepath.Join(dir, "ca.pem"))
	if code != exitDenied || !strings.Contains(out, "context deadline exceeded") {
		t.Errorf("%d: %s\n%s", code, out, problems)
	}
}

// TestCallAll calls the clientConfig's address and trusts its caBundle.
func TestCallAll(t *testing.T) {
	s, got := server(t, func(_ int, asked map[string]any, w http.ResponseWriter) {
		review(w, asked, map[string]any{"allowed": false, "status": map[string]any{"message": "called"}})
	})
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	encoded, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	policies := strings.Replace(hooks, "{service: {namespace: hooks, name: mutate}}", "{url: '"+s.URL+"/all', caBundle: "+string(encoded)+"}", 1)
	dir := files(t, nil, map[string]string{"policies.yaml": policies, "request.yaml": configMap})
	code, out, problems := run(t, "eval", dir, "-o", "review", "--call-all")
	if code != exitDenied || !strings.Contains(out, "denied the request: called") || len(got.reviews) != 1 {
		t.Errorf("%d: %s\n%s", code, out, problems)
	}
	if code, _, _ := run(t, "eval", dir, "-o", "review"); code != exitOK || len(got.reviews) != 1 {
		t.Errorf("without the flag: %d, %d calls", code, len(got.reviews))
	}
}

// TestCallUsage: invalid combinations of flags.
func TestCallUsage(t *testing.T) {
	dir := files(t, nil, map[string]string{"policies.yaml": hooks, "request.yaml": configMap})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--call", "mutate.example.com=http://localhost"}, "is not an address like https://host:port/path"},
		{[]string{"--call", "https://localhost"}, "it must be NAME=URL"},
		{[]string{"--call", "other.example.com=https://localhost"}, "no webhook is called other.example.com; there are later.example.com, mutate.example.com"},
		{[]string{"--record", "x"}, "need --call or --call-all"},
		{[]string{"--call-all", "--kubernetes", "all"}, "choose one version"},
	} {
		if code, _, problems := run(t, append([]string{"eval", dir}, c.args...)...); code != exitInput || !strings.Contains(problems, c.want) {
			t.Errorf("%q: %d, %s", c.args, code, problems)
		}
	}
}
