package scenario

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestParseValues compares values with what kubectl sends for the same text.
func TestParseValues(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"words of YAML 1.1", "a: yes\nb: off\nc: 'yes'\nd: null\ne: ~\nf:\ng: y\n", `[{"a":true,"b":false,"c":"yes","d":null,"e":null,"f":null,"g":true}]`},
		{"numbers", "a: 0o17\nb: 017\nc: 0x1F\nd: 1e3\ne: 1_000\nf: 1.5\ng: 1.0\nh: 0b11\n", `[{"a":15,"b":15,"c":31,"d":1000,"e":1000,"f":1.5,"g":1,"h":3}]`},
		{"dates stay strings", "a: 2024-01-01\nb: 2024-01-01T00:00:00Z\n", `[{"a":"2024-01-01","b":"2024-01-01T00:00:00Z"}]`},
		{"keys become strings", "1: a\nyes: b\n1.5: c\n", `[{"1":"a","true":"b","1.5":"c"}]`},
		{"merge keys", "x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3\n", `[{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}]`},
		{"several documents", "a: 1\n---\n# only a comment\n---\n\n--- # next\nb: 2\n", `[{"a":1},{"b":2}]`},
		{"CRLF", "a: 1\r\n---\r\nb: |\r\n  x\r\n  y\r\n", `[{"a":1},{"b":"x\ny\n"}]`},
		{"byte order mark", "\ufeffa: 1\n", `[{"a":1}]`},
		{"byte order mark before JSON", "\ufeff{\"a\": 1}\n", `[{"a":1}]`},
		{"JSON objects in a row", `{"a": "\ud83d\ude00\/"}` + "\n" + `{"b": 1.0, "c": 2}`, `[{"a":"😀/"},{"b":1,"c":2}]`},
		{"JSON after YAML", "a: 1\n---\n{\"b\": \"\\ud83d\\ude00\"}\n", `[{"a":1},{"b":"😀"}]`},
		{"YAML in brackets", "{a: 1, b: [x, yes]}\n", `[{"a":1,"b":["x",true]}]`},
		{"list", "kind: List\napiVersion: v1\nitems:\n- kind: A\n- kind: B\n", `[{"kind":"A"},{"kind":"B"}]`},
		{"list of one kind", "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: a}\n", `[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]`},
		{"the last duplicate wins", "a: 1\na: 2\n", `[{"a":2}]`},
		{"nothing", "", `null`},
		{"null", "null\n---\n~\n", `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, diags := ParseDocuments(diag.Cluster, tt.src)
			if diag.HasErrors(diags) {
				t.Fatalf("diagnostics: %+v", diags)
			}
			var values []any
			for _, d := range docs {
				values = append(values, d.Value)
				var back any
				err := utiljson.Unmarshal(d.JSON(), &back)
				if err != nil || !reflect.DeepEqual(back, any(d.Value)) {
					t.Errorf("JSON %s is not the value %v (%v)", d.JSON(), d.Value, err)
				}
			}
			got, err := json.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, string(got), tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: p # a comment
  labels: {app: "x", example.com/a.b: y}
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [""]
      resourceNames: [ "one", two ]
  validations:
  - expression: |-
      object.spec.replicas <= 5 &&
        true

      && "é" != "😀"
    message: 'it''s wrong'
  - expression: "a\t\"b\""
  empty:
`

func TestLocate(t *testing.T) {
	docs, diags := ParseDocuments(diag.Policies, "# first\n---\n"+policy)
	if len(diags) > 0 || len(docs) != 1 {
		t.Fatalf("%d documents, %+v", len(docs), diags)
	}
	d := docs[0]
	src := "# first\n---\n" + policy
	tests := []struct{ path, value, key string }{
		{"metadata.name", "p", "name"},
		{"metadata.labels[app]", `"x"`, "app"},
		{"metadata.labels.app", `"x"`, "app"},
		{"metadata.labels[example.com/a.b]", "y", "example.com/a.b"},
		{"metadata.labels.example.com/a.b", "y", "example.com/a.b"},
		{"metadata.labels", `{app: "x", example.com/a.b: y}`, "labels"},
		{"spec.matchConstraints.resourceRules[0].resourceNames[1]", "two", "two"},
		{"spec.matchConstraints.resourceRules[0].resourceNames", `[ "one", two ]`, "resourceNames"},
		{"spec.validations[0].message", "'it''s wrong'", "message"},
		{"spec.validations[1].expression", `"a\t\"b\""`, "expression"},
		{".spec.validations[message=\"it's wrong\"].message", "'it''s wrong'", "message"},
		{"spec.validations[1]", `expression: "a\t\"b\""`, `expression: "a\t\"b\""`},
		{"spec.empty", "empty", "empty"},
		{"spec.nothing", "spec", "spec"},
		{"metadata.name.nothing", "p", "name"},
		{"metadata.labels[none]", "labels", "labels"},
	}
	for _, tt := range tests {
		if got := cut(src, d.Locate(tt.path)); got != tt.value {
			t.Errorf("Locate(%s) = %q, want %q", tt.path, got, tt.value)
		}
		if got := cut(src, d.LocateKey(tt.path)); got != tt.key {
			t.Errorf("LocateKey(%s) = %q, want %q", tt.path, got, tt.key)
		}
	}
	if got := cut(src, d.Span); got != strings.TrimSpace(policy) {
		t.Errorf("Span = %q", got)
	}
	m, ok := d.Scalar("spec.validations[0].expression")
	if !ok {
		t.Fatal("no map of the expression")
	}
	for _, part := range []string{"<= 5", "true", "é", "😀"} {
		start := len([]rune(m.Text[:strings.Index(m.Text, part)]))
		if got := cut(src, m.SpanOfRunes(start, start+len([]rune(part)))); got != part {
			t.Errorf("the source of %q is %q", part, got)
		}
	}
	if got := cut(src, m.SpanOfRunes(0, len([]rune(m.Text)))); got != "object.spec.replicas <= 5 &&\n        true\n\n      && \"é\" != \"😀\"" {
		t.Errorf("the source of the whole is %q", got)
	}
}

func cut(src string, s diag.Span) string { return src[s.Start:s.End] }

// TestWholeNumbers: a key that is clearly a whole number gets the parser's name for it. For all
// others, the parser is called.
func TestWholeNumbers(t *testing.T) {
	for text, plain := range map[string]bool{
		"0": true, "7": true, "10": true, "0x0": true, "0x1F": true, "0xff": true, "0x00a": true, "123456789012345": true, "0xfffffffffffffff": true,
		"1234567890123456": false, "007": false, "010": false, "-1": false, "+1": false, "1_000": false, "0b1": false, "0o7": false, "0x": false, "0X1F": false, "1e3": false, "1.0": false, "0xg": false, "": false, "2026-01-01": false,
	} {
		name, ok := wholeNumber(text)
		if ok != plain {
			t.Errorf("%q: %t", text, ok)
		}
		if want := resolveKey(text, "otherwise"); ok && name != want {
			t.Errorf("%q is %s, want %s", text, name, want)
		}
	}
}
