package scenario

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// readAfter reads a text, noting the smallest blocks too, and returns it with its values and how many of its blocks
// are those of an earlier text.
func readAfter(earlier readText, src string) (read readText, docs []*Document, again int) {
	r := reusing(earlier, src)
	r.least = 1
	p := &parser{text: diag.Request, src: src, reuse: r}
	docs, _ = p.parse()
	for _, b := range r.found {
		if old, ok := blockAt(earlier.blocks, int(b.start)); ok && reflect.ValueOf(old.value).Kind() == reflect.Map && reflect.ValueOf(old.value).Pointer() == reflect.ValueOf(b.value).Pointer() {
			again++
		}
	}
	return readText{src, r.found}, docs, again
}

// TestReuse edits texts many times. Each time the documents are those of a reader without an earlier text.
func TestReuse(t *testing.T) {
	texts := []string{
		strings.Join(quickTexts[:5], "---\n"),
		"apiVersion: v1\nkind: Pod\nspec:\n  a:\n    b: c\n    d:\n      - e: f\n        g: {h: i}\n      - j\n      - k: |\n          l\n\n          m\n  n:\n  - o: p\n    # q\n  r: s\n# t\nu: {v: w}\n---\na:\n  b: c\n\n# d\n",
	}
	files, err := filepath.Glob("../../examples/*/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files[:50] {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	r := rand.New(rand.NewPCG(5, 6))
	with := append([]string{"", "'", "\"", "{", "]", ",", ":", "0", "- ", "  ", " #", "#", " ", "\n", "\n  ", "|", "&", "---\n", "\n---\n", "a: b\n", "  c: d\n", "- e\n", "%", ".", "x"}, texts[1])
	again := 0
	for _, text := range texts {
		read := readText{}
		for range 60 {
			var got []*Document
			var n int
			read, got, n = readAfter(read, text)
			again += n
			want, _ := ParseDocuments(diag.Request, text)
			if len(got) != len(want) {
				t.Fatalf("%q: %d documents, not %d", text, len(got), len(want))
			}
			for i := range want {
				if !reflect.DeepEqual(got[i].Value, want[i].Value) || got[i].Span != want[i].Span {
					t.Fatalf("%q:\n%v at %v, not\n%v at %v", text, got[i].Value, got[i].Span, want[i].Value, want[i].Span)
				}
			}
			from := r.IntN(len(text) + 1)
			to := min(from+r.IntN(3)*r.IntN(8), len(text))
			if text = text[:from] + with[r.IntN(len(with))] + text[to:]; len(text) > 1<<12 || r.IntN(20) == 0 {
				text = texts[r.IntN(len(texts))]
			}
		}
	}
	if again < 1_000 {
		t.Errorf("only %d blocks were not read again", again)
	}
}

// TestReaderKeepsParts: a Reader returns a large request's unchanged parts as the same values, and holds no
// earlier text for them.
func TestReaderKeepsParts(t *testing.T) {
	list := "a:\n  list:\n" + strings.Repeat("  - {name: a-name-that-is-long-enough, value: another-one}\n", 2000)
	r := NewReader()
	read := func(text string) map[string]any {
		docs, problems := r.Documents(diag.Request, text)
		if len(docs) != 1 || len(problems) > 0 {
			t.Fatal(docs, problems)
		}
		return docs[0].Value
	}
	part := func(value map[string]any) []any { return value["a"].(map[string]any)["list"].([]any) }
	first := read("b: 1\n" + list)
	if second := part(read("b: 12\n" + list)); &second[0] != &part(first)[0] {
		t.Error("the list is another one")
	}
	changed := part(read("b: 12\n" + strings.Replace(list, "another-one", "a-third", 1)))
	if changed[0].(map[string]any)["value"] != "a-third" || &changed[0] == &part(first)[0] {
		t.Errorf("the first item is %v", changed[0])
	}
	if reflect.ValueOf(changed[1]).Pointer() != reflect.ValueOf(part(first)[1]).Pointer() {
		t.Error("the second item is another one")
	}
}

// FuzzReuse reads a text after another one.
func FuzzReuse(f *testing.F) {
	for i, text := range quickTexts {
		f.Add(quickTexts[max(i-1, 0)]+text, text, i)
	}
	f.Fuzz(func(t *testing.T, before, with string, at int) {
		at = min(max(at, 0), len(before))
		read, _, _ := readAfter(readText{}, before)
		text := before[:at] + with + before[at:]
		_, got, _ := readAfter(read, text)
		want, _ := ParseDocuments(diag.Request, text)
		if len(got) != len(want) {
			t.Fatalf("%d documents, not %d", len(got), len(want))
		}
		for i := range want {
			if !reflect.DeepEqual(got[i].Value, want[i].Value) || got[i].Span != want[i].Span {
				t.Fatalf("%v at %v, not %v at %v", got[i].Value, got[i].Span, want[i].Value, want[i].Span)
			}
		}
	})
}
