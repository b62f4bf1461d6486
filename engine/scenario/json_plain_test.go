package scenario

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// thorough reads JSON with full error checks. It reports false for a text that is not JSON.
func thorough(src string) (p *parser, ok bool) {
	p = &parser{text: diag.Request, src: src}
	s := &source{src: src, to: len(src)}
	b := newJSONBuilder(p, s)
	var roots []*node
	for {
		token, err := b.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, false
		}
		root, err := b.value(token, 0)
		if err != nil {
			return p, false
		}
		roots = append(roots, root)
	}
	for _, root := range roots {
		p.addJSON(s, root)
	}
	return p, true
}

// comparePlain reports whether a text is read as plain JSON. If so, the thorough reader must return
// one document with the same value, JSON and places, and no diagnostics.
func comparePlain(t *testing.T, text string) bool {
	t.Helper()
	got := &parser{text: diag.Request, src: text}
	if !got.plainJSON(&source{src: text, to: len(text)}) {
		if len(got.docs)+len(got.diags) > 0 {
			t.Fatalf("%q: not read, but something of it is kept", text)
		}
		return false
	}
	want, ok := thorough(text)
	if !ok || len(got.diags)+len(want.diags) > 0 || len(got.docs) != 1 || len(want.docs) != 1 {
		t.Fatalf("%q: read (%v), but the thorough reader has %t, %v of %d documents", text, got.diags, ok, want.diags, len(want.docs))
	}
	d, w := got.docs[0], want.docs[0]
	if !reflect.DeepEqual(d.Value, w.Value) || !bytes.Equal(d.JSON(), w.JSON()) || d.Span != w.Span || d.Kind != w.Kind || d.Name != w.Name || d.Namespace != w.Namespace || d.APIVersion != w.APIVersion {
		t.Fatalf("%q is read as %s at %v, not as %s at %v", text, d.JSON(), d.Span, w.JSON(), w.Span)
	}
	if !reflect.DeepEqual(d.root(), w.root()) || !reflect.DeepEqual(d.DuplicateKeys(), w.DuplicateKeys()) {
		t.Fatalf("%q has other places", text)
	}
	return true
}

// plainTexts are read as plain JSON.
var plainTexts = []string{
	`{}`, " \n{\"a\": 1}\t\r\n", `{"a":{"b":[1,2.5,-3e2,"x\"y:{\\","\u00e4\ud83d\ude00",null,true,{"c":{}}]},"d:e":":","":0}`,
	`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"spec":{"containers":[{"name":"a"}]}}`,
	`{"a":[[],[[1,2],{"b":[]}],"ü\/\b\f"],"b":-0.0,"c":123456789012345678901,"d":[false,1E-2]}`,
}

// FuzzPlainJSON compares the two JSON readers: values, JSON, and the places and texts of all nodes.
func FuzzPlainJSON(f *testing.F) {
	target := variants.Of(f, 400)
	for _, text := range plainTexts {
		target.Add(text)
	}
	for _, text := range []string{
		`{"a":1,"a":2}`, `{"b":[{"a":1,"\u0061":2}]}`, `{"a":1}{"b":2}`, `{a: 1}`, `{"kind":"List","items":[{"kind":"Pod"}]}`, `[1]`, `{"a":1`, `{"a":1e999}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}",
		`{"a":01}`, `{"a":+1}`, `{"a":1,}`, `{"a":"\x"}`, "{\"a\":\"\t\"}", `{"a":nul}`, `{"a" 1}`, `{"a":-}`, `{"A":1,"a":2}`,
	} {
		target.Add(text)
	}
	target.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 1<<16 {
			comparePlain(t, text)
		}
	})
}

// TestPlainJSON reads objects with both readers.
func TestPlainJSON(t *testing.T) {
	for _, text := range plainTexts {
		if !comparePlain(t, text) {
			t.Errorf("%.60q is not read as plain JSON", text)
		}
	}
}

// TestNotPlainJSON has texts that need the thorough reader.
func TestNotPlainJSON(t *testing.T) {
	for name, text := range map[string]string{
		"a key twice":            `{"a": 1, "a": 2}`,
		"a key twice, escaped":   `{"a": 1, "\u0061": 2}`,
		"a key twice, below":     `{"b": [{"a": 1, "a": 2}]}`,
		"two objects":            `{"a": 1} {"a": 2}`,
		"YAML in brackets":       `{a: 1}`,
		"a list":                 `{"kind": "List", "items": [{"kind": "Pod"}]}`,
		"no object":              `[1]`,
		"cut off":                `{"a": 1`,
		"too deep":               strings.Repeat(`{"a":`, MaxDepth+1) + "1" + strings.Repeat("}", MaxDepth+1),
		"a number out of bounds": `{"a": 1e999}`,
	} {
		p := &parser{text: diag.Request, src: text}
		if p.plainJSON(&source{src: text, to: len(text)}) || len(p.docs) > 0 {
			t.Errorf("%s: read as plain JSON", name)
		}
	}
}

// TestDecodeJSON changes every character of some texts in many ways. Every accepted text has the
// same value as with the server's reader, and texts that the server rejects are not accepted.
func TestDecodeJSON(t *testing.T) {
	texts := []string{
		`{"a":{"b":[1,-2.5,-3e+2,0,1.0,12345678901234567890,"x\"y\u00e4\ud83d\ude00",null,true,false,{"c":{}},[],[[1]]]},"d:e":":","é":0}`,
		" \n{ \"a\" : 1 , \"b\" : [ ] , \"c\" : { } }\t\r\n", `{"a":-0,"b":1e-7,"c":0.10}`,
	}
	read := 0
	for _, text := range texts {
		for i := range len(text) + 1 {
			for _, with := range []string{"", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "9", "-", ".", "e", " ", "\n", "\x00", "\xff", "a", "u"} {
				for end := i; end <= min(i+1, len(text)); end++ {
					read += compareDecoded(t, text[:i]+with+text[end:])
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d of the texts were read", read)
	}
}

// compareDecoded returns 1 if decodeJSON accepts the text.
func compareDecoded(t *testing.T, text string) int {
	t.Helper()
	got, ok := decodeJSON(text)
	if review := PlainReview(`{"kind":"AdmissionReview","request":` + text + "}"); review && !ok || ok && got["kind"] == nil && !review {
		t.Errorf("%q: read is %v, but in a review %v", text, ok, review)
	}
	if !ok {
		return 0
	}
	var want any
	if err := utiljson.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(any(got), want) {
		t.Errorf("%q: %v, not %v (%v)", text, got, want, err)
	}
	return 1
}
