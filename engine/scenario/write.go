package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/guard"
)

// YAML writes a value as kubectl get -o yaml does: in the form that it has as
// JSON, keys in order. Unlike sigs.k8s.io/yaml, it can write every string: that
// one writes JSON first, which leaves some control characters (DEL, those of C1)
// as they are, and then reads it as YAML, which rejects them.
func YAML(value any) (_ []byte, err error) {
	defer guard.Error(&err)
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return yamlOfJSON(raw)
}

func yamlOfJSON(raw []byte) ([]byte, error) {
	text := string(raw)
	if strings.ContainsFunc(text, refusedByYAML) {
		var b strings.Builder
		for _, r := range text { // outside strings JSON has ASCII only
			if refusedByYAML(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		text = b.String()
	}
	out, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return out, nil
}

// refusedByYAML reports whether a reader of YAML rejects a character that JSON
// may hold as it is (YAML 1.2 §5.1).
func refusedByYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff || r > unicode.MaxRune
}

// Quoted writes a text of one line as YAML in single quotes.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Scalar writes a text of one line as a value of YAML that is that text wherever it is put:
// without quotes where it needs none.
func Scalar(text string) string {
	if value, ok := resolved(text); !ok || value != text || strings.ContainsAny(text, ":#,{}[]'\"") || strings.TrimSpace(text) != text {
		return Quoted(text)
	}
	return text
}
