package documents

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/scenario"
)

// textToList makes a list of a word, or of words between commas.
func (m Document) textToList(text, path string) []diag.Fix {
	var words []string
	for _, w := range strings.Split(strings.Trim(text, "[]() "), ",") {
		if w = strings.Trim(strings.TrimSpace(w), `"'`); w != "" || text == "" {
			words = append(words, scenario.Scalar(w))
		}
	}
	value := "[" + strings.Join(words, ", ") + "]"
	return Fix("Change to "+value, m.ToRewrite(path, value))
}

// textToMapping writes a text as the mapping that it stands for.
func (m Document) textToMapping(w gotype.Mismatch, text, path string) []diag.Fix {
	write := func(value string) []diag.Fix { return Fix("Change to "+value, m.ToRewrite(path, value)) }
	switch w.Path.Last() {
	case "paramKind":
		if apiVersion, kind, ok := kindInText(text); ok {
			return write("{apiVersion: " + apiVersion + ", kind: " + kind + "}")
		}
		return nil
	case "paramRef":
		if namespace, name, ok := strings.Cut(text, "/"); ok && !strings.Contains(name, "/") {
			return write("{name: " + scenario.Scalar(name) + ", namespace: " + scenario.Scalar(namespace) + ", parameterNotFoundAction: Deny}")
		}
		return write("{name: " + scenario.Scalar(text) + ", parameterNotFoundAction: Deny}")
	case "namespaceSelector":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{matchLabels: {" + scenario.Scalar(key) + ": " + strconv.Quote(value) + "}}")
		}
		return write("{matchLabels: {kubernetes.io/metadata.name: " + scenario.Scalar(text) + "}}")
	case "objectSelector", "selector":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{matchLabels: {" + scenario.Scalar(key) + ": " + strconv.Quote(value) + "}}")
		}
		return nil
	case "matchLabels", "labels", "annotations":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{" + scenario.Scalar(key) + ": " + strconv.Quote(value) + "}")
		}
		return nil
	case "clientConfig":
		return write("{url: " + scenario.Quoted(text) + "}")
	case "service":
		namespace, name, ok := strings.Cut(text, "/")
		if !ok {
			namespace, name = "default", text
		}
		return write("{namespace: " + scenario.Scalar(namespace) + ", name: " + scenario.Scalar(name) + "}")
	case "metadata":
		return write("{name: " + scenario.Scalar(text) + "}")
	}
	return m.asExpression(w, path)
}

// asExpression makes a text the expression of a mapping that has one.
func (m Document) asExpression(w gotype.Mismatch, path string) []diag.Fix {
	name := ""
	for _, n := range gotype.FieldNames(w.Want, nil) {
		if n == "expression" {
			name = n
		}
	}
	if name == "" {
		return nil
	}
	if parent := w.Path.Parent(); parent.Last() == "matchConditions" {
		name = fmt.Sprintf("name: condition-%s, expression", w.Path.Last())
	}
	if m.Brackets(path) || !m.Block(path) {
		span := m.Locate(path)
		text := m.Source()[span.Start:span.End]
		if !strings.ContainsAny(text[:1], `"'`) {
			text = scenario.Quoted(text)
		}
		return Fix("Write it as the expression", m.ToRewrite(path, "{"+name+": "+text+"}"))
	}
	text, ok := m.Shifted(path, 2)
	if !ok || strings.Contains(name, ",") {
		return nil
	}
	if w.Path[len(w.Path)-1].IsIndex() {
		return Fix("Write it as the expression", m.ToRewrite(path, name+": "+text))
	}
	indent := strings.Repeat(" ", m.KeyColumn(path)+2)
	return Fix("Write it as the expression", m.ToRewrite(path, "\n"+indent+name+": "+text))
}

// kindInText reads a kind that is written as one text: "example.com/v1 Limit",
// "example.com/v1/Limit", "v1/ConfigMap", "ConfigMap".
func kindInText(text string) (apiVersion, kind string, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /,", r) })
	switch len(parts) {
	case 3:
		for i := 1; i < 3; i++ { // some write "Limit example.com/v1"
			if IsVersion(parts[i]) {
				kind := parts[(i+1)%3]
				return parts[i-1] + "/" + parts[i], kind, true
			}
		}
		return parts[0] + "/" + parts[1], parts[2], true
	case 2:
		if IsVersion(parts[1]) {
			parts[0], parts[1] = parts[1], parts[0]
		}
		if IsVersion(parts[0]) {
			return parts[0], parts[1], true
		}
		if strings.Contains(parts[0], ".") {
			return parts[0] + "/v1", parts[1], true
		}
	case 1:
		if kind, group, dot := strings.Cut(parts[0], "."); dot {
			return group + "/v1", kind, true
		}
		if parts[0] == "ConfigMap" || parts[0] == "Secret" {
			return "v1", parts[0], true
		}
	}
	return "", "", false
}

// IsVersion reports that a word is a version of an API, such as v1beta1.
func IsVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}

// operationsToExpression writes a JSON Patch that is in YAML as the expression that
// jsonPatch has.
func (m Document) operationsToExpression(list []any, path string) []diag.Fix {
	text := expressions.Operations(list)
	if text == "" {
		return nil
	}
	if m.Brackets(path) {
		return Fix("Write it as an expression", m.ToRewrite(path, "{expression: "+scenario.Quoted(text)+"}"))
	}
	value := "expression: " + scenario.Quoted(text)
	if column := m.KeyColumn(path) + 2; m.Column(path) != column {
		value = strings.Repeat(" ", max(column-m.Column(path), 0)) + value // the list is at the column of its key
	}
	return Fix("Write it as an expression", m.ToRewrite(path, value))
}
