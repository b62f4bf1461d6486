package scenario

import (
	"reflect"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
)

// thorough reads JSON as it is read when something may be wrong with it.
func thorough(src string) ([]*Document, []diag.Diagnostic) {
	p := &parser{text: diag.Request, src: src}
	s := &source{src: src, to: len(src)}
	b := newJSONBuilder(p, s)
	token, err := b.next()
	if err != nil {
		return nil, nil
	}
	root, err := b.value(token, 0)
	if err != nil {
		return nil, nil
	}
	p.addJSON(s, root)
	return p.docs, p.diags
}

// TestPlainJSON reads objects both ways: values, JSON and the places of all fields
// are the same.
func TestPlainJSON(t *testing.T) {
	texts := []string{
		`{}`, " \n{\"a\": 1}\t\r\n", `{"a":{"b":[1,2.5,-3e2,"x\"y:{\\","\u00e4\ud83d\ude00",null,true,{"c":{}}]},"d:e":":","":0}`,
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"spec":{"containers":[{"name":"a"}]}}`,
	}
	for _, text := range texts {
		p := &parser{text: diag.Request, src: text}
		if !p.plainJSON(&source{src: text, to: len(text)}) || len(p.docs) != 1 || len(p.diags) != 0 {
			t.Errorf("%.60q is not read as plain JSON: %v", text, p.diags)
			continue
		}
		want, _ := thorough(text)
		got, w := p.docs[0], want[0]
		if !reflect.DeepEqual(got.Value, w.Value) || string(got.JSON()) != string(w.JSON()) || got.Span != w.Span || got.Kind != w.Kind || got.Name != w.Name || got.Namespace != w.Namespace {
			t.Errorf("%.60q: %+v, not %+v", text, got, w)
		}
		if !reflect.DeepEqual(got.root(), w.root()) {
			t.Errorf("%.60q has other places", text)
		}
	}
}

// TestNotPlainJSON has what needs to be looked at more closely.
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

// TestDecodeJSON changes every character of some texts in many ways. Whatever is read
// has the value that the server's reader gives it; what that one refuses is not read.
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

// compareDecoded is 1 when decodeJSON has read the text.
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
