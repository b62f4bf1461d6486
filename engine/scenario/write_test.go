package scenario

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// TestYAMLWritesEveryString writes each character of the lower planes, alone and
// in a text, and reads it again.
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
