package documents

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// WrongType finds what a value of the wrong type probably means.
func (m Document) WrongType(w gotype.Mismatch) []diag.Fix {
	path := w.Path.String()
	switch gotype.TypeName(w.Want) {
	case "base64":
		return m.caBundle(path)
	case "a list":
		return m.toList(w, path)
	case "a mapping":
		return m.toMapping(w, path)
	}
	if list, ok := w.Got.([]any); ok && len(list) == 1 && gotype.IsScalar(w.Want, list[0]) {
		return m.unwrap(w.Path.Index(0).String(), path)
	}
	if object, ok := w.Got.(map[string]any); ok && len(object) == 1 && gotype.IsScalar(w.Want, object["expression"]) && object["expression"] != nil {
		return m.unwrap(w.Path.Child("expression").String(), path)
	}
	if fixes := m.anyOfLabels(w); fixes != nil {
		return fixes
	}
	if text := joined(w); text != "" {
		return Fix("Write it as one text", m.ToRewrite(path, text))
	}
	return m.toScalar(w, path)
}

// joined is a message that is written as a list of texts, as one text; empty for anything else.
func joined(w gotype.Mismatch) string {
	list, ok := w.Got.([]any)
	if !ok || len(list) == 0 || w.Path.Last() != "message" || gotype.TypeName(w.Want) != "a string" {
		return ""
	}
	var words []string
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return ""
		}
		words = append(words, strings.TrimSpace(text))
	}
	return scenario.Quoted(strings.Join(words, " "))
}

// unwrap replaces a collection by the one value in it.
func (m Document) unwrap(inner, path string) []diag.Fix {
	const title = "Write it without the list"
	if m.Brackets(path) {
		text, ok := m.Shifted(inner, 0)
		if !ok {
			return nil
		}
		return Fix(title, m.ToRewrite(path, text))
	}
	key, at := m.LocateKey(path), m.Locate(inner)
	if _, scalar := m.Scalar(inner); scalar && !fieldpath.Parse(path)[len(fieldpath.Parse(path))-1].IsIndex() {
		text, ok := m.Shifted(inner, 0)
		if !ok {
			return nil
		}
		return []diag.Fix{{Title: title, Edits: []diag.Edit{{Text: m.Document.Text, Span: diag.Span{Start: key.End, End: at.End}, New: ": " + text}}}}
	}
	from := m.Locate(path).Start // the dash: what is behind it stays in its column
	if m.Column(inner) <= m.KeyColumn(path) || m.Column(inner)-m.Column(path) != at.Start-from {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{
		Text: m.Document.Text, Span: diag.Span{Start: from, End: at.Start}, New: strings.Repeat(" ", at.Start-from),
	}}}}
}

// toScalar quotes what YAML takes for something else, and the reverse.
func (m Document) toScalar(w gotype.Mismatch, path string) []diag.Fix {
	scalar, ok := m.Scalar(path)
	if !ok {
		return m.unquotedBraces(w, path)
	}
	text := scalar.Text
	switch gotype.TypeName(w.Want) {
	case "a string":
		if word := usual[w.Path.Last()]; len(word) > 0 && w.Want.Name() != "string" {
			return Fix("Change to "+word[0], m.ToRewrite(path, word[0]))
		}
		if w.Path.Parent().Last() == "apiVersions" {
			return Fix("Change to v"+text, m.ToRewrite(path, "v"+text))
		}
		return Fix("Put it in quotes", m.ToRewrite(path, strconv.Quote(text)))
	case "an integer":
		digits := strings.TrimRight(strings.TrimSpace(text), "sS econd")
		digits = strings.TrimSuffix(digits, ".0")
		if _, err := strconv.ParseInt(digits, 10, 32); err == nil && digits != "" {
			return Fix("Change to "+digits, m.ToRewrite(path, digits))
		}
	case "true or false":
		word := map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}[strings.ToLower(text)]
		if word != "" {
			return Fix("Change to "+word, m.ToRewrite(path, word))
		}
	}
	return nil
}

// unquotedBraces quotes an expression that begins with a bracket: YAML reads it as
// a collection.
func (m Document) unquotedBraces(w gotype.Mismatch, path string) []diag.Fix {
	if gotype.TypeName(w.Want) != "a string" || m.Brackets(w.Path.Parent().String()) {
		return nil
	}
	span := m.Locate(path)
	rest, _, _ := strings.Cut(m.Source()[span.Start:], "\n")
	rest = strings.TrimRight(rest, " \r")
	if !strings.ContainsAny(rest[:min(len(rest), 1)], "[{") || span.Start+len(rest) < span.End {
		return nil
	}
	return []diag.Fix{{Title: "Put it in quotes", Edits: []diag.Edit{{
		Text: m.Document.Text, Span: diag.Span{Start: span.Start, End: span.Start + len(rest)}, New: scenario.Quoted(rest),
	}}}}
}

// toList writes one value as a list.
func (m Document) toList(w gotype.Mismatch, path string) []diag.Fix {
	item := w.Want.Elem()
	switch v := w.Got.(type) {
	case string:
		if item.Kind() == reflect.String {
			return m.textToList(v, path)
		}
		if name := m.named(item, w.Path); name != "" && v != "" && !m.Block(path) {
			return Fix("Write it as a list", m.ToRewrite(path, "[{"+name+scenario.Quoted(v)+"}]"))
		}
	case map[string]any:
		if item.Kind() == reflect.String {
			if keys := switchedOn(v, w.Path.Last()); len(keys) > 0 {
				return Fix("Write it as a list", m.ToRewrite(path, "["+strings.Join(keys, ", ")+"]"))
			}
			return nil
		}
		if text, ok := m.pairsToList(v, item, path); ok {
			return Fix("Write it as a list", m.ToRewrite(path, text))
		}
		if looksLike(v, item) {
			return m.wrapItem(path)
		}
	default:
		if item.Kind() == reflect.String {
			return Fix("Write it as a list", m.ToRewrite(path, "["+strconv.Quote(fmt.Sprint(v))+"]"))
		}
	}
	return nil
}

// switchedOn are the keys of a mapping of switches, deny: true, as the items of the list of a field.
// There are none where a value is no switch.
func switchedOn(object map[string]any, field string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		on, ok := object[key].(bool)
		switch {
		case !ok && object[key] != nil:
			return nil
		case !ok || on:
			if field == "validationActions" {
				if known := suggest.OneOf(configuration.ValidationActions, key); known != "" {
					key = known
				}
			}
			out = append(out, scenario.Scalar(key))
		}
	}
	return out
}

// named is the beginning of a list item that is given as a text: its name where
// it needs one, and the field that takes the text.
func (m Document) named(item reflect.Type, path fieldpath.Path) string {
	names := gotype.FieldNames(item, nil)
	main := ""
	for _, n := range names {
		if n == "expression" {
			main = n + ": "
		}
	}
	if main != "" && path.Last() == "matchConditions" {
		main = "name: condition-1, " + main
	}
	return main
}

// pairsToList writes a mapping from names to expressions as the list that the API
// has for it.
func (m Document) pairsToList(object map[string]any, item reflect.Type, path string) (string, bool) {
	list := fieldpath.Parse(path).Last()
	keyField := map[string]string{"variables": "name", "matchConditions": "name", "auditAnnotations": "key"}[list]
	valueField := map[string]string{"variables": "expression", "matchConditions": "expression", "auditAnnotations": "valueExpression"}[list]
	if keyField == "" || looksLike(object, item) {
		return "", false
	}
	keys := slices.Sorted(maps.Keys(object))
	if m.Brackets(path) {
		return bracketedPairs(object, keyField, valueField)
	}
	indent := strings.Repeat(" ", m.Column(path))
	var out []string
	for _, key := range keys {
		at := path + "." + key
		text, ok := m.Shifted(at, 2)
		if _, scalar := object[key].(string); !ok || !scalar {
			return "", false
		}
		out = append(out, fmt.Sprintf("- %s: %s\n%s  %s: %s", keyField, scenario.Scalar(key), indent, valueField, text))
	}
	if len(out) == 0 {
		return "", false
	}
	return strings.Join(out, "\n"+indent), true
}

// bracketedPairs is pairsToList in brackets.
func bracketedPairs(object map[string]any, keyField, valueField string) (string, bool) {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		text, ok := object[key].(string)
		if !ok || strings.Contains(text, "\n") {
			return "", false
		}
		out = append(out, fmt.Sprintf("{%s: %s, %s: %s}", keyField, scenario.Scalar(key), valueField, scenario.Quoted(text)))
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) > 0
}

// looksLike says that some key of a mapping is a field of a type, or nearly.
func looksLike(object map[string]any, t reflect.Type) bool {
	if gotype.Element(t).Kind() != reflect.Struct {
		return false
	}
	names := append(gotype.FieldNames(t, nil), "expression") // which people write directly into an item that has it further below
	for key := range object {
		if _, near := suggest.Of(names, key); near {
			return true
		}
		for _, name := range names {
			if name == key {
				return true
			}
		}
	}
	return len(object) == 0
}

// wrapItem makes a mapping the one item of a list.
func (m Document) wrapItem(path string) []diag.Fix {
	const title = "Write it as a list"
	span := m.Locate(path)
	if m.Brackets(path) {
		return Fix(title, m.ToRewrite(path, "["+m.Source()[span.Start:span.End]+"]"))
	}
	text, ok := m.Shifted(path, 2)
	if !ok {
		return nil
	}
	return Fix(title, m.ToRewrite(path, "- "+text))
}

// toMapping gives a text the field that takes it, takes one item out of a list,
// and makes one mapping of a list of such.
func (m Document) toMapping(w gotype.Mismatch, path string) []diag.Fix {
	switch v := w.Got.(type) {
	case []any:
		if w.Path.Last() == "jsonPatch" {
			if fixes := m.operationsToExpression(v, path); fixes != nil {
				return fixes
			}
		}
		if len(v) == 1 {
			if _, ok := v[0].(map[string]any); ok {
				return m.unwrap(w.Path.Index(0).String(), path)
			}
		}
		return m.listToMapping(v, path)
	case string:
		return m.textToMapping(w, v, path)
	}
	return nil
}

// listToMapping joins the items of a list, such as team=a or {team: a}.
func (m Document) listToMapping(list []any, path string) []diag.Fix {
	var pairs []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return nil
			}
			pairs = append(pairs, scenario.Scalar(key)+": "+strconv.Quote(value))
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				text, ok := v[key].(string)
				if !ok {
					return nil
				}
				pairs = append(pairs, scenario.Scalar(key)+": "+strconv.Quote(text))
			}
		default:
			return nil
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return Fix("Write it as a mapping", m.ToRewrite(path, "{"+strings.Join(pairs, ", ")+"}"))
}
