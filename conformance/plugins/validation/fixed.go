package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fixed asks whether a value may change.
func (b *base) fixed(p path, value any) []check {
	if len(b.updated(b.object, b.object)) > 0 {
		return nil
	}
	var others []any
	few := false // there may be one other value only
	switch v := value.(type) {
	case string:
		listed := b.allowed(p)
		few = len(listed) > 0
		for _, other := range append(listed, v+"x", "x"+v) {
			if other != v && len(b.created(p.set(b.object, other))) == 0 {
				others = append(others, other)
			}
		}
	case json.Number:
		n, _ := number(v)
		others = append(others, n+1, n+2)
	case bool:
		few = true
		others = append(others, !v)
	case map[string]any:
		others = b.otherMaps(p, v)
	default:
		return nil
	}
	message := ""
	for _, other := range others {
		cause, ok := only(dedupe(b.updated(p.set(b.object, other), b.object)), p.String())
		if !ok {
			return nil
		}
		text, ok := withAny(cause.Message, other)
		if !ok || message != "" && text != message || strings.HasPrefix(text, "Required") || strings.HasPrefix(text, "Unsupported") {
			return nil
		}
		message = text
	}
	if len(others) < 2 && !few {
		return nil
	}
	if !strings.Contains(message, "immutable") && !strings.Contains(message, "cannot change") && !strings.HasPrefix(message, "Forbidden") {
		return nil
	}
	c := check{Path: p.pattern(), Name: "fixed", Update: true, Message: message}
	for _, o := range b.variations(p) {
		if len(b.updated(o, o)) > 0 || p.get(o) == nil {
			continue
		}
		if !names(b.updated(p.set(o, others[0]), o), p.String(), filledWith(message, others[0])) {
			return nil
		}
	}
	return []check{c}
}

// droppedToo asks whether leaving a fixed value out counts as a change. Only of values that
// must be there: whether others may go depends on what else is changed (a Service of another
// type), and the server may fill them in before it looks (a Service's ports).
func (b *base) droppedToo(p path, c check) bool {
	absent := empty(p.get(b.object))
	if absent == "" && strings.Contains(c.Message, "%") {
		return false
	}
	return names(b.updated(p.without(b.object), b.object), p.String(), filled(c.Message, absent))
}

// empty is what the server writes for a value that was left out; none where that is not one
// text for the whole type.
func empty(value any) string {
	switch value.(type) {
	case string:
		return quoted("")
	case json.Number:
		return "0"
	}
	return ""
}

// withAny is a message in which a value is left out; false when it is not there. A value
// whose type is the server's own has other names in the message than in the object, and
// there each of its texts is left out: %{path}.
func withAny(message string, value any) (string, bool) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", false
	}
	text, ok := withValue(message, string(raw))
	object, isObject := value.(map[string]any)
	rest, invalid := strings.CutPrefix(message, "Invalid value: ")
	if ok || !isObject || !invalid {
		return text, ok
	}
	places := map[string]string{} // by their texts
	all := leaves(object)
	for at, leaf := range all {
		text, ok := leaf.(string)
		if !ok || text == "" || places[text] != "" {
			return "", false
		}
		places[text] = at
	}
	decoder := json.NewDecoder(strings.NewReader(rest))
	var b strings.Builder
	b.WriteString("Invalid value: ")
	var depth, done, found int
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", false
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if at := places[t]; at != "" {
				end := int(decoder.InputOffset())
				b.WriteString(rest[done:end-len(quoted(t))] + "%{" + at + "}")
				done = end
				found++
			}
		}
		if depth == 0 {
			break
		}
	}
	b.WriteString(rest[done:])
	template := b.String()
	return template, found == len(all) && filledWith(template, value) == message
}

// leaves are the values in an object that are no objects, by their paths.
func leaves(object map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range object {
		inner, ok := value.(map[string]any)
		if !ok {
			out[name] = value
			continue
		}
		for at, leaf := range leaves(inner) {
			out[name+"."+at] = leaf
		}
	}
	return out
}

// filledWith is the message of withAny about a value.
func filledWith(message string, value any) string {
	if object, ok := value.(map[string]any); ok && strings.Contains(message, "%{") {
		for at, leaf := range leaves(object) {
			text, _ := leaf.(string)
			message = strings.ReplaceAll(message, "%{"+at+"}", quoted(text))
		}
		return message
	}
	raw, _ := json.Marshal(value)
	return filled(message, string(raw))
}

// otherMaps are other values for a selector, for a map of texts and for an object with fields
// of its own, which is not the object's own metadata.
func (b *base) otherMaps(p path, value map[string]any) []any {
	if p[0] == "metadata" || len(value) == 0 {
		return nil
	}
	labels, isSelector := value["matchLabels"].(map[string]any)
	if isSelector && len(value) == 1 {
		exists, absent := []any{}, []any{}
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			exists = append(exists, map[string]any{"key": key, "operator": "Exists"})
			absent = append(absent, map[string]any{"key": key, "operator": "NotIn", "values": []any{"Z"}})
		}
		return []any{map[string]any{"matchExpressions": exists}, map[string]any{"matchExpressions": absent}}
	}
	var all []any
	if name, _ := p[len(p)-1].(string); opaque[name] {
		changed, more := map[string]any{}, map[string]any{"another": "a"}
		for key, text := range value {
			if _, ok := text.(string); !ok {
				return nil
			}
			more[key], changed[key] = text, text.(string)+"x"
		}
		all = []any{changed, more}
	} else {
		walkValue(p, value, func(at path, inner any) {
			if text, ok := inner.(string); ok {
				for _, other := range []string{text + "x", "x" + text} {
					all = append(all, p.get(at.set(b.object, other)))
				}
			}
		})
	}
	var out []any
	for _, other := range all {
		if len(b.created(p.set(b.object, other))) == 0 {
			out = append(out, other)
		}
	}
	return out
}

// dedupe leaves out causes that were named already.
func dedupe(list []metav1.StatusCause) []metav1.StatusCause {
	var out []metav1.StatusCause
	for _, c := range list {
		if !names(out, c.Field, c.Message) {
			out = append(out, c)
		}
	}
	return out
}
