package httpapi_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/httpapi"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/examples"
	"github.com/preadmit/preadmit/serve"
)

func listening(t *testing.T, limits serve.Limits) *httptest.Server {
	t.Helper()
	s, err := httpapi.New("test", limits)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	return web
}

func post(t *testing.T, address, kind, body string) (int, []byte) {
	t.Helper()
	r, err := http.Post(address, kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, data
}

// described are the OpenAPI description's schemas, compiled for validation.
func described(t *testing.T, web *httptest.Server) map[string]*jsonschema.Resolved {
	t.Helper()
	r, err := http.Get(web.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var description struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas map[string]*jsonschema.Schema
		}
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	// A JSON Schema has its parts in $defs.
	moved := strings.ReplaceAll(string(data), "#/components/schemas/", "#/$defs/")
	if err := json.Unmarshal([]byte(moved), &description); err != nil {
		t.Fatal(err)
	}
	if description.OpenAPI != "3.1.0" || description.Paths["/v1/check"]["post"] == nil {
		t.Errorf("OpenAPI %s, %d paths", description.OpenAPI, len(description.Paths))
	}
	out := map[string]*jsonschema.Resolved{}
	for _, name := range []string{"Scenario", "Report", "CheckResult", "Failure"} {
		whole := &jsonschema.Schema{Ref: "#/$defs/" + name, Defs: description.Components.Schemas}
		if out[name], err = whole.CloneSchemas().Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func valid(t *testing.T, schema *jsonschema.Resolved, data []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%.300s", err, data)
	}
}

// TestCalls evaluates and checks every example. Requests and responses must match the description.
func TestCalls(t *testing.T) {
	web := listening(t, serve.Defaults)
	schemas := described(t, web)
	folders, err := fs.ReadDir(examples.Scenarios, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			sub, err := fs.Sub(examples.Scenarios, folder.Name())
			if err != nil {
				t.Fatal(err)
			}
			read, err := scenario.FromFS(sub)
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(read.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, schemas["Scenario"], body)
			for path, name := range map[string]string{"/v1/evaluate": "Report", "/v1/evaluate?explain=true": "Report", "/v1/check": "CheckResult"} {
				code, reply := post(t, web.URL+path, "application/json", string(body))
				if code != 200 {
					t.Fatalf("%s: %d %s", path, code, reply)
				}
				valid(t, schemas[name], reply)
			}
		})
	}
}

// TestVerdict: the report equals the engine's.
func TestVerdict(t *testing.T) {
	read, err := scenario.FromFS(must(fs.Sub(examples.Scenarios, "first-look")))
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(read.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	_, reply := post(t, listening(t, serve.Defaults).URL+"/v1/evaluate", "application/json; charset=utf-8", string(body))
	var r report.Report
	if err := json.Unmarshal(reply, &r); err != nil {
		t.Fatal(err)
	}
	if r.Outcome.Code != 422 || !strings.Contains(r.Outcome.Message, "at most 5 replicas in namespace shop, not 8") {
		t.Errorf("%d %s", r.Outcome.Code, r.Outcome.Message)
	}
}

func must(sub fs.FS, err error) fs.FS {
	if err != nil {
		panic(err)
	}
	return sub
}

// TestRefused: invalid calls return an HTTP error with one sentence.
func TestRefused(t *testing.T) {
	web := listening(t, serve.Limits{Body: 1 << 20, Concurrent: 2, Timeout: time.Second})
	failure := described(t, web)["Failure"]
	const kind = "application/json"
	for name, c := range map[string]struct {
		path, kind, body string
		code             int
		says             string
	}{
		"form":            {"/v1/evaluate", "text/plain", "{}", 415, "application/json"},
		"no body":         {"/v1/evaluate", kind, "", 400, "the body is empty"},
		"no JSON":         {"/v1/check", kind, "kind: Pod", 400, "not a scenario"},
		"unknown field":   {"/v1/check", kind, `{"policy": ""}`, 400, `unknown field "policy"`},
		"two":             {"/v1/check", kind, `{} {}`, 400, "more text after it"},
		"unknown release": {"/v1/check", kind, `{"kubernetes": "1.12"}`, 400, "1.30"},
		"explain":         {"/v1/evaluate?explain=yes", kind, `{}`, 400, "true or false"},
		"too long":        {"/v1/evaluate", kind, `{"policies": "` + strings.Repeat("x", 1<<20) + `"}`, 413, "1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			code, reply := post(t, web.URL+c.path, c.kind, c.body)
			if code != c.code || !strings.Contains(string(reply), strings.ReplaceAll(c.says, `"`, `\"`)) {
				t.Errorf("%d %s", code, reply)
			}
			valid(t, failure, reply)
		})
	}
}

// TestSlow: an evaluation that takes too long is undecided.
func TestSlow(t *testing.T) {
	web := listening(t, serve.Limits{Body: 1 << 20, Concurrent: 1, Timeout: time.Nanosecond})
	code, reply := post(t, web.URL+"/v1/evaluate", "application/json", `{"request": "{apiVersion: v1, kind: Pod, metadata: {name: a}}"}`)
	if code != 200 || !strings.Contains(string(reply), `"state":"undecided"`) {
		t.Errorf("%d %s", code, reply)
	}
	valid(t, described(t, web)["Report"], reply)
}

// TestBusy: a call over the limit returns an error with Retry-After.
func TestBusy(t *testing.T) {
	code, reply := post(t, listening(t, serve.Limits{Body: 1 << 20, Concurrent: 0, Timeout: time.Second}).URL+"/v1/check", "application/json", "{}")
	if code != 503 || !strings.Contains(string(reply), "already") {
		t.Errorf("%d %s", code, reply)
	}
}

// TestOtherSites: other sites' pages cannot call it.
func TestOtherSites(t *testing.T) {
	r, err := http.NewRequest("POST", listening(t, serve.Defaults).URL+"/v1/check", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "https://example.com")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 403 {
		t.Error(answer.Status)
	}
}
