package documents

import "testing"

// TestReadsParams: the name params counts in expressions only, and not within a text.
func TestReadsParams(t *testing.T) {
	of := func(field, text string) any {
		return map[string]any{"spec": map[string]any{"validations": []any{map[string]any{field: text}}}}
	}
	for _, c := range []struct {
		field, text string
		want        bool
	}{
		{"expression", "object.spec.replicas <= params.max", true},
		{"messageExpression", "'at most ' + string(params.max)", true},
		{"valueExpression", "params == null ? '' : 'a'", true},
		{"expression", "object.metadata.name != 'params'", false},
		{"message", "see params", false},
		{"expression", "object.spec.parameters == 1", false},
	} {
		if got := ReadsParams(of(c.field, c.text)); got != c.want {
			t.Errorf("%s: %s: %v", c.field, c.text, got)
		}
	}
}
