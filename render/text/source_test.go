package text

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

func TestSourceAt(t *testing.T) {
	var s Source
	s.Add("a.yaml", "one\ntwo", 1)
	s.Add("b.txtar", "three\r\nfoür x\n", 10)
	for _, test := range []struct {
		part string // the offset is where it begins
		want string
		line string
	}{
		{"one", "a.yaml:1:1", "one"},
		{"wo", "a.yaml:2:2", "two"},
		{"three", "b.txtar:10:1", "three"},
		{"x", "b.txtar:11:6", "foür x"},
		{"", "a.yaml:1:1", "one"},
	} {
		got := s.At(strings.Index(s.Text, test.part))
		if got.String() != test.want || got.Source != test.line {
			t.Errorf("%q: got %s %q, want %s %q", test.part, got, got.Source, test.want, test.line)
		}
	}
	if got := s.At(len(s.Text) + 100).String(); got != "b.txtar:12:1" {
		t.Errorf("an offset behind the end gives %s", got)
	}
	if got := (&Source{}).At(3).String(); got != ":1:1" {
		t.Errorf("a text of no file gives %s", got)
	}
}

// TestNoText: a line that is not text is not printed.
func TestNoText(t *testing.T) {
	sources := Sources{diag.Policies: &Source{}}
	sources[diag.Policies].Add("a.bin", "ELF\x00\x01", 1)
	var out strings.Builder
	err := (Printer{Sources: sources}).Diagnostics(&out, []diag.Diagnostic{{Severity: diag.Error, Text: diag.Policies, Span: diag.Span{End: 1}, Summary: "no"}})
	if got := out.String(); err != nil || strings.Contains(got, "ELF") || !strings.Contains(got, "a.bin:1:1") {
		t.Errorf("got %q (%v)", got, err)
	}
}

func TestDiagnostics(t *testing.T) {
	const text = "kind: Pod\n\tname: wörld!\nlong: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa WRONG bbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
	sources := Sources{diag.Request: &Source{}}
	sources[diag.Request].Add("pod.yaml", text, 1)
	at := func(part string) diag.Span {
		i := strings.Index(text, part)
		return diag.Span{Start: i, End: i + len(part)}
	}
	for _, test := range []struct {
		name string
		d    diag.Diagnostic
		want string
	}{
		{"tab and runes", diag.Diagnostic{Severity: diag.Error, Text: diag.Request, Span: at("wörld"), Summary: "no", Code: "some-code", Path: "name", Document: "Pod/x"}, `
pod.yaml:2:8: error: no [some-code]
    	name: wörld!
    	      ^^^^^
    Pod/x, name
`},
		{"an empty span", diag.Diagnostic{Severity: diag.Warning, Text: diag.Request, Span: diag.Span{Start: 10, End: 10}, Summary: "no"}, `
pod.yaml:2:1: warning: no
    	name: wörld!
    ^
`},
		{"a span over lines ends with its line", diag.Diagnostic{Severity: diag.Info, Text: diag.Request, Span: diag.Span{Start: 6, End: 40}, Summary: "no", Detail: "more\nof it"}, `
pod.yaml:1:7: info: no
    kind: Pod
          ^^^
    more
    of it
`},
		{"the middle of a long line", diag.Diagnostic{Severity: diag.Error, Text: diag.Request, Span: at("WRONG"), Summary: "no"}, `
pod.yaml:3:64: error: no
    …aaaaaaaaaaaaaaaa WRONG bbbbbbbbbbbbbbbbbbbbbbbbbbbb
                      ^^^^^
`},
		{"no file", diag.Diagnostic{Severity: diag.Error, Text: diag.Policies, Summary: "no", Related: []diag.Related{{Text: diag.Request, Span: at("Pod"), Summary: "this one"}}}, `
error: no
    pod.yaml:1:7: note: this one
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := (Printer{Width: 60, Sources: sources}).Diagnostics(&b, []diag.Diagnostic{test.d}); err != nil {
				t.Fatal(err)
			}
			if "\n"+b.String() != test.want {
				t.Errorf("got\n%s\nwant%s", b.String(), test.want)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	before := map[string]any{"kind": "Pod", "spec": map[string]any{"replicas": int64(1)}}
	after := map[string]any{"kind": "Pod", "spec": map[string]any{"replicas": int64(2)}}
	const want = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n kind: Pod\n spec:\n-  replicas: 1\n+  replicas: 2\n"
	if got, err := (Printer{}).Diff("a", before, "b", after); err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if got, err := (Printer{}).Diff("a", before, "b", before); err != nil || got != "" {
		t.Errorf("equal objects: %v, %q", err, got)
	}
	if got, err := (Printer{Color: true}).Diff("a", nil, "b", map[string]any{"x": "z"}); err != nil || !strings.Contains(got, "\x1b[32m+x: z\x1b[0m\n") {
		t.Errorf("a new object in colour: %v, %q", err, got)
	}
}

// TestReportWithoutRequest: a report may have only problems.
func TestReportWithoutRequest(t *testing.T) {
	var b strings.Builder
	r := &report.Report{Outcome: report.Outcome{DecidedBy: -1, State: report.StateNoRequest, StateReason: "there is no request"}, Diagnostics: []diag.Diagnostic{{Severity: diag.Error, Summary: "broken"}}}
	if err := (Printer{}).Report(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := "NO REQUEST  there is no request\n\nDiagnostics\nerror: broken\n"; b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}
