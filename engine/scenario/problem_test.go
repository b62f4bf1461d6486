package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

func TestProblems(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+2) + strings.Repeat("]", MaxDepth+2)
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'i'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	tests := []struct {
		name, src string
		docs      int
		want      string // code line:column "place" summary
	}{
		{"second colon", "a: 1\n---\na: b: c\n---\nb: 2\n", 2, `yaml-syntax 3:5 ":" this value contains ": "; put it in quotes`},
		{"expression without quotes", "a:\n- expression: object.x == 'a: b'\n  m: object ? {'a': 1} : 2\n", 0, `yaml-syntax 2:29 ":" this value contains ": "; put it in quotes`},
		{"dedent", "a:\n    b: 1\n  c: 2\nd: 3\n", 0, `yaml-syntax 3:3 "c" expected "key: value" here; check the indentation`},
		{"open quote", "a: 1\nb: \"foo\nc: 2\n", 0, `yaml-syntax 2:4 "\"" a quote is not closed`},
		{"open bracket", "a: 1\nb: [1, 2\nc: 3\n", 0, `yaml-syntax 2:4 "[" a bracket is not closed or a comma is missing`},
		{"tab", "a:\n\tb: 1\n", 0, `yaml-syntax 2:1 "\t" a tab indents this line; YAML allows only spaces`},
		{"tab after spaces", "a:\n  b:\n  \tc: 1\n", 0, `yaml-syntax 3:3 "\t" a tab indents this line; YAML allows only spaces`},
		{"start of a value", "a: 1\nb: @x\n", 0, `yaml-syntax 2:4 "@" a value cannot start with this character; put it in quotes`},
		{"escape", "a: \"é\\n\\q\"\n", 0, `yaml-syntax 1:8 "\\" unknown escape in a double-quoted string; single quotes need no escapes`},
		{"unknown alias", "a: *b\n", 0, `yaml-syntax 1:4 "*" an alias (*name) without an anchor (&name)`},
		{"alias loop", "a: &a\n- *a\n", 0, `yaml-alias-loop 1:4 "" the anchor &a contains itself`},
		{"separator", "a: 1\n--- b: 2\n---\nc: 3\n", 2, `yaml-separator 2:1 "--- b: 2" only a comment may follow the separator --- on its line`},
		{"not UTF-8", "a: 1\n---\nb: \xff\n---\nc: 3\n", 2, "not-utf8 3:4 \"\\xff\" the text is not UTF-8"},
		{"UTF-16", "\xff\xfea\x00", 0, "not-utf8 1:1 \"\\xff\" the text is UTF-16, not UTF-8"},
		{"NUL", "a: 1\nb: x\x00y\n", 0, `yaml-syntax 2:5 "\x00" a control character is not allowed in YAML`},
		{"broken JSON", "{\"a\": 1,\n \"b\": ]\n", 0, `json-syntax 2:7 "]" this is not valid JSON`},
		{"JSON cut", "{\"a\": [1", 0, `json-syntax 1:9 "" this is not valid JSON`},
		{"JSON with a comma too many is YAML", "{\"a\": [1,],}", 1, ``},
		{"a word", "hello\n", 0, `not-an-object 1:1 "hello" expected an object with apiVersion and kind, found the string "hello"`},
		{"a list", "- a: 1\n", 0, `not-an-object 1:1 "- a: 1" expected an object with apiVersion and kind, found a list`},
		{"NaN", "a: 1\nb: .nan\n", 0, `yaml-syntax 2:4 "." a value cannot be written as JSON`},
		{"duplicate", "a:\n  b: 1\n  c: 2\n  b: 3\n", 1, `duplicate-key 4:3 "b" the key "b" is set twice; only the last one counts`},
		{"duplicate in JSON", `{"a": 1, "a": 2}`, 1, `duplicate-key 1:10 "\"a\"" the key "a" is set twice; only the last one counts`},
		{"after the end", "a: 1\n...\nb: 2\n", 1, `ignored-after-document-end 2:1 "..." from here on the document is not read`},
		{"after the value", "{a: 1}\nb: 2\n", 1, `ignored-after-document-end 2:1 "b: 2" from here on the document is not read`},
		{"after brackets over lines", "{a:\n b}\"c\": d\n", 1, `ignored-after-document-end 2:4 "\"c\": d" from here on the document is not read`},
		{"after brackets that begin with dots", "{..., b: [c,\n d]}\"a\": x}\n", 1, `ignored-after-document-end 2:5 "\"a\": x}" from here on the document is not read`},
		{"too deep", "a: " + deep, 0, `too-deep 1:204 "" values are nested more than 200 deep; the document was not read`},
		{"too deep in JSON", deep, 0, `too-deep 1:202 "" values are nested more than 200 deep; the document was not read`},
		{"billion laughs", laughs, 0, `too-many-values 6:4 "" the document has more than 300000 values after aliases are expanded; it was not read`},
		{"empty list", "kind: List\nitems: []\n", 0, `empty-list 1:1 "kind: List\nitems: []" the list has no items`},
		{"item of a list", "kind: List\nitems:\n- null\n- a\n- kind: A\n", 1, `not-an-object 3:3 "null" an item of the list is null|not-an-object 4:3 "a" expected an object with apiVersion and kind, found the string "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, diags := ParseDocuments(diag.Policies, tt.src)
			var list []string
			for _, d := range diags {
				list = append(list, fmt.Sprintf("%s %d:%d %q %s", d.Code, d.Line, d.Column, cut(tt.src, d.Span), d.Summary))
			}
			got := strings.Join(list, "|")
			if len(docs) != tt.docs || got != tt.want {
				t.Errorf("%d documents, want %d; diagnostics\ngot  %s\nwant %s", len(docs), tt.docs, got, tt.want)
			}
		})
	}
}

// TestLimits checks that texts beyond the limits are cut, with a message.
func TestLimits(t *testing.T) {
	many := strings.Repeat("a: 1\n---\n", MaxDocuments+5)
	docs, diags := ParseDocuments(diag.Cluster, many)
	if len(docs) != MaxDocuments || codesOf(diags) != "too-many-documents" {
		t.Errorf("%d documents, %s", len(docs), codesOf(diags))
	}
	list := "kind: List\nitems:\n" + strings.Repeat("- a: 1\n", MaxDocuments+5)
	docs, diags = ParseDocuments(diag.Cluster, list)
	if len(docs) != MaxDocuments || codesOf(diags) != "too-many-documents" {
		t.Errorf("%d documents, %s", len(docs), codesOf(diags))
	}
	large := "a: 1\n---\nb: " + strings.Repeat("x", MaxTextBytes-20) + "\n---\nc: 1\n"
	docs, diags = ParseDocuments(diag.Cluster, large)
	if len(docs) != 2 || codesOf(diags) != "text-too-large" {
		t.Errorf("%d documents, %s", len(docs), codesOf(diags))
	}
}

// TestCapped hides one error among many warnings.
func TestCapped(t *testing.T) {
	src := strings.Repeat("a: 1\n", 500) + "---\n[]\n"
	docs, diags := ParseDocuments(diag.Policies, src)
	if len(docs) != 1 || len(diags) != MaxDiagnostics+1 || diags[0].Code != "not-an-object" {
		t.Fatalf("%d documents, %d diagnostics, the first %+v", len(docs), len(diags), diags[0])
	}
	if last := diags[MaxDiagnostics]; last.Summary != "400 more problems are not shown" || last.Line < 2 {
		t.Errorf("the last: %+v", last)
	}
}

// TestTabFix applies the fix for tabs.
func TestTabFix(t *testing.T) {
	src := "a:\n\tb:\n\t\tc: \"x\ty\"\n"
	_, diags := ParseDocuments(diag.Policies, src)
	if len(diags) != 1 || len(diags[0].Fixes) != 1 {
		t.Fatalf("%+v", diags)
	}
	edits := diags[0].Fixes[0].Edits
	for i := len(edits) - 1; i >= 0; i-- {
		src = src[:edits[i].Span.Start] + edits[i].New + src[edits[i].Span.End:]
	}
	if want := "a:\n  b:\n    c: \"x\ty\"\n"; src != want {
		t.Errorf("got %q, want %q", src, want)
	}
}

// TestTabs replaces tabs by the spaces that restore each line's indentation.
func TestTabs(t *testing.T) {
	for text, want := range map[string]string{
		"a:\n\tb: 1\n\tc: 2\n":                 "a:\n  b: 1\n  c: 2\n",
		"a:\n  - b: 1\n\tc: 2\n":               "a:\n  - b: 1\n    c: 2\n",
		"a:\n    b:\n\t    c: 1\n\t    d: 2\n": "a:\n    b:\n      c: 1\n      d: 2\n",
		"a:\n\tb:\n\t\tc: 1\n\td: 2\n":         "a:\n  b:\n    c: 1\n  d: 2\n",
		"a:\n    b: 1\n\tc: 2\n":               "a:\n    b: 1\n    c: 2\n",
		"a:\n  b:\n  - c: 1\n\td: 2\n":         "a:\n  b:\n  - c: 1\n    d: 2\n",
		"a:\n  b:\n  - c: 1\n\td:\n\t  e: 2\n": "a:\n  b:\n  - c: 1\n    d:\n      e: 2\n",
	} {
		_, problems := ParseDocuments(diag.Request, text)
		if len(problems) == 0 || len(problems[0].Fixes) == 0 {
			t.Errorf("%q: %+v", text, problems)
			continue
		}
		if got, err := problems[0].Fixes[0].Apply(diag.Request, text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
