package bridge

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// example reads a gallery scenario.
func example(t *testing.T, slug string) scenario.Scenario {
	t.Helper()
	read, err := scenario.FromFS(os.DirFS("../../examples/" + slug))
	if err != nil || len(read.Diagnostics) > 0 {
		t.Fatal(err, read)
	}
	return read.Scenario
}

// callWith makes a call and decodes the result into out. It returns the reply's error.
func callWith(t *testing.T, method string, params, out any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal([]byte(Call(context.Background(), string(raw))), &r); err != nil {
		t.Fatal(err)
	}
	if r.Error == "" {
		if err := json.Unmarshal(r.Result, out); err != nil {
			t.Fatalf("%s: %v", r.Result, err)
		}
	}
	return r.Error
}

func TestEvaluate(t *testing.T) {
	var got Evaluated
	params := EvaluateParams{Scenario: example(t, "first-look"), Parts: []html.Part{html.StepsPart, html.AnswerPart}}
	if msg := callWith(t, "evaluate", params, &got); msg != "" {
		t.Fatal(msg)
	}
	if got.Report.Outcome.Code != 422 || got.Broken != "" {
		t.Errorf("outcome %+v, broken %q", got.Report.Outcome, got.Broken)
	}
	for part, want := range map[string]string{
		got.HTML.Outcome:                "replica-limit",
		got.HTML.Parts[html.StepsPart]:  "production-only",
		got.HTML.Parts[html.AnswerPart]: "AdmissionReview",
		got.HTML.Problems:               "No problems",
		got.HTML.Announcement:           "Denied by policy replica-limit",
	} {
		if !strings.Contains(part, want) {
			t.Errorf("no %q in\n%s", want, part)
		}
	}
}

func TestBrokenTextIsNamed(t *testing.T) {
	s := example(t, "first-look")
	s.Request = "apiVersion: v1\nkind: [\n"
	var got Evaluated
	if msg := callWith(t, "evaluate", EvaluateParams{Scenario: s}, &got); msg != "" {
		t.Fatal(msg)
	}
	if got.Broken != "request" {
		t.Errorf("broken = %q, diagnostics %+v", got.Broken, got.Report.Diagnostics)
	}
}

func TestFilesAndBack(t *testing.T) {
	s := example(t, "first-look")
	var files Files
	if msg := callWith(t, "files", s, &files); msg != "" {
		t.Fatal(msg)
	}
	for _, dropped := range []map[string]string{files.Files, {"scenario.txtar": files.Txtar}} {
		var opened Opened
		if msg := callWith(t, "open", OpenParams{Files: dropped}, &opened); msg != "" {
			t.Fatal(msg)
		}
		if opened.Scenario.Policies != s.Policies || opened.Scenario.Title != s.Title || len(opened.Problems) > 0 {
			t.Errorf("opened %+v", opened)
		}
	}
}

// TestOpenManifests drops files with names of their own.
func TestOpenManifests(t *testing.T) {
	const policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\n"
	const binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n"
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	var opened Opened
	if msg := callWith(t, "open", OpenParams{Files: map[string]string{"a.yaml": policy, "b.yml": binding, "ns.yaml": namespace, "pod.json": pod}}, &opened); msg != "" {
		t.Fatal(msg)
	}
	want := scenario.Scenario{Policies: policy + "---\n" + binding, Cluster: namespace, Request: pod}
	if !opened.Manifests || !reflect.DeepEqual(opened.Scenario, want) {
		t.Errorf("opened %+v", opened)
	}
}

// One of several objects is the request; the user can choose another.
func TestOpenSeveral(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		files[name+".yaml"] = "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\n"
	}
	for chosen, name := range []string{"a", "a", "b", "c"} { // without a choice, the first
		var opened Opened
		if msg := callWith(t, "open", OpenParams{Files: files, Request: chosen}, &opened); msg != "" {
			t.Fatal(msg)
		}
		if len(opened.Candidates) != 3 || opened.Chosen != max(chosen, 1) || !strings.Contains(opened.Scenario.Request, "name: "+name) {
			t.Errorf("%d: opened %+v", chosen, opened)
		}
	}
}

func TestCompletion(t *testing.T) {
	s := example(t, "first-look")
	at := strings.Index(s.Policies, "object.spec.replicas") + len("object.spec.re")
	var got struct {
		Items []struct {
			Label string `json:"label"`
		} `json:"items"`
	}
	if msg := callWith(t, "complete", map[string]any{"scenario": s, "text": "policies", "offset": at}, &got); msg != "" {
		t.Fatal(msg)
	}
	for _, item := range got.Items {
		if item.Label == "replicas" {
			return
		}
	}
	t.Errorf("replicas is not offered: %+v", got.Items)
}

// TestFieldDocs passes the sentences. Help has them afterwards.
func TestFieldDocs(t *testing.T) {
	s := example(t, "first-look")
	at := strings.Index(s.Policies, "object.spec.replicas") + len("object.spec.re")
	params := map[string]any{"scenario": s, "text": "policies", "offset": at}
	var before, after struct{ Doc string }
	if msg := callWith(t, "hover", params, &before); msg != "" {
		t.Fatal(msg)
	}
	var done bool
	if msg := callWith(t, "fieldDocs", "apps/v1.DeploymentSpec\tSpec.\n\treplicas\tSo many pods.\n", &done); msg != "" || !done {
		t.Fatal(msg)
	}
	if msg := callWith(t, "hover", params, &after); msg != "" {
		t.Fatal(msg)
	}
	if strings.Contains(before.Doc, "So many pods.") || !strings.Contains(after.Doc, "So many pods.") {
		t.Errorf("before %q, after %q", before.Doc, after.Doc)
	}
}

// TestCallsThatAreWrong sends calls that no page sends. Each must return an error in the reply,
// without a panic.
func TestCallsThatAreWrong(t *testing.T) {
	for _, request := range []string{
		"", "{", "null", `{"method":"nothing"}`, `{"method":"evaluate","params":3}`, `{"method":"evaluate","params":{"parts":["everything"]}}`,
		`{"method":"open","params":[]}`, `{"method":"request/form","params":{"scenario":{},"set":{"dryRun":true}}}`,
		strings.Repeat("x", MaxRequest+1),
	} {
		var r reply
		if err := json.Unmarshal([]byte(Call(context.Background(), request)), &r); err != nil {
			t.Fatal(err)
		}
		if r.Error == "" {
			t.Errorf("%.40q gave no error", request)
		}
	}
}

// TestTextsBesideACall passes a scenario's texts separately from the call's JSON.
func TestTextsBesideACall(t *testing.T) {
	whole, short := example(t, "first-look"), example(t, "first-look")
	texts := []string{"policies", whole.Policies, "request", whole.Request, "cluster", whole.Cluster}
	short.Policies, short.Request, short.Cluster = "", "", ""
	answer := func(method string, s scenario.Scenario, texts ...string) (out Evaluated, failed string) {
		call, err := json.Marshal(map[string]any{"params": EvaluateParams{Scenario: s}})
		if err != nil {
			t.Fatal(err)
		}
		r := reply{Result: &out}
		if err := json.Unmarshal([]byte(Call(context.Background(), `{"method":"`+method+`",`+string(call[1:]), texts...)), &r); err != nil {
			t.Fatal(err)
		}
		return out, r.Error
	}
	want, failed := answer("evaluate", whole)
	got, also := answer("evaluate", short, texts...)
	if failed != "" || also != "" || want.Report.Outcome.Code != 422 || !reflect.DeepEqual(got.Report, want.Report) {
		t.Errorf("%+v, not %+v; %s %s", got.Report, want.Report, failed, also)
	}
	if _, failed := answer("evaluate", short, "title", "x"); failed == "" {
		t.Error("a title beside the call is taken")
	}
	if _, failed := answer("render", short, texts...); failed == "" {
		t.Error("another method takes texts")
	}
	if _, failed := answer("evaluate", short, "request", strings.Repeat("x", MaxRequest)); failed == "" {
		t.Error("too large a text is taken")
	}
}

// TestOtherParts requests parts that were not rendered at first. An old report never passes for a
// new one, and recent reports stay available.
func TestOtherParts(t *testing.T) {
	evaluated := func(s scenario.Scenario, parts ...html.Part) Evaluated {
		var out Evaluated
		if msg := callWith(t, "evaluate", EvaluateParams{Scenario: s, Parts: parts}, &out); msg != "" {
			t.Fatal(msg)
		}
		return out
	}
	rendered := func(id int64) RenderedParts {
		var out RenderedParts
		if msg := callWith(t, "render", RenderParams{ID: id, Parts: []html.Part{html.AnswerPart}}, &out); msg != "" {
			t.Fatal(msg)
		}
		return out
	}
	denied := example(t, "first-look")
	admitted := denied
	admitted.Policies = ""
	first, second := evaluated(denied, html.StepsPart), evaluated(admitted, html.StepsPart)
	if got := rendered(first.ID); got.Gone || !strings.Contains(got.Parts[html.AnswerPart], "422") {
		t.Errorf("the first: %+v", got)
	}
	if got := rendered(second.ID); got.Gone || strings.Contains(got.Parts[html.AnswerPart], "422") {
		t.Errorf("the second: %+v", got)
	}
	if unkept := evaluated(denied); unkept.ID != 0 || len(unkept.HTML.Parts) != 0 || unkept.HTML.Outcome == "" {
		t.Errorf("without parts: %+v", unkept)
	}
	for range maxKept {
		var out Evaluated
		if msg := callWith(t, "evaluate", EvaluateParams{Scenario: admitted, Parts: []html.Part{html.StepsPart}, Shown: second.ID}, &out); msg != "" {
			t.Fatal(msg)
		}
	}
	if got := rendered(second.ID); got.Gone {
		t.Error("the report on the page is gone")
	}
	if got := rendered(first.ID); !got.Gone || len(got.Parts) != 0 {
		t.Errorf("an old one: %+v", got)
	}
}

// TestListsAreLists: where the page expects a list or map, it never gets null, which Go writes for
// a nil one.
func TestListsAreLists(t *testing.T) {
	empty := scenario.Scenario{}
	for name, params := range map[string]any{
		"evaluate": EvaluateParams{}, "render": RenderParams{}, "complete": Place{Text: "policies"},
		"versions": empty, "limits": empty, "files": empty, "open": map[string]string{}, "request/form": FormParams{},
	} {
		raw, err := json.Marshal(map[string]any{"method": name, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		if reply := Call(context.Background(), string(raw)); strings.Contains(reply, ":null") {
			t.Errorf("%s: %s", name, reply)
		}
	}
}

func TestMarkupIsNotEscapedTwice(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"method": "evaluate", "params": EvaluateParams{Scenario: example(t, "first-look")}})
	if err != nil {
		t.Fatal(err)
	}
	if reply := Call(context.Background(), string(raw)); strings.Contains(reply, `\u003c`) || !strings.Contains(reply, "<") {
		t.Errorf("the HTML in the reply: %.500s", reply)
	}
}

// TestReplyIsSmall limits what a keystroke sends to the page. The reply for this example had 80 kB
// when it included all parts and the report's objects, before there were pictures. Pictures of
// costs now add 3 kB.
func TestReplyIsSmall(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"method": "evaluate", "params": EvaluateParams{Scenario: example(t, "first-look"), Parts: []html.Part{html.StepsPart}}})
	if err != nil {
		t.Fatal(err)
	}
	reply := Call(context.Background(), string(raw))
	t.Logf("%d bytes", len(reply))
	if len(reply) > 80_000 {
		t.Errorf("the reply has %d bytes", len(reply))
	}
}

// The reply for a panic says where to report it.
func TestFailure(t *testing.T) {
	var r struct{ Error string }
	if err := json.Unmarshal([]byte(Failure("index out of range")), &r); err != nil {
		t.Fatal(err)
	}
	if want := "internal error, please report it at " + codes.ReportAddress + ": index out of range"; r.Error != want {
		t.Errorf("%q, not %q", r.Error, want)
	}
}
