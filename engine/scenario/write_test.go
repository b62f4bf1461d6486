package scenario

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestYAMLWritesEveryString writes each character of the lower planes, alone and in a text, and
// reads it back.
func TestYAMLWritesEveryString(t *testing.T) {
	for r := rune(0); r < 0x10010; r++ {
		if r >= 0xd800 && r < 0xe000 || r > 0x3000 && r < 0xd700 {
			continue
		}
		value := map[string]any{"key": "a" + string(r) + "b"}
		raw, err := YAML(value)
		if err != nil {
			t.Fatalf("U+%04X: %v", r, err)
		}
		var back map[string]any
		if err := yaml.Unmarshal(raw, &back); err != nil || back["key"] != value["key"] {
			t.Fatalf("U+%04X: written as %q, read as %v, %v", r, raw, back, err)
		}
	}
}

// A written value reads back as the same string, in blocks and in brackets.
func TestScalar(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"pods", "pods"}, {"kubernetes.io/metadata.name", "kubernetes.io/metadata.name"}, {"10Gi", "10Gi"}, {"two words", "two words"},
		{"", "''"}, {"*", "'*'"}, {"true", "'true'"}, {"on", "'on'"}, {"null", "'null'"}, {"~", "'~'"}, {"1", "'1'"}, {"1.30", "'1.30'"}, {"0x1", "'0x1'"}, {"2026-01-01", "'2026-01-01'"},
		{"a: b", "'a: b'"}, {"a #b", "'a #b'"}, {"a,b", "'a,b'"}, {"it's", "'it''s'"}, {" a", "' a'"}, {"-", "'-'"},
	} {
		got := Scalar(test.text)
		if got != test.want {
			t.Errorf("%q is written as %s, not as %s", test.text, got, test.want)
		}
		docs, problems := ParseDocuments(diag.Request, "a: "+got+"\nb: ["+got+"]\n")
		if len(problems) > 0 || len(docs) != 1 || docs[0].Value["a"] != test.text || docs[0].Value["b"].([]any)[0] != test.text {
			t.Errorf("%s is read as %v: %v", got, docs, problems)
		}
	}
}
