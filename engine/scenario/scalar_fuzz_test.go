package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// nest writes a document with s inside it and returns its field path.
func (e emitter) nest(s string, style int) (text, path string) {
	if style == emitJSON {
		return e.nestJSON(s)
	}
	var b strings.Builder
	indent := ""
	b.WriteString("top: é # 😀\n")
	for depth := e.IntN(4); depth > 0; depth-- {
		width := 1 + e.IntN(3)
		if e.flip() {
			b.WriteString(indent + "map:\n")
			indent += strings.Repeat(" ", width)
			b.WriteString(indent + "other: [1, {a: b}]\n")
			path += ".map"
		} else {
			b.WriteString(indent + "list:\n")
			indent += strings.Repeat(" ", width-1)
			b.WriteString(indent + "- first: 1\n")
			b.WriteString(indent + "-" + strings.Repeat(" ", width) + "second: '''😀'\n")
			indent += strings.Repeat(" ", width+1)
			path += ".list[1]"
		}
	}
	property := []string{"", "", "&anchor ", "!!str ", "!!str &anchor "}[e.IntN(5)]
	if style < emitLiteral && e.IntN(4) == 0 {
		b.WriteString(indent + "flow: [ 'x', {é: 1, value: " + property + e.emit(s, style, indent+" ") + " }]\n")
		path += ".flow[1].value"
	} else {
		text := e.emit(s, style, indent+" ")
		b.WriteString(indent + "value: " + property + text)
		if !strings.HasSuffix(text, "\n") || text[0] == '"' {
			b.WriteString(e.blanks() + "\n")
		}
		path += ".value"
	}
	b.WriteString(indent + "after: 1\n")
	text = b.String()
	if e.IntN(3) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return "# 😀 first\n---\n" + text, strings.TrimPrefix(path, ".")
}

func (e emitter) nestJSON(s string) (text, path string) {
	path = "value"
	text = fmt.Sprintf(`{"é" :%s "value":%s%s}`, e.blanks()+"[1.5, true],", e.blanks(), e.json(s))
	for range e.IntN(4) {
		if e.flip() {
			text, path = "{\"a\": null,\n\t\"map\": "+text+" }", "map."+path
		} else {
			text, path = `{"list": ["\ud83d\ude00", `+text+`]}`, "list[1]."+path
		}
	}
	return "# 😀 first\n---\n" + text, path
}

// FuzzScalarPositions writes a string in every style and random nesting, and reads it back. Each
// character's source must be the characters that encode it.
func FuzzScalarPositions(f *testing.F) {
	target := variants.Of(f, 200)
	for i, s := range []string{
		"", "x", "object.spec.replicas <= 5", "a && b\n  || c\n\nd\n", "it's \"quoted\"\\n", "\ttab\n\t two  spaces ",
		"é😀\u00a0\u2028\u0085", " leading\n more\n\n\nless\n\n", "a\n b\nc\n\n d\n\n\ne", "\x00\x01\x7f\ufeff\ufffe", "\r\n\r", "word word word word word word",
		"no: mapping # no comment", "---\n...\n", "\n\n", "\n x", "a:b #c, [d] {e}",
	} {
		for style := range emitStyles {
			target.Add(s, uint64(i*7+style), uint8(style))
		}
	}
	target.Fuzz(func(t *testing.T, s string, seed uint64, style uint8) {
		if !utf8.ValidString(s) || len(s) > 2000 {
			return
		}
		e := emitter{rand.New(rand.NewPCG(seed, 1))}
		text, path := e.nest(s, int(style)%emitStyles)
		docs, diags := ParseDocuments(diag.Policies, text)
		if len(docs) != 1 || len(diags) != 0 {
			t.Fatalf("%d documents, %+v in\n%q", len(docs), diags, text)
		}
		if got := valueAt(docs[0].Value, path); got != s {
			t.Fatalf("the emitter is wrong: %q instead of %q in\n%s", got, s, text)
		}
		m, ok := docs[0].Scalar(path)
		if !ok || m.Text != s {
			t.Fatalf("no map of %q (%v) in\n%q", s, ok, text)
		}
		checkMap(t, text, m)
		want := m.Span // except for a block's last line break
		want.End = want.Start + len(strings.TrimRight(text[want.Start:want.End], "\r\n"))
		if span := docs[0].Locate(path); s != "" && span != want {
			t.Fatalf("located at %v, mapped at %v", span, m.Span)
		}
	})
}

// valueAt follows a path of names and indexes.
func valueAt(value any, path string) any {
	found, _ := fieldpath.Parse(path).Get(value)
	return found
}

// checkMap checks that each character of a scalar maps to its source, in order.
func checkMap(t *testing.T, text string, m *ScalarMap) {
	t.Helper()
	index := position.NewIndex(text)
	last := m.Span.Start
	for i, r := range []rune(m.Text) {
		span := m.SpanOfRunes(i, i+1)
		if span.Start < last || span.End <= span.Start || span.End > m.Span.End {
			t.Fatalf("character %d of %q at %v, after %d, in %v", i, m.Text, span, last, m.Span)
		}
		last = span.End
		if source := text[span.Start:span.End]; !encodes(source, r) {
			t.Fatalf("character %d of %q, %q, has the source %q in\n%q", i, m.Text, r, source, text)
		}
		if back := index.FromRunes(index.Runes(span.Start)); back != span.Start {
			t.Fatalf("byte %d became %d by way of code points", span.Start, back)
		}
	}
	if all := len([]rune(m.Text)); all > 0 && m.SpanOfRunes(0, all).End != last {
		t.Fatalf("the whole ends elsewhere than its last character")
	}
}

// encodes reports whether the source encodes the character r.
func encodes(source string, r rune) bool {
	switch {
	case source == string(r), source == "''" && r == '\'':
		return true
	case source == "\n" || source == "\r\n" || source == "\r" || source == "\u0085":
		return r == ' ' || r == '\n'
	}
	if !strings.HasPrefix(source, `\`) {
		return false
	}
	var s string
	if json.Unmarshal([]byte(`"`+source+`"`), &s) == nil && s == string(r) {
		return true
	}
	raw, err := yaml.YAMLToJSON([]byte(`"` + source + `"`))
	return err == nil && json.Unmarshal(raw, &s) == nil && s == string(r)
}

// FuzzParseDocuments feeds arbitrary texts. Nothing may crash, places must lie in the text, and
// every string must have a map.
func FuzzParseDocuments(f *testing.F) {
	target := variants.Of(f, 400)
	for _, s := range []string{
		policy, "a: b: c", "a:\n\t- b", "[", "{\"a\": [1, }", "a: &a [*a]", "a: &a {b: c}\nd: *a\ne: {<<: *a}", "- 1\n- 2", "\xff\xfea\x00", "a: \x00",
		"? complex\n: value\n? [a]\n: b", "a: !!binary aGk=\nb: !foo bar", "%YAML 1.1\n---\na: 1\n...\nb: 2\n", "--- a", "kind: List\nitems: [{kind: A}, null, 3]\n",
		"a: 'x\n  y'\nb: \"x\\\n   y\"", "a: >+2\n\n   x\n    y\n\n\n  z\n\n", "{\"a\": \"\\ud83d\"}", "a: .nan", "{a: 1}{b: 2}", "a: \u2028b", "x: |\n  \ty\n",
		"apiVersion: v1\nkind: PodList\nitems: [{a: b}]\n",
		"{...\nud83d\"}\"a\": \"\\ud83d\"}p", // had no positions
	} {
		target.Add(s)
	}
	target.Fuzz(func(t *testing.T, text string) {
		docs, diags := ParseDocuments(diag.Cluster, text)
		for _, d := range diags {
			if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text) || d.Line < 1 || d.Summary == "" {
				t.Fatalf("diagnostic %+v of a text of %d bytes", d, len(text))
			}
		}
		for _, d := range docs {
			if d.Span.End > len(text) || d.Span.Start > d.Span.End {
				t.Fatalf("document at %v of a text of %d bytes", d.Span, len(text))
			}
			value, root := maps.Clone(d.Value), d.root()
			for _, name := range []string{"apiVersion", "kind"} { // an item of a PodList inherits them
				if d.FromList && root != nil && root.child(name) == nil {
					delete(value, name)
				}
			}
			checkStrings(t, text, d, root, value)
		}
	})
}

// checkStrings compares a document's value with its positions.
func checkStrings(t *testing.T, text string, d *Document, n *node, value any) {
	t.Helper()
	if n == nil {
		t.Fatalf("no position of %v in\n%q", value, text)
	}
	switch v := value.(type) {
	case string:
		if n.kind != scalarNode {
			t.Fatalf("the string %q has a position of kind %d in\n%q", v, n.kind, text)
		}
		m, ok := d.source.scalar(n)
		if !ok {
			t.Fatalf("no map of %q in\n%q", n.value, text)
		}
		if m.Text == v { // not so for !!binary
			checkMap(t, text, m)
		}
	case map[string]any:
		for name, child := range v {
			checkStrings(t, text, d, n.child(name), child)
		}
	case []any:
		for i, child := range v {
			if i >= len(n.items) {
				t.Fatalf("no position of item %d in\n%q", i, text)
			}
			checkStrings(t, text, d, n.items[i], child)
		}
	}
}
