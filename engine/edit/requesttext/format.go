package requesttext

import (
	"encoding/json"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// key is the name of a field as the text writes names.
func (e *editor) key(name string) string {
	if e.json {
		return `"` + name + `"`
	}
	return name
}

// inline is a value on one line.
func (e *editor) inline(value any) string {
	if e.json {
		return toJSON(value)
	}
	items, ok := value.([]string)
	if !ok {
		return scalar(value, false)
	}
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = scalar(item, true)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// nested is a mapping with one field.
func (e *editor) nested(field string, value any) string {
	return "{" + e.key(field) + ": " + e.inlineInFlow(value) + "}"
}

// inlineInFlow is inline inside braces, where commas end a plain word.
func (e *editor) inlineInFlow(value any) string {
	if text, ok := value.(string); ok && !e.json {
		return scalar(text, true)
	}
	return e.inline(value)
}

// scalar is a value in YAML, quoted where it must be.
func scalar(value any, inFlow bool) string {
	text, ok := value.(string)
	if !ok || strings.ContainsAny(text, "\n\t") || inFlow && strings.ContainsAny(text, ",[]{}") {
		return toJSON(value)
	}
	raw, err := scenario.YAML(text)
	if err != nil {
		return toJSON(value)
	}
	return strings.TrimSuffix(string(raw), "\n")
}

func toJSON(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts, lists of texts and booleans always can be written
	}
	return string(raw)
}
