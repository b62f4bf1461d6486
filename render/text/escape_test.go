package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// hostile sets a window's title, clears the screen, writes right to left, uses a one-character
// control sequence, and ends in a broken one.
const hostile = "a\x1b]0;owned\a\x1b[2Jb\bc\u202edrow\u2066\u009b31m\r\u2028\x7f\xff"

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\tand ünïcode 👩‍🚀": "plain\n\tand ünïcode 👩‍🚀",
		hostile:                    `a\u001b]0;owned\u0007\u001b[2Jb\u0008c\u202edrow\u2066\u009b31m\u000d\u2028\u007f\xff`,
	} {
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) is %q, want %q", in, got, want)
		}
	}
}

// TestReportObeysNothing prints a report with only hostile texts, with and without colours.
func TestReportObeysNothing(t *testing.T) {
	r := &report.Report{
		Kubernetes:   "1.37",
		Request:      &report.Request{Name: hostile, Namespace: hostile, User: hostile, Groups: []string{hostile}, Resource: hostile},
		Outcome:      report.Outcome{State: report.StateDenied, Message: hostile, Reason: hostile, Causes: []string{hostile}, Warnings: []string{hostile}, DecidedBy: -1, AuditAnnotations: map[string]string{hostile: hostile}},
		Steps:        []report.Step{{Kind: "ValidatingAdmissionPolicy", Policy: hostile, Binding: hostile, Verdict: report.Deny, Error: hostile, Reason: hostile}},
		Findings:     []report.Finding{{Level: "warning", Policy: hostile, Summary: hostile, Detail: hostile}},
		Assumed:      []report.Assumption{{What: hostile, Why: hostile}},
		NotSimulated: []string{hostile},
		Install:      []report.Install{{Kind: hostile, Name: hostile, Code: 422, Message: hostile, Warnings: []string{hostile}}},
		Diagnostics:  []diag.Diagnostic{{Severity: diag.Error, Summary: hostile, Detail: hostile, Text: diag.Policies, Span: diag.Span{Start: 0, End: 3}}},
	}
	source := &Source{}
	source.Add("policies.yaml", hostile, 1)
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		p := Printer{Color: color, Explain: true, Sources: Sources{diag.Policies: source}}
		if err := p.Report(&b, r); err != nil {
			t.Fatal(err)
		}
		left := b.String()
		if color {
			if !strings.Contains(left, "\x1b[31mDENIED\x1b[0m") {
				t.Errorf("our own styles are lost: %q", left)
			}
			left = attribute.ReplaceAllString(left, "")
		}
		if i := strings.IndexFunc(left, obeyed); i >= 0 {
			t.Errorf("color %t: a terminal obeys %q", color, left[i:min(len(left), i+20)])
		}
		if !strings.Contains(left, `\u001b]0;owned\u0007`) {
			t.Error("the text is not shown escaped")
		}
	}
	diff, err := Printer{Color: true}.Diff("a", map[string]any{"x": strings.ToValidUTF8(hostile, "?")}, "b", map[string]any{strings.ToValidUTF8(hostile, "?"): "y"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(attribute.ReplaceAllString(diff, ""), obeyed) {
		t.Errorf("a terminal obeys the diff %q", diff)
	}
}

func TestSafeWriter(t *testing.T) {
	var b bytes.Buffer
	if n, err := SafeWriter(&b).Write([]byte("\x1b[1mbold\x1b[0m \x1b[2J\u202e")); err != nil || n != len("\x1b[1mbold\x1b[0m \x1b[2J\u202e") {
		t.Fatal(n, err)
	}
	if want := "\x1b[1mbold\x1b[0m \\u001b[2J\\u202e"; b.String() != want {
		t.Errorf("written %q, want %q", b.String(), want)
	}
	if unicode.IsPrint('\u202e') {
		t.Error("the test's character is one that is shown")
	}
}

// Workflow commands in a step's output become plain text, and one-line texts stay on one line.
func TestWorkflowCommands(t *testing.T) {
	for in, want := range map[string]string{
		"::error file=x::forged": `\u003a:error file=x::forged`,
		"a\n \t::add-mask::a":    "a\n \t" + `\u003a:add-mask::a`,
		"a ##[error]b":           `a \u0023#[error]b`,
		"::1 is an address":      "::1 is an address",
		"a ::error::b":           "a ::error::b",
		"##### heading":          "##### heading",
	} {
		if got := Safe(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Line("a\r\nb\n"); got != `a\r\nb\n` {
		t.Errorf("a line: %q", got)
	}
}
