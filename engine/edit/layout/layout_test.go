package layout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/edit/layout"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comments, empty lines and blocks stay", "# head\nkind:   Pod\n\n\n\nmetadata: { name: a,   labels: {x:  y} } # c\nspec:\n    # about\n    expression: |\n          a\n            && b\n\n          c\n    # last\n---\nkind: B  \n\n",
			"# head\nkind: Pod\n\nmetadata: {name: a, labels: {x: y}} # c\nspec:\n  # about\n  expression: |\n    a\n      && b\n\n    c\n  # last\n---\nkind: B\n"},
		{"lists stay beside their key or below it", "a:\n-   x:  1\n    y: 2\n-\n    x: 3\nb:\n    - 1\n    - - 2\n      - 3\n", "a:\n- x: 1\n  y: 2\n-\n  x: 3\nb:\n  - 1\n  - - 2\n    - 3\n"},
		{"scalars of several lines", "a:\n     b: one\n         two\n\n\n         three\n     c: \"x\n        # y\n\n        z\"\n     d: 'it''s'\n", "a:\n  b: one\n    two\n\n\n    three\n  c: \"x\n    # y\n\n    z\"\n  d: 'it''s'\n"},
		{"brackets over several lines", "a:\n    b: {x: 1, # one\n        y: [ 'a, b' ,\"c ]\" ]}\n", "a:\n  b: {x: 1, # one\n      y: ['a, b', \"c ]\"]}\n"},
		{"block scalars with signs", "a:\n    b: |2\n         x\n    c: >-\n      y\n    d: |+\n      z\n\n\n    e: 1\n", "a:\n  b: |2\n       x\n  c: >-\n    y\n  d: |+\n    z\n\n\n  e: 1\n"},
		{"templates stay", "a:   {{ .Values.x }}\n", "a: {{ .Values.x }}\n"},
		{"lines of Windows", "a:\r\n    b:   1\r\n", "a:\r\n  b: 1\r\n"},
		{"JSON keeps its numbers", `{"n":12345678901234567890,"x":[1.0]}`, "{\n  \"n\": 12345678901234567890,\n  \"x\": [\n    1.0\n  ]\n}\n"},
		{"nothing", "\n\n", ""},
		{"anchors", "a: &x\n    b:  1\nc:   *x\n", "a: &x\n  b: 1\nc: *x\n"},
	} {
		got, err := layout.Format(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
			continue
		}
		if again, err := layout.Format(got); err != nil || again != got {
			t.Errorf("%s: the second time %v\n%s", c.name, err, again)
		}
	}
}

// TestUnreadable: what cannot be read is an error.
func TestUnreadable(t *testing.T) {
	for _, text := range []string{"a: [\n", "a: b: c\n", "\tx"} {
		if got, err := layout.Format(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestExamples: a text of which each line is twice as far indented gets the layout that it has
// otherwise. Most examples have that of [layout.Format] already.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*/*.yaml")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	compared := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := layout.Format(string(data))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var wide strings.Builder
		for line := range strings.Lines(string(data)) {
			begins := len(line) - len(strings.TrimLeft(line, " -"))
			if strings.HasPrefix(line, "---") {
				begins = 0
			}
			wide.WriteString(strings.NewReplacer(" ", "  ", "-", "- ").Replace(line[:begins]) + line[begins:])
		}
		got, err := layout.Format(wide.String())
		if err != nil {
			t.Errorf("%s, twice as far indented: %v", file, err)
			continue
		}
		if strings.ContainsAny(string(data), "|>{[") { // scalars of several lines, whose text has changed
			if again, err := layout.Format(got); err != nil || again != got {
				t.Errorf("%s: the second time %v\n%s", file, err, again)
			}
			continue
		}
		compared++
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
	if compared < 50 {
		t.Errorf("%d files compared", compared)
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("a:\n-   b: { c:  1 }\n    d: |\n        x\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := layout.Format(text)
		if err != nil {
			return
		}
		if again, err := layout.Format(got); err != nil {
			t.Errorf("%q, laid out from %q, cannot be laid out: %v (%q)", got, text, err, again)
		}
	})
}
