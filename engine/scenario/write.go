package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/guard"
)

// YAML writes a value as kubectl get -o yaml does: as its JSON form with sorted keys. Unlike
// sigs.k8s.io/yaml, it can write every string. That library writes JSON first, which leaves some
// control characters (DEL, C1) unescaped, and then its YAML parser rejects them.
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

// refusedByYAML reports whether YAML readers reject a character that JSON allows unescaped (YAML
// 1.2 §5.1).
func refusedByYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff || r > unicode.MaxRune
}

// Quoted writes a one-line string in single quotes.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Scalar writes a one-line string as a YAML scalar that is safe in any place, without quotes if
// possible.
func Scalar(text string) string {
	if value, ok := resolved(text); !ok || value != text || strings.ContainsAny(text, ":#,{}[]'\"") || strings.TrimSpace(text) != text {
		return Quoted(text)
	}
	return text
}
