package install_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestDiagnostics renders the answers and the diagnostics for every text in
// testdata, each diagnostic under the words that it is about. The first line of
// a text names the Kubernetes version: # kubernetes 1.37.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			var version string
			if _, err := fmt.Sscanf(text, "# kubernetes %s", &version); err != nil {
				t.Fatalf("the first line names no version: %v", err)
			}
			result := installText(t, text, version)
			checkPlaces(t, text, result)
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", render(text, result))
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the change\n%s", file, got)
	}
}

func render(text string, result *install.Result) string {
	var b strings.Builder
	for _, a := range result.Answers {
		fmt.Fprintf(&b, "%s/%s: %d %s %s\n", a.Kind, a.Name, a.Code, a.Reason, a.Message)
		for _, w := range a.Warnings {
			fmt.Fprintf(&b, "  Warning: %s\n", w)
		}
	}
	diag.Locate(result.Diagnostics, map[diag.Text]string{diag.Policies: text})
	for _, d := range result.Diagnostics {
		severity := string(d.Severity)
		if d.Next {
			severity = "next " + severity
		}
		fmt.Fprintf(&b, "\n%d:%d: %s: %s [%s] %s\n", d.Line, d.Column, severity, d.Summary, d.Code, d.Path)
		b.WriteString(underline(text, d.Span))
		if d.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", d.Detail)
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    related %d:%d: %s\n", r.Line, r.Column, r.Summary)
		}
		for _, f := range d.Fixes {
			fmt.Fprintf(&b, "    fix: %s\n", f.Title)
		}
	}
	return b.String()
}

// underline shows the first line of a span with the span marked.
func underline(text string, span diag.Span) string {
	start := strings.LastIndexByte(text[:span.Start], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	end := min(span.End, start+len(line))
	before := len([]rune(text[start:span.Start]))
	width := max(len([]rune(text[span.Start:end])), 1)
	more := ""
	if end < span.End {
		more = "..."
	}
	return fmt.Sprintf("  | %s\n  | %s%s%s\n", line, strings.Repeat(" ", before), strings.Repeat("~", width), more)
}
