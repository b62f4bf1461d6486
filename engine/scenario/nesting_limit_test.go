package scenario

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// The tests also run as WebAssembly, which cannot recover from deep recursion.
func TestDepth(t *testing.T) {
	steps := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	tests := []struct {
		name, text string
		tooDeep    bool
	}{
		{"lists in lists", "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), true},
		{"lists that do not end", "a: " + strings.Repeat("[", 50_000), true},
		{"maps in lists, in pairs", strings.Repeat("[a: ", 9000), true},
		{"items of items", strings.Repeat("- ", 9000) + "a", true},
		{"keys of keys", strings.Repeat("? ", 9000) + "a", true},
		{"maps in maps", steps(1600), true},
		{"just below what is parsed", "a: " + strings.Repeat("[a: ", maxSeemingDepth-10) + strings.Repeat("]", maxSeemingDepth-10), true},
		{"just above what is read", strings.Repeat("- ", MaxDepth+1) + "a", true},
		{"as JSON", strings.Repeat("[", 9000) + strings.Repeat("]", 9000), true},
		{"many short lists", strings.Repeat("- [{a: [b]}]\n", 5000), false},
		{"a long line of text", "a: " + strings.Repeat("- x ", 5000), false},
		{"closing brackets in a text", "a: '" + strings.Repeat("]", 5000) + "'\nb: [c]", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := ParseDocuments(diag.Request, test.text)
			found := false
			for _, d := range diags {
				found = found || d.Code == "too-deep"
			}
			if found != test.tooDeep {
				t.Errorf("too-deep is %v, want %v: %v", found, test.tooDeep, diags)
			}
		})
	}
}

// TestTooDeepLooksOnce uses the largest texts, as a single line. Scanning the line again for each
// byte would take 10 million million steps, which would time the test out.
func TestTooDeepLooksOnce(t *testing.T) {
	const size = 4 << 20
	for name, text := range map[string]string{
		"one word":                    strings.Repeat("a", size),
		"spaces behind a word":        "a" + strings.Repeat(" ", size),
		"brackets that end":           strings.Repeat("[]", size/2),
		"brackets behind an open one": "[" + strings.Repeat("{}", size/2),
		"signs behind a word":         "a" + strings.Repeat("- ", size/2),
		"short lines":                 strings.Repeat("- a\n", size/4),
		"empty lines":                 strings.Repeat("\n", size),
		"lines that are just allowed": strings.Repeat(strings.Repeat(" ", maxSeemingDepth)+"a\n", size/(maxSeemingDepth+2)),
	} {
		if at := TooDeep(text); at >= 0 {
			t.Errorf("%s: too deep at %d", name, at)
		}
	}
	end := strings.Repeat("[]", size/2) + strings.Repeat("[", maxSeemingDepth+1)
	if at := TooDeep(end); at != len(end)-1 {
		t.Errorf("too deep at %d of %d", at, len(end))
	}
}
