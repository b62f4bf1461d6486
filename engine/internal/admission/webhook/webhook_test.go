package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

func ptr[T any](v T) *T { return &v }

func hook(mutating bool) target {
	return target{name: "a.example.com", client: v1.WebhookClientConfig{URL: ptr("https://hooks.example.com/a")}, sideEffects: ptr(v1.SideEffectClassNone),
		timeoutSeconds: 5, versions: []string{"v1"}, mutating: mutating, version: version.MustParse("1.36")}
}

// The texts are those of semantics §8.3.
func TestAnswer(t *testing.T) {
	const patch = `[{"op":"add","path":"/x","value":1}]`
	for _, test := range []struct {
		name     string
		response Response
		mutating bool
		version  string
		want     string
	}{
		{name: "allowed", response: Response{Allowed: true}},
		{name: "late", response: Response{DelaySeconds: 6}, want: `failed to call webhook: Post "https://hooks.example.com/a?timeout=5s": context deadline exceeded`},
		{name: "just in time", response: Response{DelaySeconds: 5, Allowed: true}},
		{name: "absent", response: Response{NoResponse: true}, want: "received invalid webhook response: webhook response was absent"},
		{name: "uid", response: Response{UID: ptr("123")}, want: `expected response.uid="00000000-0000-0000-0000-000000000000", got "123"`},
		{name: "no apiVersion and kind", response: Response{APIVersion: ptr(""), Kind: ptr("")}, want: "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="},
		{name: "other version", response: Response{APIVersion: ptr("admission.k8s.io/v1beta1")}, want: "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
		{name: "unknown version", response: Response{APIVersion: ptr("admission.k8s.io/v2")}, want: `no kind "AdmissionReview" is registered for version "admission.k8s.io/v2" in scheme "pkg/util/webhook/client.go:71"`},
		{name: "v1beta1 checks nothing", response: Response{UID: ptr("1"), Allowed: true}, version: "v1beta1"},
		{name: "v1beta1 without a response", response: Response{NoResponse: true}, version: "v1beta1", want: "received invalid webhook response: webhook response was absent"},
		{name: "patch without type", mutating: true, response: Response{Patch: json.RawMessage(patch)}, want: "webhook returned response.patch but not response.patchType"},
		{name: "type without patch", mutating: true, response: Response{PatchType: ptr("JSONPatch")}, want: "webhook returned response.patchType but not response.patch"},
		{name: "empty type", mutating: true, response: Response{Patch: json.RawMessage(patch), PatchType: ptr("")}, want: `webhook returned invalid response.patchType of ""`},
		{name: "validating with patch", response: Response{Patch: json.RawMessage(patch)}, want: "validating webhook may not return response.patch"},
		{name: "validating with type", response: Response{PatchType: ptr("JSONPatch")}, want: "validating webhook may not return response.patchType"},
		{name: "text", response: Response{Body: json.RawMessage(`"hello"`)}, want: "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct"},
		{name: "raw review", response: Response{Body: json.RawMessage(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"00000000-0000-0000-0000-000000000000","allowed":true}}`)}},
		{name: "raw review without uid", response: Response{Body: json.RawMessage(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true}}`)}, want: `got ""`},
		{name: "404", response: Response{HTTPStatus: 404}, want: "failed to call webhook: the server could not find the requested resource"},
		{name: "500", response: Response{HTTPStatus: 500}, want: `an error on the server ("unknown") has prevented the request from succeeding`},
		{name: "text, not JSON", response: Response{Text: ptr("hello")}, want: "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct"},
		{name: "cut off", response: Response{Text: ptr("{")}, want: "couldn't get version/kind; json parse error: unexpected end of JSON input"},
		{name: "null", response: Response{Text: ptr("null")}, want: "received invalid webhook response: webhook response was absent"},
		{name: "YAML", response: Response{Text: ptr("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: 00000000-0000-0000-0000-000000000000, allowed: true}\n")}},
		{name: "nothing", response: Response{Text: ptr("")}, want: "0-length response with status code: 200 and content type: text/plain; charset=utf-8"},
		{name: "nothing, as JSON", response: Response{Body: json.RawMessage(`""`)}, want: "0-length response with status code: 200 and content type: application/json"},
		{name: "nothing, of no type", response: Response{Text: ptr(""), Headers: map[string]string{"content-type": ""}}, want: "0-length response with status code: 200 and content type: application/json"},
		{name: "broken JSON", response: Response{Body: json.RawMessage(`"{\"kind\": "`)}, want: "couldn't get version/kind; json parse error: unexpected end of JSON input"},
		{name: "no base64", mutating: true, response: Response{Allowed: true, Patch: json.RawMessage(`"***"`), PatchType: ptr("JSONPatch")}, want: "failed to call webhook: illegal base64 data at input byte 0"},
		{name: "of a kind that is not registered", response: Response{Kind: ptr("Nope")}, want: `no kind "Nope" is registered for version "admission.k8s.io/v1" in scheme "pkg/util/webhook/client.go:71"`},
		{name: "no media type", response: Response{Allowed: true, Headers: map[string]string{"Content-Type": "text/html; charset"}}, want: "failed to call webhook: Internal error occurred: mime: invalid media parameter"},
		{name: "500 with a text of no type", response: Response{HTTPStatus: 500, Body: json.RawMessage(`"boom"`), Headers: map[string]string{"Content-Type": ""}}, want: `an error on the server ("boom") has prevented the request from succeeding`},
		{name: "500 with HTML", response: Response{HTTPStatus: 500, Body: json.RawMessage(`"<p>boom"`), Headers: map[string]string{"Content-Type": "text/html"}}, want: `an error on the server ("<p>boom") has prevented the request from succeeding`},
		{name: "timeout", response: Response{Timeout: true, Allowed: true}, want: `Post "https://hooks.example.com/a?timeout=5s": context deadline exceeded`},
		{name: "no content", response: Response{HTTPStatus: 204}, want: "0-length response with status code: 204 and content type: application/json"},
		{name: "Status with 200", response: Response{Body: json.RawMessage(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}`)}, want: "converting (v1.Status) to (v1.AdmissionReview): unknown conversion"},
		{name: "other type", response: Response{Body: json.RawMessage(`{"response":{"allowed":"yes"}}`)}, want: "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool"},
		{name: "other case", response: Response{Body: json.RawMessage(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","Response":{"allowed":true}}`)}, want: "webhook response was absent"},
		{name: "no group and version", response: Response{APIVersion: ptr("a/b/c")}, want: "unexpected GroupVersion string: a/b/c"},
		{name: "500 with a text", response: Response{HTTPStatus: 500, Text: ptr("boom\n")}, want: `an error on the server ("boom") has prevented the request from succeeding`},
		{name: "500 with a long text", response: Response{HTTPStatus: 500, Text: ptr(strings.Repeat("x", 3000))}, want: `("` + strings.Repeat("x", 2048) + `")`},
		{name: "403 with a text", response: Response{HTTPStatus: 403, Text: ptr("go away")}, want: "failed to call webhook: go away"},
		{name: "403", response: Response{HTTPStatus: 403}, want: "failed to call webhook: unknown"},
		{name: "429", response: Response{HTTPStatus: 429}, want: "failed to call webhook: the server has received too many requests and has asked us to try again later"},
		{name: "302", response: Response{HTTPStatus: 302}, want: "failed to call webhook: the server responded with the status code 302 but did not return more information"},
		{name: "206", response: Response{HTTPStatus: 206, Allowed: true}},
		{name: "Status that is no failure", response: Response{HTTPStatus: 503, Body: json.RawMessage(`{"kind":"Status","apiVersion":"v1","message":"sorry"}`)}, want: "the server is currently unable to handle the request"},
		{name: "Status of any version", response: Response{HTTPStatus: 503, Body: json.RawMessage(`{"kind":"Status","apiVersion":"x/v9","status":"Failure","message":"sorry"}`)}, want: "failed to call webhook: sorry"},
		{name: "Status", response: Response{HTTPStatus: 500, Body: json.RawMessage(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}`)}, want: "failed to call webhook: sorry"},
	} {
		t.Run(test.name, func(t *testing.T) {
			version := test.version
			if version == "" {
				version = "v1"
			}
			_, err := hook(test.mutating).answer(test.response, version)
			var call *callError
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "":
			case err == nil:
				t.Errorf("no error, want %q", test.want)
			case !errors.As(err, &call) || !strings.HasPrefix(err.Error(), `failed calling webhook "a.example.com": `) || !strings.Contains(err.Error(), test.want):
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestPrepare(t *testing.T) {
	some := hook(false)
	some.sideEffects = ptr(v1.SideEffectClassSome)
	_, err := some.prepare(true)
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Code != 400 || status.ErrStatus.Message != `admission webhook "a.example.com" does not support dry run` {
		t.Errorf("dry run with side effects: %v", err)
	}
	unsaid := hook(false)
	unsaid.sideEffects = nil
	if _, err := unsaid.prepare(true); err == nil || err.Error() != `failed calling webhook "a.example.com": Webhook SideEffects is nil` {
		t.Errorf("dry run with side effects of which nothing is said: %v", err)
	}
	if _, err := some.prepare(false); err != nil {
		t.Errorf("no dry run: %v", err)
	}
	unknown := hook(false)
	unknown.versions = []string{"v2"}
	if _, err := unknown.prepare(false); err == nil || !strings.Contains(err.Error(), "webhook does not accept known AdmissionReview versions (v1, v1beta1)") {
		t.Errorf("unknown versions: %v", err)
	}
	both := hook(false)
	both.versions = []string{"v2", "v1beta1", "v1"}
	if version, err := both.prepare(false); version != "v1beta1" || err != nil {
		t.Errorf("first known version: %q, %v", version, err)
	}
}

// The addresses are those of the server's ClusterIP resolver (apiserver's
// pkg/util/proxy) and of its REST client.
func TestDial(t *testing.T) {
	ip := map[string]any{"type": "ClusterIP", "clusterIP": "10.0.0.7", "ports": []any{map[string]any{"port": int64(8443)}}}
	with := func(key string, value any) map[string]any {
		out := maps.Clone(ip)
		out[key] = value
		return out
	}
	for _, test := range []struct {
		name          string
		spec          map[string]any // nil: no Service
		whole         bool           // the cluster text is a whole cluster
		address, fail string
	}{
		{name: "by its address", spec: ip, address: "10.0.0.7:8443"},
		{name: "not there", whole: true, fail: `service "svc" not found`},
		{name: "unspecified", address: "svc.ns.svc:8443"},
		{name: "address unspecified", spec: with("clusterIP", nil), address: "svc.ns.svc:8443"},
		{name: "other port", spec: with("ports", nil), fail: `no service port 8443 found for service "svc"`},
		{name: "of other ports", spec: with("ports", []any{map[string]any{"port": int64(80)}, "none"}), fail: `no service port 8443 found for service "svc"`},
		{name: "headless", spec: with("clusterIP", "None"), fail: `cannot route to service with ClusterIP "None"`},
		{name: "external", spec: map[string]any{"type": "ExternalName", "externalName": "outside.example.com"}, address: "outside.example.com:8443"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := hook(false)
			h.client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "ns", Name: "svc", Port: ptr(int32(8443))}}
			var objects []cluster.Object
			if test.spec != nil {
				objects = append(objects, cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Service"}, Namespace: "ns", Name: "svc", Value: map[string]any{"spec": test.spec}})
			}
			if test.whole {
				objects = append(objects, cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: "ns", Value: map[string]any{}})
			}
			address, err := h.dial(cluster.New(objects, "2026-01-01T00:00:00Z", false), true)
			if address != test.address || (err == nil) != (test.fail == "") || err != nil && err.Error() != test.fail {
				t.Errorf("%q, %v", address, err)
			}
		})
	}
}

// In a Namespace that is being deleted, a Service that the text does not have is gone.
func TestDialWhileTerminating(t *testing.T) {
	for _, metadata := range []map[string]any{{}, {"deletionTimestamp": "2026-01-01T00:00:00Z"}} {
		h := hook(false)
		h.client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "ns", Name: "svc"}}
		namespace := cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: "ns", Value: map[string]any{"metadata": metadata}}
		_, err := h.dial(cluster.New([]cluster.Object{namespace}, "2026-01-01T00:00:00Z", false), false)
		if (err == nil) != (len(metadata) == 0) {
			t.Errorf("%v: %v", metadata, err)
		}
	}
}

func TestURL(t *testing.T) {
	for given, want := range map[string]string{
		"https://hooks.example.com":            "https://hooks.example.com/?timeout=5s",
		"https://hooks.example.com:8443/a//b/": "https://hooks.example.com:8443/a/b?timeout=5s",
		"https://hooks.example.com/a/../c%20d": "https://hooks.example.com/c%20d?timeout=5s",
		"https://[::1]/":                       "https://[::1]/?timeout=5s",
	} {
		h := hook(false)
		h.client.URL = &given
		if got := h.url(); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
	h := hook(false)
	h.client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "ns", Name: "svc", Path: ptr("/a/")}}
	if got, want := h.url(), "https://svc.ns.svc:443/a?timeout=5s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for path, want := range map[*string]string{nil: "https://svc.ns.svc:443/?timeout=5s", ptr(""): "https://svc.ns.svc:443/?timeout=5s"} {
		h.client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "ns", Name: "svc", Path: path}}
		if got := h.url(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, url := range []*string{nil, ptr("https://a b:c")} { // neither can be installed
		if h.client = (v1.WebhookClientConfig{URL: url}); h.host() != "" {
			t.Errorf("the host is %s", h.host())
		}
	}
	h.client = v1.WebhookClientConfig{URL: ptr("https://[::1]")}
	if got, want := h.host(), "[::1]:443"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRejection(t *testing.T) {
	for _, test := range []struct {
		name    string
		given   *metav1.Status
		code    int32
		message string
	}{
		{"nothing", nil, 400, `admission webhook "foo" denied the request without explanation`},
		{"message", &metav1.Status{Message: "no"}, 400, `admission webhook "foo" denied the request: no`},
		{"reason", &metav1.Status{Reason: metav1.StatusReasonForbidden}, 400, `admission webhook "foo" denied the request: Forbidden`},
		{"code", &metav1.Status{Message: "no", Code: 401}, 401, `admission webhook "foo" denied the request: no`},
		{"code of success", &metav1.Status{Message: "no", Code: 399, Status: metav1.StatusSuccess}, 400, `admission webhook "foo" denied the request: no`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := rejection("foo", test.given).ErrStatus
			if got.Code != test.code || got.Message != test.message || got.Status != metav1.StatusFailure {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestReadResponses(t *testing.T) {
	docs, problems := scenario.ParseDocuments(diag.Cluster, `
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: list.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: [{op: add, path: /a, value: 1}]}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: encoded.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: W10=}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: sequence.example.com}
spec: {sequence: [{allowed: true}, {allowed: false}]}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: typo.example.com}
spec: {alowed: true}
---
apiVersion: preadmit.dev/v2
kind: WebhookResponse
metadata: {name: version.example.com}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: patch.example.com}
spec: {patch: "***"}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: code.example.com}
spec: {sequence: [{httpStatus: 42}]}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: list.example.com}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	responses, found := ReadResponses(docs)
	if got, ok := responses["list.example.com"].encodedPatch().([]byte); !ok || string(got) != `[{"op":"add","path":"/a","value":1}]` {
		t.Errorf("plain list: %s", got)
	}
	for name, want := range map[string]string{"encoded.example.com": "W10=", "patch.example.com": "***"} {
		if got := responses[name].encodedPatch(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	sequence := responses["sequence.example.com"]
	if a, b, c := sequence.next(), sequence.next(), sequence.next(); !a.Allowed || b.Allowed || c.Allowed {
		t.Error("the last answer of a sequence repeats")
	}
	if fresh := responses.Fresh()["sequence.example.com"].next(); !fresh.Allowed {
		t.Error("a fresh copy starts again")
	}
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Code)
		if d.Span == (diag.Span{}) {
			t.Errorf("no place: %+v", d)
		}
	}
	if got, want := strings.Join(codes, " "), "webhook-response unknown-api-version webhook-response duplicate-document"; got != want {
		t.Errorf("problems %s, want %s", got, want)
	}
}

// TestBrokenResponses: what is no answer, where it is, and the repair of a text without
// quotes.
func TestBrokenResponses(t *testing.T) {
	for _, c := range []struct {
		metadata, spec string
		want           string // the path, and what the repair writes
	}{
		{"name: a", "{allowed: true}", ""},
		{"labels: {a: b}", "{allowed: true}", "metadata.name"},
		{"name: a", "{httpStatus: 199}", "spec.httpStatus"},
		{"name: a", "{httpStatus: 200}", ""},
		{"name: a", "{httpStatus: 599}", ""},
		{"name: a", "{httpStatus: 600}", "spec.httpStatus"},
		{"name: a", "{sequence: [{}, {httpStatus: 600}]}", "spec.sequence[1].httpStatus"},
		{"name: a", "{allowed: 5}", "spec.allowed"},
		{"name: a", "{uid: 5}", `spec.uid "5"`},
		{"name: a", "{patchType: true}", `spec.patchType "true"`},
		{"name: a", "{warnings: a}", "spec.warnings"},
		{"name: a", "{more: 5}", "spec"},
	} {
		docs, _ := scenario.ParseDocuments(diag.Cluster, "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {"+c.metadata+"}\nspec: "+c.spec+"\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n")
		responses, problems := ReadResponses(docs)
		got := ""
		for _, p := range problems {
			if p.Severity != diag.Error || p.Text != diag.Cluster || !strings.HasPrefix(p.Document, "WebhookResponse/") {
				t.Errorf("%s: %+v", c.spec, p)
			}
			got += p.Path
			for _, fix := range p.Fixes {
				got += " " + fix.Edits[0].New
			}
		}
		if got != c.want || (c.want == "") != (len(responses) == 1) {
			t.Errorf("%s %s: %s, %d responses", c.metadata, c.spec, got, len(responses))
		}
	}
}

// TestFailed: an error of a call has the code of the Status that it wraps at once.
func TestFailed(t *testing.T) {
	status := apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "a")
	for _, c := range []struct {
		err  error
		want int
	}{
		{hook(false).failed("a: %w", status), 404},
		{hook(false).failed("a: %w", fmt.Errorf("b: %w", status)), 503},
		{hook(false).failed("a"), 503},
		{hook(false).unusable("a"), 400},
	} {
		var call *callError
		if !errors.As(c.err, &call) || call.code != c.want {
			t.Errorf("%v: %+v", c.err, call)
		}
	}
}

// TestHookScheme: how the releases name their types in errors.
func TestHookScheme(t *testing.T) {
	for _, v := range version.All() {
		h := hook(false)
		h.version = v
		if want := map[bool]string{true: "pkg/util/webhook/client.go:74", false: "pkg/util/webhook/client.go:71"}[v.Has(version.WebhookClientLine)]; h.hookScheme() != want {
			t.Errorf("%s: %s", v, h.hookScheme())
		}
	}
	if seconds(nil) != 10 || seconds(ptr(int32(3))) != 3 {
		t.Error("the time of a call that says none is 10 s")
	}
}

// TestExchange: calls that a webhook asks for again. The delay is that of all of them.
func TestExchange(t *testing.T) {
	later := func(after string, delay float64) Response {
		return Response{HTTPStatus: 503, Headers: map[string]string{"Retry-After": after}, DelaySeconds: delay}
	}
	for _, c := range []struct {
		name     string
		sequence []Response
		calls    int
		delay    float64
		timeout  bool
		status   int
		refused  bool
	}{
		{"one call", []Response{{DelaySeconds: 2}}, 1, 2, false, 200, false},
		{"less than no time", []Response{{DelaySeconds: -2}}, 1, 0, false, 200, false},
		{"a second one", []Response{later("1", 2), {DelaySeconds: 0.5}}, 2, 3.5, false, 200, false},
		{"less than no time of both", []Response{later("1", -2), {DelaySeconds: -3}}, 2, 1, false, 200, false},
		{"at once", []Response{later("0", 0), {}}, 2, 0, false, 200, false},
		{"at once, after all of the time", []Response{later("0", 5), {}}, 2, 5, false, 200, false},
		{"too late", []Response{later("6", 0), {}}, 1, 6, true, 503, false},
		{"at the last moment", []Response{later("4", 0), {DelaySeconds: 0.5}}, 2, 4.5, false, 200, false},
		{"when the time is over", []Response{later("5", 0), {}}, 1, 5, true, 503, false},
		{"no answer is not asked again", []Response{{HTTPStatus: 503, Headers: map[string]string{"Retry-After": "1"}, Timeout: true}, {}}, 1, 0, true, 503, false},
		{"ten times more", []Response{later("0", 0)}, 11, 0, false, 503, false},
		{"refused then", []Response{later("1", 0), {ConnectionRefused: true}, {}}, 2, 1, false, 503, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &selected{Hook: &Hook{target: hook(true), address: "https://a.example.com"}, step: &report.Step{}}
			answers := &Answers{Response: Response{Sequence: c.sequence}}
			given, err := s.exchange(&run.Chain{Cluster: cluster.New(nil, "2026-01-01T00:00:00Z", false)}, answers)
			if answers.calls != c.calls || given.DelaySeconds != c.delay || given.Timeout != c.timeout || given.status() != c.status || (err != nil) != c.refused {
				t.Errorf("%d calls, %g s, timeout %t, %d, %v", answers.calls, given.DelaySeconds, given.Timeout, given.status(), err)
			}
			if again := len(s.step.Notes) > 0; again != (c.calls > 1) {
				t.Errorf("the notes are %v", s.step.Notes)
			}
		})
	}
}

// TestMeasured: only real calls are measured, all of one webhook together.
func TestMeasured(t *testing.T) {
	s := &selected{Hook: &Hook{}, step: &report.Step{}}
	if s.noteCalled(Response{TookSeconds: 4}); s.measured || s.took != 0 {
		t.Errorf("a made-up answer was measured: %g s", s.took)
	}
	s.noteCalled(Response{RecordedFrom: "https://a", TookSeconds: 2})
	if s.noteCalled(Response{RecordedFrom: "https://a", TookSeconds: 3}); !s.measured || s.took != 5 {
		t.Errorf("measured: %t, %g s", s.measured, s.took)
	}
}

// TestSettle: what an error of a call becomes by the failure policy and by the time that
// is left of the request's 34 seconds.
func TestSettle(t *testing.T) {
	ignore := v1.Ignore
	failed := hook(true).failed("x")
	for _, c := range []struct {
		name             string
		err              error
		ignore, mutating bool
		elapsed          float64
		want             string
	}{
		{"no error", nil, false, true, 0, ""},
		{"a failed call", failed, false, true, 0, `500 Internal error occurred: failed calling webhook "a.example.com": x`},
		{"ignored", failed, true, true, 33.9, ""},
		{"ignored when there is no time left", failed, true, true, 34, "504 Timeout: request did not complete within requested timeout"},
		{"validating ones take no time", failed, true, false, 34, ""},
		{"a rejection cannot be ignored", &rejectedError{rejection("a", nil)}, true, true, 0, `400 admission webhook "a" denied the request without explanation`},
		{"nor can an error of the server", errors.New("x"), true, true, 0, "500 Internal error occurred: x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := &run.Chain{Report: &report.Report{}, Elapsed: c.elapsed}
			s := &selected{Hook: &Hook{target: hook(c.mutating)}, step: &report.Step{}}
			if c.ignore {
				s.failurePolicy = &ignore
			}
			got := ""
			if status := settle(chain, s, c.err, func() string { return "failed-open.example.com/a" }); status != nil {
				got = fmt.Sprint(status.ErrStatus.Code, " ", status.ErrStatus.Message)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			var call *callError
			opened := chain.AuditAnnotations()["failed-open.example.com/a"] == s.name
			if opened != (c.ignore && errors.As(c.err, &call)) || len(chain.Report.Metrics) == 0 {
				t.Errorf("it failed open: %t, %v", opened, chain.Report.Metrics)
			}
			if want := map[bool]report.Verdict{true: report.Deny, false: report.Admit}[c.want != ""]; c.err != nil && s.step.Verdict != want {
				t.Errorf("the step's verdict is %s", s.step.Verdict)
			}
			if c.err != nil && s.step.Error == "" {
				t.Error("the step has no error")
			}
		})
	}
}

// TestEncodedPatch: a patch as it is given in a scenario, and as an answer carries it.
func TestEncodedPatch(t *testing.T) {
	for given, want := range map[string]any{
		"": nil, "null": nil, `"W10="`: "W10=", `""`: "", `[]`: []byte(`[]`), `[{"op":"test"}]`: []byte(`[{"op":"test"}]`), `{}`: []byte(`{}`),
	} {
		if got := (Response{Patch: json.RawMessage(given)}).encodedPatch(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s becomes %v", given, got)
		}
	}
}
