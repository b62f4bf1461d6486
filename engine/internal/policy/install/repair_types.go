package install

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// mismatch is a value of another type than that of its field.
type mismatch struct {
	path fieldpath.Path
	want reflect.Type
	got  any
}

// mismatches finds all values of the wrong type, in the order of the paths. The
// server names only one of them.
func mismatches(t reflect.Type, value any, path fieldpath.Path) []mismatch {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	wrong := []mismatch{{path, t, value}}
	if value == nil || t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[metav1.FieldsV1]() {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return fieldMismatches(t, value, path, wrong)
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong
		}
		var out []mismatch
		for _, key := range sortedKeys(object) {
			out = append(out, mismatches(t.Elem(), object[key], path.Key(key))...)
		}
		return out
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if s, ok := value.(string); ok && base64Text(s) {
				return nil
			}
			return wrong
		}
		list, ok := value.([]any)
		if !ok {
			return wrong
		}
		var out []mismatch
		for i, item := range list {
			out = append(out, mismatches(t.Elem(), item, path.Index(i))...)
		}
		return out
	}
	if !isScalar(t, value) {
		return wrong
	}
	return nil
}

func fieldMismatches(t reflect.Type, value any, path fieldpath.Path, wrong []mismatch) []mismatch {
	object, ok := value.(map[string]any)
	if !ok {
		return wrong
	}
	var out []mismatch
	eachField(t, func(name string, ft reflect.Type) {
		if v, ok := object[name]; ok {
			out = append(out, mismatches(ft, v, path.Child(name))...)
		}
	})
	return out
}

// base64Text reports whether the decoder takes a text as base64: it leaves out
// line breaks.
func base64Text(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

func isScalar(t reflect.Type, value any) bool {
	switch t.Kind() {
	case reflect.String:
		_, ok := value.(string)
		return ok
	case reflect.Bool:
		_, ok := value.(bool)
		return ok
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, ok := value.(int64)
		return ok && (t.Kind() != reflect.Int32 || int64(int32(n)) == n)
	}
	return true
}

// typeName is how people who write YAML call a type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "base64"
		}
		return "a list"
	}
	return "a mapping"
}

func valueName(value any) string {
	switch v := value.(type) {
	case string:
		return "a text"
	case bool:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return "a number"
}

// summary says what is wrong in terms of YAML.
func (w mismatch) summary() string {
	if typeName(w.want) == "base64" {
		return "illegal base64 data: base64 is wanted here, this is another text"
	}
	return fmt.Sprintf("%s is wanted here, this is %s", typeName(w.want), valueName(w.got))
}

// wrongType finds what a value of the wrong type probably means.
func (m mender) wrongType(w mismatch) []diag.Fix {
	path := w.path.String()
	switch typeName(w.want) {
	case "base64":
		return m.caBundle(path)
	case "a list":
		return m.toList(w, path)
	case "a mapping":
		return m.toMapping(w, path)
	}
	if list, ok := w.got.([]any); ok && len(list) == 1 && isScalar(w.want, list[0]) {
		return m.unwrap(w.path.Index(0).String(), path)
	}
	if object, ok := w.got.(map[string]any); ok && len(object) == 1 && isScalar(w.want, object["expression"]) && object["expression"] != nil {
		return m.unwrap(w.path.Child("expression").String(), path)
	}
	return m.toScalar(w, path)
}

// unwrap replaces a collection by the one value in it.
func (m mender) unwrap(inner, path string) []diag.Fix {
	const title = "Write it without the list"
	if m.Brackets(path) {
		text, ok := m.Shifted(inner, 0)
		if !ok {
			return nil
		}
		return fixed(title, m.rewrite(path, text))
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
func (m mender) toScalar(w mismatch, path string) []diag.Fix {
	scalar, ok := m.Scalar(path)
	if !ok {
		return m.unquotedBraces(w, path)
	}
	text := scalar.Text
	switch typeName(w.want) {
	case "a text":
		if word := usual[w.path.Last()]; len(word) > 0 && w.want.Name() != "string" {
			return fixed("Change to "+word[0], m.rewrite(path, word[0]))
		}
		return fixed("Put it in quotes", m.rewrite(path, strconv.Quote(text)))
	case "an integer":
		digits := strings.TrimRight(strings.TrimSpace(text), "sS econd")
		digits = strings.TrimSuffix(digits, ".0")
		if _, err := strconv.ParseInt(digits, 10, 32); err == nil && digits != "" {
			return fixed("Change to "+digits, m.rewrite(path, digits))
		}
	case "true or false":
		word := map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}[strings.ToLower(text)]
		if word != "" {
			return fixed("Change to "+word, m.rewrite(path, word))
		}
	}
	return nil
}

// unquotedBraces quotes an expression that begins with a bracket: YAML reads it as
// a collection.
func (m mender) unquotedBraces(w mismatch, path string) []diag.Fix {
	if typeName(w.want) != "a text" || m.Brackets(w.path.Parent().String()) {
		return nil
	}
	span := m.Locate(path)
	rest, _, _ := strings.Cut(m.Source()[span.Start:], "\n")
	rest = strings.TrimRight(rest, " \r")
	if !strings.ContainsAny(rest[:min(len(rest), 1)], "[{") || span.Start+len(rest) < span.End {
		return nil
	}
	return []diag.Fix{{Title: "Put it in quotes", Edits: []diag.Edit{{
		Text: m.Document.Text, Span: diag.Span{Start: span.Start, End: span.Start + len(rest)}, New: singleQuoted(rest),
	}}}}
}

// toList writes one value as a list.
func (m mender) toList(w mismatch, path string) []diag.Fix {
	item := w.want.Elem()
	switch v := w.got.(type) {
	case string:
		if item.Kind() == reflect.String {
			return m.textToList(v, path)
		}
		if name := m.named(item, w.path); name != "" && v != "" && !m.Block(path) {
			return fixed("Write it as a list", m.rewrite(path, "[{"+name+singleQuoted(v)+"}]"))
		}
	case map[string]any:
		if text, ok := m.pairsToList(v, item, path); ok {
			return fixed("Write it as a list", m.rewrite(path, text))
		}
		if looksLike(v, item) {
			return m.wrapItem(path)
		}
	default:
		if item.Kind() == reflect.String {
			return fixed("Write it as a list", m.rewrite(path, "["+strconv.Quote(fmt.Sprint(v))+"]"))
		}
	}
	return nil
}

// textToList makes a list of a word, or of words between commas.
func (m mender) textToList(text, path string) []diag.Fix {
	var words []string
	for _, w := range strings.Split(strings.Trim(text, "[] "), ",") {
		if w = strings.Trim(strings.TrimSpace(w), `"'`); w != "" || text == "" {
			words = append(words, plain(w))
		}
	}
	value := "[" + strings.Join(words, ", ") + "]"
	return fixed("Change to "+value, m.rewrite(path, value))
}

// named is the beginning of a list item that is given as a text: its name where
// it needs one, and the field that takes the text.
func (m mender) named(item reflect.Type, path fieldpath.Path) string {
	names := fieldNames(item, nil)
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
func (m mender) pairsToList(object map[string]any, item reflect.Type, path string) (string, bool) {
	list := fieldpath.Parse(path).Last()
	keyField := map[string]string{"variables": "name", "matchConditions": "name", "auditAnnotations": "key"}[list]
	valueField := map[string]string{"variables": "expression", "matchConditions": "expression", "auditAnnotations": "valueExpression"}[list]
	if keyField == "" || looksLike(object, item) || m.Brackets(path) {
		return "", false
	}
	keys := sortedKeys(object)
	indent := strings.Repeat(" ", m.KeyColumn(path))
	var out []string
	for _, key := range keys {
		at := path + "." + key
		text, ok := m.Shifted(at, m.KeyColumn(path)+2-m.KeyColumn(at))
		if _, scalar := object[key].(string); !ok || !scalar {
			return "", false
		}
		out = append(out, fmt.Sprintf("- %s: %s\n%s  %s: %s", keyField, plain(key), indent, valueField, text))
	}
	if len(out) == 0 {
		return "", false
	}
	return strings.Join(out, "\n"+indent), true
}

// looksLike says that some key of a mapping is a field of a type, or nearly.
func looksLike(object map[string]any, t reflect.Type) bool {
	if element(t).Kind() != reflect.Struct {
		return false
	}
	names := fieldNames(t, nil)
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
func (m mender) wrapItem(path string) []diag.Fix {
	const title = "Write it as a list"
	span := m.Locate(path)
	if m.Brackets(path) {
		return fixed(title, m.rewrite(path, "["+m.Source()[span.Start:span.End]+"]"))
	}
	text, ok := m.Shifted(path, 2)
	if !ok {
		return nil
	}
	return fixed(title, m.rewrite(path, "- "+text))
}

// toMapping gives a text the field that takes it, takes one item out of a list,
// and makes one mapping of a list of such.
func (m mender) toMapping(w mismatch, path string) []diag.Fix {
	switch v := w.got.(type) {
	case []any:
		if len(v) == 1 {
			if _, ok := v[0].(map[string]any); ok {
				return m.unwrap(w.path.Index(0).String(), path)
			}
		}
		return m.listToMapping(v, path)
	case string:
		return m.textToMapping(w, v, path)
	}
	return nil
}

// listToMapping joins the items of a list, such as team=a or {team: a}.
func (m mender) listToMapping(list []any, path string) []diag.Fix {
	var pairs []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return nil
			}
			pairs = append(pairs, plain(key)+": "+strconv.Quote(value))
		case map[string]any:
			for _, key := range sortedKeys(v) {
				text, ok := v[key].(string)
				if !ok {
					return nil
				}
				pairs = append(pairs, plain(key)+": "+strconv.Quote(text))
			}
		default:
			return nil
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return fixed("Write it as a mapping", m.rewrite(path, "{"+strings.Join(pairs, ", ")+"}"))
}

// textToMapping writes a text as the mapping that it stands for.
func (m mender) textToMapping(w mismatch, text, path string) []diag.Fix {
	write := func(value string) []diag.Fix { return fixed("Change to "+value, m.rewrite(path, value)) }
	switch w.path.Last() {
	case "paramKind":
		if apiVersion, kind, ok := kindInText(text); ok {
			return write("{apiVersion: " + apiVersion + ", kind: " + kind + "}")
		}
		return nil
	case "paramRef":
		return write("{name: " + plain(text) + ", parameterNotFoundAction: Deny}")
	case "namespaceSelector":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{matchLabels: {" + plain(key) + ": " + strconv.Quote(value) + "}}")
		}
		return write("{matchLabels: {kubernetes.io/metadata.name: " + plain(text) + "}}")
	case "objectSelector", "selector":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{matchLabels: {" + plain(key) + ": " + strconv.Quote(value) + "}}")
		}
		return nil
	case "matchLabels", "labels", "annotations":
		if key, value, ok := strings.Cut(text, "="); ok {
			return write("{" + plain(key) + ": " + strconv.Quote(value) + "}")
		}
		return nil
	case "clientConfig":
		return write("{url: " + singleQuoted(text) + "}")
	case "service":
		namespace, name, ok := strings.Cut(text, "/")
		if !ok {
			namespace, name = "default", text
		}
		return write("{namespace: " + plain(namespace) + ", name: " + plain(name) + "}")
	case "metadata":
		return write("{name: " + plain(text) + "}")
	}
	return m.asExpression(w, path)
}

// asExpression makes a text the expression of a mapping that has one.
func (m mender) asExpression(w mismatch, path string) []diag.Fix {
	name := ""
	for _, n := range fieldNames(w.want, nil) {
		if n == "expression" {
			name = n
		}
	}
	if name == "" {
		return nil
	}
	if parent := w.path.Parent(); parent.Last() == "matchConditions" {
		name = fmt.Sprintf("name: condition-%s, expression", w.path.Last())
	}
	if m.Brackets(path) || !m.Block(path) {
		span := m.Locate(path)
		text := m.Source()[span.Start:span.End]
		if !strings.ContainsAny(text[:1], `"'`) {
			text = singleQuoted(text)
		}
		return fixed("Write it as the expression", m.rewrite(path, "{"+name+": "+text+"}"))
	}
	text, ok := m.Shifted(path, 2)
	if !ok || strings.Contains(name, ",") {
		return nil
	}
	if w.path[len(w.path)-1].IsIndex() {
		return fixed("Write it as the expression", m.rewrite(path, name+": "+text))
	}
	indent := strings.Repeat(" ", m.KeyColumn(path)+2)
	return fixed("Write it as the expression", m.rewrite(path, "\n"+indent+name+": "+text))
}

// kindInText reads a kind that is written as one text: "example.com/v1 Limit",
// "example.com/v1/Limit", "v1/ConfigMap", "ConfigMap".
func kindInText(text string) (apiVersion, kind string, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /,", r) })
	switch len(parts) {
	case 3:
		for i := 1; i < 3; i++ { // some write "Limit example.com/v1"
			if isVersion(parts[i]) {
				kind := parts[(i+1)%3]
				return parts[i-1] + "/" + parts[i], kind, true
			}
		}
		return parts[0] + "/" + parts[1], parts[2], true
	case 2:
		if isVersion(parts[1]) {
			parts[0], parts[1] = parts[1], parts[0]
		}
		if isVersion(parts[0]) {
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

// isVersion says that a word is a version of an API, such as v1beta1.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}
