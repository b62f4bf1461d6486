package language_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/bridge"
)

const examplesRoot = "../../../../examples"

// paged is what the page gets for a call.
func paged[T any](t *testing.T, method string, params any) T {
	t.Helper()
	call, err := json.Marshal(struct {
		Method string `json:"method"`
		Params any    `json:"params"`
	}{method, params})
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result T
		Error  string
	}
	if err := json.Unmarshal([]byte(bridge.Call(context.Background(), string(call))), &reply); err != nil || reply.Error != "" {
		t.Fatal(err, reply.Error)
	}
	return reply.Result
}

// TestAsThePage: for every example the editor gets the problems, repairs, completions and help of the
// page, and the layout.
func TestAsThePage(t *testing.T) {
	folders, err := os.ReadDir(examplesRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		dir := filepath.Join(examplesRoot, folder.Name())
		if _, err := os.Stat(filepath.Join(dir, "policies.yaml")); err != nil {
			continue
		}
		t.Run(folder.Name(), func(t *testing.T) {
			absolute, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			read, err := scenario.FromFS(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			page := paged[bridge.Evaluated](t, "evaluate", bridge.EvaluateParams{Scenario: read.Scenario})
			var want []string
			for _, d := range page.Report.Diagnostics {
				if d.Text == diag.Policies {
					want = append(want, fmt.Sprintf("%d %s %s", d.Line-1, d.Code, d.Summary))
				}
			}
			e := started(t, absolute)
			e.opens("policies.yaml")
			var got []string
			for _, d := range e.problems("policies.yaml") {
				summary, _, _ := strings.Cut(d.Message, "\n")
				got = append(got, fmt.Sprintf("%d %v %s", d.Range.Start.Line, d.Code, summary))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("problems:\n%s\nthe page has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			text := e.texts["policies.yaml"]
			e.comparesEdits(text, page, read.Scenario)
			for at := 61; at < len(text); at += 397 {
				for at < len(text) && text[at]&0xc0 == 0x80 {
					at++
				}
				var list protocol.CompletionList
				e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
					TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("policies.yaml")}, Position: e.at(text, at),
				}}, &list)
				offered := paged[completion.Result](t, "complete", bridge.Place{Scenario: read.Scenario, Text: diag.Policies, Offset: at})
				var items, pageItems []string
				for _, item := range list.Items {
					items = append(items, item.Label)
				}
				for _, item := range offered.Items {
					pageItems = append(pageItems, item.Label)
				}
				if !slices.Equal(items, pageItems) {
					t.Errorf("at %d: %v, not %v", at, items, pageItems)
				}
				var hover *protocol.Hover
				e.call(protocol.MethodTextDocumentHover, protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
					TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("policies.yaml")}, Position: e.at(text, at),
				}}, &hover)
				if help := paged[*completion.Help](t, "hover", bridge.Place{Scenario: read.Scenario, Text: diag.Policies, Offset: at}); help != nil &&
					(hover == nil || !strings.HasPrefix(hover.Contents.Value, "```cel\n"+help.Title+"\n```")) {
					t.Errorf("at %d: %+v, not %s", at, hover, help.Title)
				}
			}
		})
	}
}

// comparesEdits compares the repairs of all problems, and the layout.
func (e *editor) comparesEdits(text string, page bridge.Evaluated, s scenario.Scenario) {
	t := e.t
	t.Helper()
	problems := page.Report.Diagnostics
	if page.Untried {
		if tried := paged[bridge.Repaired](t, "repairs", bridge.RepairsParams{ID: page.ID, Scenario: s}); tried.Diagnostics != nil {
			problems = tried.Diagnostics
		}
	}
	var want, got []string
	for _, d := range problems {
		for _, fix := range d.Fixes {
			elsewhere := func(edit diag.Edit) bool { return edit.Text != diag.Policies } // such as in a file that is not there
			if d.Text == diag.Policies && len(fix.Edits) > 0 && !slices.ContainsFunc(fix.Edits, elsewhere) {
				want = append(want, fix.Title)
			}
		}
	}
	whole := protocol.Range{End: e.at(text, len(text))}
	file := protocol.TextDocumentIdentifier{URI: e.uri("policies.yaml")}
	var actions []protocol.CodeAction
	e.call(protocol.MethodTextDocumentCodeAction, protocol.CodeActionParams{TextDocument: file, Range: whole, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}, Only: []protocol.CodeActionKind{protocol.QuickFix}}}, &actions)
	for _, action := range actions {
		got = append(got, action.Title)
	}
	for _, title := range want {
		if !slices.Contains(got, title) {
			t.Errorf("the page has the repair %q, the editor %q", title, got)
		}
	}
	laidOut := paged[string](t, "format", bridge.FormatParams{Text: text})
	var edits []protocol.TextEdit
	e.call(protocol.MethodTextDocumentFormatting, map[string]any{"textDocument": file}, &edits)
	if (laidOut == text) != (len(edits) == 0) {
		t.Errorf("the page changes the layout: %v; the editor: %v", laidOut != text, edits)
	}
}

const unitsPolicy = "# 😀 é\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec:\n" +
	"  matchConstraints:\n    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]\n" +
	"  validations:\n  - expression: \"'é😀' == object.spec.nodename\"\n"

// TestEncodings: places count UTF-16 units, or bytes where the editor can do that.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		offers []string
		want   string
		column uint32
	}{{nil, "utf-16", 38}, {[]string{"utf-16", "utf-8"}, "utf-8", 41}, {[]string{"utf-32"}, "utf-16", 38}} {
		e := started(t, t.TempDir(), c.offers...)
		if e.encoding != c.want {
			t.Errorf("%v: %s", c.offers, e.encoding)
		}
		e.opensText("a.yaml", unitsPolicy)
		list := e.problems("a.yaml")
		i := slices.IndexFunc(list, func(d protocol.Diagnostic) bool { return d.Code == "type-checking" })
		if i < 0 || list[i].Range.Start != (protocol.Position{Line: 8, Character: c.column}) {
			t.Errorf("%s: %+v", c.want, list)
		}
		at := strings.Index(unitsPolicy, "nodename")
		e.changes("a.yaml", at, at+len("nodename"), "nodeName")
		if list := e.problems("a.yaml"); slices.ContainsFunc(list, func(d protocol.Diagnostic) bool { return d.Code == "type-checking" }) {
			t.Errorf("%s: the change was lost: %+v", c.want, list)
		}
	}
}

// TestRandomEdits: after many edits the problems are those of the text as it is then.
func TestRandomEdits(t *testing.T) {
	pieces := []string{"x", "\n", "😀", "é", "  - ", "\r\n", "object", "", "", "'"}
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		e := started(t, dir, []string{"utf-8", "utf-16"}[seed%2])
		e.opensText("a.yaml", unitsPolicy)
		for range 120 {
			text := e.texts["a.yaml"]
			runes := []int{len(text)}
			for i := range text {
				if i == 0 || text[i] != '\n' || text[i-1] != '\r' { // no place is within a line break
					runes = append(runes, i)
				}
			}
			from := runes[random.IntN(len(runes))]
			to := from
			for range random.IntN(4) {
				if next := slices.IndexFunc(runes[1:], func(i int) bool { return i > to }); next >= 0 {
					to = runes[1+next]
				}
			}
			e.changes("a.yaml", from, to, pieces[random.IntN(len(pieces))])
		}
		// The marker is seen only where the text is as the editor has it.
		text := e.texts["a.yaml"]
		e.changes("a.yaml", 0, len(text), unitsPolicy+"---\n"+text)
		got := e.problems("a.yaml")
		fresh := started(t, dir, e.encoding)
		fresh.opensText("a.yaml", e.texts["a.yaml"])
		if want := fresh.problems("a.yaml"); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %v\nwant %v", seed, got, want)
		}
	}
}

// TestForeignFiles: nothing is said about YAML of other programs.
func TestForeignFiles(t *testing.T) {
	e := started(t, t.TempDir())
	e.opensText("workflow.yaml", "on: push\njobs: {a: {b: }}\n")
	e.opensText("a.yaml", unitsPolicy)
	e.problems("a.yaml")
	select {
	case p := <-e.published:
		t.Errorf("%+v", p)
	case <-time.After(200 * time.Millisecond):
	}
	var found *protocol.Hover
	e.call(protocol.MethodTextDocumentHover, protocol.HoverParams{TextDocumentPositionParams: e.place("workflow.yaml", "jo|bs")}, &found)
	if found != nil {
		t.Errorf("%+v", found)
	}
}

// TestProblemsOfTests: a file of tests shows the tests in it that cannot be read.
func TestProblemsOfTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policies.yaml": unitsPolicy,
		"request.yaml":  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
		"cases.yaml":    "- name: a\n  expected: {outcome: {allowed: true}}\n- name: b\n  remove: [/spec/none]\n  expected: {outcome: {allowed: true}}\n",
		"expected.yaml": "outcome:\n  alowed: true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := started(t, dir)
	for file, want := range map[string]string{"cases.yaml": "2:2 request.yaml has nothing at /spec/none, which remove names", "expected.yaml": "1:2 reports have no field outcome.alowed"} {
		e.opens(file)
		problems := e.problems(file)
		if len(problems) != 1 {
			t.Fatalf("%s has %d problems: %v", file, len(problems), problems)
		}
		p := problems[0]
		if got := fmt.Sprintf("%d:%d %s", p.Range.Start.Line, p.Range.Start.Character, p.Message); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	at := strings.Index(e.texts["cases.yaml"], "/spec/none")
	e.changes("cases.yaml", at, at+len("/spec/none"), "/metadata/name")
	if problems := e.problems("cases.yaml"); len(problems) != 0 {
		t.Errorf("a right case has problems: %v", problems)
	}
}

// TestCompletesTests: what a case expects completes with what the server would answer to that case.
func TestCompletesTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policies.yaml": strings.Replace(unitsPolicy, "'é😀' == object.spec.nodename", "object.metadata.name == 'p'", 1) + "---\napiVersion: admissionregistration.k8s.io/v1\n" +
			"kind: ValidatingAdmissionPolicyBinding\nmetadata: {name: a}\nspec: {policyName: a, validationActions: [Deny]}\n",
		"request.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n",
		"cases.yaml": "- name: a\n  expected:\n    outcome: {code: 0}\n" +
			"- name: b\n  set: {/metadata/name: q}\n  expected:\n    outcome: {code: 0}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := started(t, dir)
	e.opens("cases.yaml")
	for before, want := range map[string]string{"- name: a\n  expected:\n    outcome: {code: |0": "201", "name: q}\n  expected:\n    outcome: {code: |0": "422", "- name: a\n  |expected": "remove"} {
		var list protocol.CompletionList
		e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: e.place("cases.yaml", before)}, &list)
		if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == want }) {
			t.Errorf("%q offers %+v, want %s", before, list.Items, want)
		}
	}
}

// TestCancel: a question that the editor takes back is answered with that, or was answered before.
func TestCancel(t *testing.T) {
	e := started(t, t.TempDir())
	e.opensText("a.yaml", unitsPolicy)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		err := protocol.Call(ctx, e.conn, protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: e.place("a.yaml", "object.spec.|nodename")}, nil)
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
	}
	var list protocol.CompletionList
	e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: e.place("a.yaml", "object.spec.|nodename")}, &list)
	if len(list.Items) == 0 {
		t.Error("no completions after cancelled ones")
	}
}

// TestTyping types in one of 100 policies: each key is answered with completions and the problems of its
// version. The test logs how long that took, and does not judge it.
func TestTyping(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		policy := strings.Replace(unitsPolicy, "{name: a}", fmt.Sprintf("{name: p%d}", i), 1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.yaml", i)), []byte(policy), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := started(t, dir)
	e.opens("p50.yaml")
	e.problems("p50.yaml")
	var completions, problems []time.Duration
	for i := range 40 {
		at := strings.Index(e.texts["p50.yaml"], "object.spec.") + len("object.spec.")
		e.changes("p50.yaml", at, at+i%2, []string{"x", ""}[i%2])
		start := time.Now()
		var list protocol.CompletionList
		e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: e.place("p50.yaml", "object.spec.|")}, &list)
		if len(list.Items) == 0 {
			t.Fatalf("no completions at key %d", i)
		}
		completions = append(completions, time.Since(start))
		e.problems("p50.yaml")
		problems = append(problems, time.Since(start))
	}
	slices.Sort(completions)
	slices.Sort(problems)
	t.Logf("p95 of 40 keys in 100 policies: completion %v, problems %v", completions[38], problems[38])
}
