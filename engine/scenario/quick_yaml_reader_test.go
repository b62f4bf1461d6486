package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// quickTexts are texts that the quick reader accepts.
var quickTexts = []string{
	"a: b\n", "a:\n", "a: # nothing\nb:\n  # more\n  c: 1 # one\n", "\n# first\n\na: b", "a: b # c\n\n\n",
	"a:\n- b\n- c: d\n  e: f\n- {}\n-   g:\n    - h\n", "a:\n  - b\n  - c\n", "a:\n  b:\n  c: {d: e, f: [g, 'h', \"i\"], j: {}}\n  k: []\nl: [ ]\n",
	"a: |\n  b\n   c\n\n  d\n\n\ne: |-\n  f # no comment\n  g: h\ni: |+\n   j\n\nk: l\n", "a:\n- |\n b\n- |-\n  c\n", "a: |\n  b\n  \n    \n# c\nd: e\n",
	`a: "b\"c\\d\ne\tf"` + "\n'b': 'it''s'\n\"c\": 'd'   # e\n", "a: true\nb: false\nc: null\nd: 0\ne: 18\nf: 999999999999999999\ng: 10Gi\nh: 100m\ni: 10.0.0.1\nj: --k=l\nm: /n:o\nq: ./r\ns: $(t)\n",
	"a: http://b/c?d=e&f#g\nh: b:c\ni: d-e_f.g/h\nj: ü\nk: a 'b' \"c\" {d} [e]\n", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n- kind: Pod\n  apiVersion: v1\n",
	"a: b  \nc:   d\ne:  \n  f: g\nh:   # i\n- j   # k\n- -l\n- l-1\n", "key.with/dots-and_1: x\n", "a: " + strings.Repeat("x", 2000) + "\nb: {c: \"" + strings.Repeat("y", 2000) + "\", d: e}\n",
	"a: 1_m\nb: 2026\nc: 1z\nd: 12345678\n", "kind: Pod\nmetadata:\n  name: web\n  labels: {app: web, tier: \"1\"}\nspec:\n  containers:\n  - name: a\n    args: [\"--x\", '-y', z]\n    image: registry:5000/a@sha256:0123\n",
}

// FuzzQuickReader compares the quick reader with the YAML libraries: values, JSON, and the places
// and texts of all nodes. A text that it accepts has no diagnostics.
func FuzzQuickReader(f *testing.F) {
	target := variants.Of(f, 400)
	for _, text := range quickTexts {
		target.Add(text)
	}
	for _, text := range []string{
		"a: b\na: c\n", "a: &b c\nd: *b\n", "<<: {a: b}\n", "a: b\n  c\n", "a: 'b\n  c'\n", "a: >\n  b\n", "a: [b,\n  c]\n", "a: 012\nb: 1.5\nc: 1e3\nd: 0x1\ne: 2026-01-01\nf: +1\ng: -1\nh: .5\n", "a: yes\nb: ~\nyes: a\n1: b\n",
		"- a\n", "a\n", "a:\tb\n", "a: b\n...\nc: d\n", "a: b\r\n", "? a\n: b\n", "a: - b\n", "a: b: c\n", "a: |2\n    b\n", "a: |\n\n  b\n", "a: \"\\u0041\"\n", "a: {b}\nc: [d: e]\n", "a: {\"b\":1}\n", "%YAML 1.1\n", "a: !!str 1\n", "a:\n b: c\n  d: e\n", "a:\n- b\n - c\n", "a: |\n  b",
		"a: [\n", "a: {\n", "a: \"", "a: |", "a:\n-", "a: @b\n", "a: `b`\n", "a: b # c\n d\n", "a: 'b' c\n", "a: \"b\"#c\n", "a: [b]c\n", "a: {b: c}: d\n", "- a: b\n  c\n"[2:],
	} {
		target.Add(text)
	}
	target.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 || strings.Contains("\n"+text, "\n---") {
			return
		}
		compareQuick(t, text)
	})
}

// compareQuick reports whether the quick reader accepts the text.
func compareQuick(t *testing.T, text string) bool {
	t.Helper()
	got := &parser{text: diag.Request, src: text}
	if !got.quickYAML(&source{src: text, to: len(text)}) {
		return false
	}
	want := &parser{text: diag.Request, src: text}
	want.yamlChunk(&source{src: text, to: len(text)}, nil)
	if !reflect.DeepEqual(got.diags, want.diags) || len(got.docs) != len(want.docs) {
		t.Fatalf("%q: read, but the libraries say %v of %d documents", text, want.diags, len(want.docs))
	}
	for i, d := range got.docs {
		w := want.docs[i]
		if !reflect.DeepEqual(d.Value, w.Value) || !bytes.Equal(d.JSON(), w.JSON()) || d.Span != w.Span || d.Kind != w.Kind || d.Name != w.Name || d.Namespace != w.Namespace || d.APIVersion != w.APIVersion {
			t.Fatalf("%q is read as %s at %v, not as %s at %v", text, d.JSON(), d.Span, w.JSON(), w.Span)
		}
		if !reflect.DeepEqual(d.DuplicateKeys(), w.DuplicateKeys()) {
			t.Fatalf("%q: %v, not %v", text, d.DuplicateKeys(), w.DuplicateKeys())
		}
		sameNodes(t, text, d.source, d.root(), w.root())
	}
	return true
}

// sameNodes compares two node trees, including computed ends.
func sameNodes(t *testing.T, text string, s *source, got, want *node) {
	t.Helper()
	if got.kind != want.kind || got.start != want.start || got.style != want.style || got.flow != want.flow || got.value != want.value ||
		got.size != want.size || got.bytes != want.bytes || len(got.entries) != len(want.entries) || len(got.items) != len(want.items) || !reflect.DeepEqual(got.names, want.names) || len(want.merged) > 0 {
		t.Fatalf("%q: node %+v, not %+v", text, *got, *want)
	}
	if s.end(got) != s.end(want) {
		t.Fatalf("%q: node %+v ends at %d, not at %d", text, *got, s.end(got), s.end(want))
	}
	for i, e := range want.entries {
		if got.entries[i].name != e.name {
			t.Fatalf("%q: key %q, not %q", text, got.entries[i].name, e.name)
		}
		sameNodes(t, text, s, got.entries[i].key, e.key)
		sameNodes(t, text, s, got.entries[i].value, e.value)
	}
	for i, item := range want.items {
		sameNodes(t, text, s, got.items[i], item)
	}
}

// TestQuickReader reads ordinary texts, the same with any character changed, and every example
// document that it accepts.
func TestQuickReader(t *testing.T) {
	for _, text := range quickTexts {
		if !compareQuick(t, text) {
			t.Errorf("%q is not read", text)
		}
		if len(text) > 300 {
			continue
		}
		for i := 0; i <= len(text); i += 1 + len(text)/50 { // FuzzQuickReader covers the rest
			for _, with := range []string{"", "'", "\"", "\\", "{", "]", ",", ":", "0", "- ", " #", " ", "\n", "\n  ", "|", "&"} {
				compareQuick(t, text[:i]+with+text[i:])
				if i < len(text) {
					compareQuick(t, text[:i]+with+text[i+1:])
				}
			}
		}
	}
	files, err := filepath.Glob("../../examples/*/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	read, all := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split("\n"+string(text), "\n---\n") {
			if all++; compareQuick(t, document) {
				read++
			}
		}
	}
	if t.Logf("%d of %d documents of the examples are read", read, all); read < all/2 {
		t.Errorf("only %d of %d documents of the examples are read", read, all)
	}
}
