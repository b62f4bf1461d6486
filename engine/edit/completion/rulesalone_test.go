package completion

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// aloneWith is a text of rules with the cursor's mark in one of its places.
func aloneWith(place, with string) string {
	text := `schema:
  type: object
  properties:
    replicas: {type: integer}
    mode: {type: string, enum: [slow, fast]}
    ports:
      type: array
      items:
        type: object
        properties: {port: {type: integer}}
        x-kubernetes-validations:
        - rule: ITEM
  x-kubernetes-validations:
  - rule: RULE
    optionalOldSelf: true
    messageExpression: MESSAGE
    KEY
self:
  mode: MODE
  FIELD
`
	for name, usual := range map[string]string{"ITEM": "'true'", "RULE": "'true'", "MESSAGE": `"'x'"`, "KEY": "reason: FieldValueInvalid", "MODE": "slow", "FIELD": "replicas: 1"} {
		if name == place {
			usual = with
		}
		text = strings.Replace(text, name, usual, 1)
	}
	return text
}

func TestRulesAlone(t *testing.T) {
	for name, test := range map[string]struct {
		place, with string
		want, not   []string
	}{
		"variables":         {"RULE", "|", []string{"self", "oldSelf", "size"}, []string{"object", "request"}},
		"fields of self":    {"RULE", "self.|", []string{"replicas", "mode", "ports"}, []string{"metadata"}},
		"an optional value": {"RULE", "oldSelf.|", []string{"hasValue", "orValue"}, nil},
		"a message":         {"MESSAGE", "self.mode.|", []string{"startsWith", "size"}, nil},
		"an item":           {"ITEM", "self.|", []string{"port"}, []string{"replicas"}},
		"keys of a rule":    {"KEY", "|", []string{"reason", "fieldPath", "message"}, []string{"properties"}},
		"values of self":    {"MODE", "|", []string{"slow", "fast"}, nil},
		"fields of a value": {"FIELD", "|", []string{"replicas", "ports"}, []string{"mode", "schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := labelsAlone(t, aloneWith(test.place, test.with))
			for _, label := range test.want {
				if !slices.Contains(got, label) {
					t.Errorf("%s is missing among %q", label, got)
				}
			}
			for _, label := range test.not {
				if slices.Contains(got, label) {
					t.Errorf("%s is among %q", label, got)
				}
			}
		})
	}
	if got := labelsAlone(t, "|"); !slices.Contains(got, "schema") || !slices.Contains(got, "Schema rules") {
		t.Errorf("an empty text begins with %q", got)
	}
}

func labelsAlone(t *testing.T, text string) []string {
	t.Helper()
	before, after, _ := strings.Cut(text, "|")
	c, err := New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Complete(scenario.Scenario{Expression: before + after, ExpressionContext: scenario.RuleContext}, diag.Expression, len(before))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range result.Items {
		out = append(out, item.Label)
	}
	return out
}

// TestHoverOfRulesAlone: what is under the pointer is explained as in a definition.
func TestHoverOfRulesAlone(t *testing.T) {
	text := aloneWith("RULE", "self.replicas > 1")
	c, err := New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"self.replicas": "self: ", "replicas > 1": "replicas: int", "reason:": "reason"} {
		help, err := c.Hover(scenario.Scenario{Expression: text, ExpressionContext: scenario.RuleContext}, diag.Expression, strings.Index(text, at)+1)
		if err != nil {
			t.Fatal(err)
		}
		if help == nil || !strings.HasPrefix(help.Title, want) {
			t.Errorf("%s: got %+v", at, help)
		}
	}
}
