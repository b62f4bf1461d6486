package objects

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// wrongType is a value that does not fit its field's type.
type wrongType struct {
	path fieldpath.Path
	want *catalog.Type
	got  any
}

// wrongTypes finds an object's values that do not fit their fields' types. The server reports only
// one of them.
func wrongTypes(t *catalog.Type, value any, path fieldpath.Path) []wrongType {
	if t == nil || value == nil {
		return nil
	}
	wrong := []wrongType{{path, t, value}}
	switch v := value.(type) {
	case map[string]any:
		if t.Kind != catalog.Struct && t.Kind != catalog.Map {
			if t.Kind == catalog.Any || t.Kind == catalog.Custom {
				return nil
			}
			return wrong
		}
		var out []wrongType
		for _, key := range sortedKeys(v) {
			if t.Kind == catalog.Map {
				out = append(out, wrongTypes(t.Elem, v[key], path.Key(key))...)
			} else if f := t.Field(key); f != nil {
				out = append(out, wrongTypes(f.Type, v[key], path.Child(key))...)
			}
		}
		return out
	case []any:
		if t.Kind != catalog.List {
			if t.Kind == catalog.Any || t.Kind == catalog.Custom {
				return nil
			}
			return wrong
		}
		var out []wrongType
		for i, item := range v {
			out = append(out, wrongTypes(t.Elem, item, path.Index(i))...)
		}
		return out
	}
	if fitsScalar(t.Kind, value) && (!isQuantity(t) || validQuantity(value)) && (t.Kind != catalog.Bytes || isBase64(value)) {
		return nil
	}
	return wrong
}

// fitsScalar reports whether a string, number or boolean fits a field.
func fitsScalar(kind catalog.Kind, value any) bool {
	switch value.(type) {
	case string:
		return kind == catalog.String || kind == catalog.Bytes || kind == catalog.Custom || kind == catalog.Any
	case bool:
		return kind == catalog.Boolean || kind == catalog.Custom || kind == catalog.Any
	case int64:
		return kind == catalog.Integer || kind == catalog.Number || kind == catalog.Custom || kind == catalog.Any
	case float64:
		return kind == catalog.Number || kind == catalog.Custom || kind == catalog.Any
	}
	return true
}

// isBase64 reports whether a value is base64, as JSON encodes bytes.
func isBase64(value any) bool {
	text, ok := value.(string)
	if !ok {
		return true // another type, which is reported
	}
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

// names of types, as people who write YAML call them
var shapes = map[catalog.Kind]string{
	catalog.Struct: "a mapping", catalog.Map: "a mapping", catalog.List: "a list", catalog.String: "a string", catalog.Boolean: "true or false",
	catalog.Integer: "an integer", catalog.Number: "a number", catalog.Bytes: "base64 in a string",
}

func shapeOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "a string"
	default:
		return fmt.Sprint(v)
	}
}

// WrongTypes reports the object's values that do not fit their fields' types, with a repair if the
// same value can be written in the right type. detail is the server's message for the first of
// them.
func (o Object) WrongTypes(detail string) []diag.Diagnostic {
	if o.Type == nil {
		return nil
	}
	var out []diag.Diagnostic
	for i, w := range wrongTypes(o.Type, o.Value, nil) {
		out = append(out, o.wrongType(w, detail, i < mostRepaired))
	}
	return out
}

func (o Object) wrongType(w wrongType, detail string, repair bool) diag.Diagnostic {
	path := o.in(w.path)
	expected := shapes[w.want.Kind]
	if isQuantity(w.want) {
		expected = "a quantity such as 512Mi"
	}
	out := diag.Diagnostic{Code: codes.Undecodable, Severity: diag.Error, Text: o.Document.Text, Span: o.Document.Locate(path), Path: path,
		Summary: fmt.Sprintf("%s is expected here, not %s", expected, shapeOf(w.got)), Detail: detail}
	if !repair {
		return out
	}
	if scalar, known := o.Document.Scalar(path); known {
		var note string
		out.Fixes, note = o.scalarFixes(w, path, strings.TrimSpace(scalar.Text))
		out.Detail = strings.TrimSpace(note + " " + detail)
		return out
	}
	out.Fixes = o.collectionFixes(w, path)
	return out
}

// collectionFixes turn a mapping into a list, a list into a mapping, and either into a string.
func (o Object) collectionFixes(w wrongType, path string) []diag.Fix {
	if w.want.Kind == catalog.String {
		return o.asText(w, path)
	}
	switch got := w.got.(type) {
	case map[string]any:
		if w.want.Kind != catalog.List {
			return nil
		}
		if list := namedValues(got, o.inOrder(w.path, got), w.want.Elem); list != "" {
			return o.rewritten("Write it as a list of names and values", path, list)
		}
		if isItem(got, w.want.Elem) {
			return o.asItem(path)
		}
	case []any:
		if len(got) == 1 && w.want.Kind == catalog.Struct {
			if item, isMapping := got[0].(map[string]any); isMapping && isItem(item, w.want) {
				return o.onlyItem(w, path)
			}
		}
		if w.want.Kind == catalog.Map && (w.want.Elem.Kind == catalog.String || isQuantity(w.want.Elem)) {
			return o.rewritten("Write it as a mapping", path, pairs(got))
		}
	}
	return nil
}

// scalarFixes write a string, number or boolean in its field's type, and say how YAML reads it.
func (o Object) scalarFixes(w wrongType, path, source string) (fixes []diag.Fix, note string) {
	_, isText := w.got.(string)
	if fixes := o.action(w, path, source); fixes != nil {
		return fixes, ""
	}
	switch {
	case isQuantity(w.want):
		for _, amount := range suggest.Quantities(source) {
			fixes = append(fixes, o.rewritten("Change to "+amount, path, amount)...)
		}
	case w.want.Kind == catalog.Bytes:
		if isText {
			return o.rewritten("Write it as base64", path, base64.StdEncoding.EncodeToString([]byte(w.got.(string)))), "Byte fields, such as a Secret's data, are base64. A Secret's stringData accepts text."
		}
		return o.rewritten("Write it as base64", path, base64.StdEncoding.EncodeToString([]byte(source))), "Byte fields, such as a Secret's data, are base64. A Secret's stringData accepts text."
	case w.want.Kind == catalog.String:
		return o.rewritten("Put it in quotes", path, strconv.Quote(source)), "YAML reads words such as true, yes, no, on, y and n, and numbers, as other types."
	case w.want.Kind == catalog.Integer || w.want.Kind == catalog.Number || w.want.Kind == catalog.Boolean:
		if isText && readsAs(w.want.Kind, source) {
			return o.rewritten("Write it without quotes", path, source), ""
		}
		if word := truthWords[strings.ToLower(source)]; isText && w.want.Kind == catalog.Boolean && word != "" {
			return o.rewritten("Change to "+word, path, word), ""
		}
	case w.want.Kind == catalog.List && fitsScalar(w.want.Elem.Kind, w.got):
		list := "[" + source + "]"
		if isText {
			list = listed(source)
			if name := w.path.Last(); name == "command" || name == "args" {
				list = commandLine(source)
			}
		}
		return o.rewritten("Make it a list", path, list), ""
	case isText && w.want.Kind == catalog.Map && w.want.Elem.Kind == catalog.String:
		return o.rewritten("Write it as a mapping", path, inMapping(source)), ""
	case isText && w.want.Kind == catalog.Struct && w.want.Field("matchLabels") != nil && inMapping(source) != "":
		return o.rewritten("Write it as labels", path, "{matchLabels: "+inMapping(source)+"}"), ""
	case w.want.Kind == catalog.List && w.want.Elem.Kind == catalog.Struct:
		if item := asItemOf(w.want.Elem, w.path.Last(), w.got, source); item != "" {
			return o.rewritten("Make it a list", path, "["+item+"]"), ""
		}
		for _, item := range references(w.want.Elem, w.got) {
			fixes = append(fixes, o.rewritten("Write it as "+item, path, "["+item+"]")...)
		}
	case isText && w.want.Kind == catalog.Struct && named(w.want, source) != "":
		return o.rewritten("Write it with a name and a value", path, named(w.want, source)), ""
	case w.want.Kind == catalog.Struct && len(w.path) > 0 && (isText && w.want.Field("properties") == nil || w.path[len(w.path)-1].IsIndex()):
		if name := mainField(w.want, w.got); name != "" {
			if isText {
				source = strconv.Quote(source)
			}
			fields := name + ": " + source
			if w.want.Field("mountPath") != nil && isText {
				// The mount path is required; below the root is a first suggestion.
				fields += ", mountPath: " + strconv.Quote("/"+fmt.Sprint(w.got))
				return drafts(o.rewritten("Write it as "+fields, path, "{"+fields+"}")), ""
			}
			return o.rewritten("Write it as "+fields, path, "{"+fields+"}"), ""
		}
		for _, item := range references(w.want, w.got) {
			fixes = append(fixes, o.rewritten("Write it as "+item, path, item)...)
		}
	}
	return fixes, ""
}

// references are the mappings that a plain name may mean if each field references an object by
// name: configMapRef or secretRef.
func references(item *catalog.Type, value any) (out []string) {
	name, ok := value.(string)
	if !ok {
		return nil
	}
	for _, f := range item.Fields() {
		if t := f.Type; t.Kind == catalog.Struct && t.Field("name") != nil && t.Field("key") == nil && strings.HasSuffix(f.Name, "Ref") {
			out = append(out, "{"+f.Name+": {name: "+strconv.Quote(name)+"}}")
		}
	}
	return out
}

// rewritten replaces a value in the document. An empty text returns no fix.
func (o Object) rewritten(title, path, text string) []diag.Fix {
	edit, ok := o.Document.Rewrite(path, text)
	if !ok || text == "" {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
}

// mainField is the field for a plain value in place of a mapping, such as a container's port or a
// Secret's name; empty if there is none.
func mainField(item *catalog.Type, value any) string {
	for _, name := range []string{"containerPort", "port", "name", "rule", "key", "path", "ip", "host", "expression", "secretName", "claimName", "type"} {
		if f := item.Field(name); f != nil && fitsScalar(f.Type.Kind, value) && f.Type.Kind != catalog.Custom {
			return name
		}
	}
	return ""
}

// pairs writes a list of mappings, or of strings such as team=a, as one mapping; empty if an item
// is neither.
func pairs(list []any) string {
	var out []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return ""
			}
			out = append(out, strconv.Quote(key)+": "+strconv.Quote(value))
		case map[string]any:
			for _, key := range sortedKeys(v) {
				switch value := v[key].(type) {
				case string, bool, int64, float64:
					out = append(out, strconv.Quote(key)+": "+strconv.Quote(fmt.Sprint(value)))
				default:
					return ""
				}
			}
		default:
			return ""
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// listed writes a string as a list: of its parts between commas, or of itself.
func listed(text string) string {
	var items []string
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, strconv.Quote(item))
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// commandLine writes a command as a list of its words, or as a shell command if it needs a shell.
func commandLine(text string) string {
	if strings.ContainsAny(text, "|&;<>$`*\"'()") {
		return "[sh, -c, " + strconv.Quote(text) + "]"
	}
	var words []string
	for _, word := range strings.Fields(text) {
		words = append(words, strconv.Quote(word))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// isItem reports whether an item has all of a mapping's fields.
func isItem(object map[string]any, item *catalog.Type) bool {
	if item == nil || item.Kind != catalog.Struct || len(object) == 0 {
		return false
	}
	for name := range object {
		if item.Field(name) == nil {
			return false
		}
	}
	return true
}

// asItem makes a mapping a list's only item.
func (o Object) asItem(path string) []diag.Fix {
	with := ""
	if o.Document.Brackets(path) {
		span := o.Document.Locate(path)
		with = "[" + o.Document.Source()[span.Start:span.End] + "]"
	} else if text, ok := o.Document.Shifted(path, 2); ok {
		with = "- " + text
	}
	edit, ok := o.Document.Rewrite(path, with)
	if !ok || with == "" {
		return nil
	}
	return []diag.Fix{{Title: "Make it a list", Edits: []diag.Edit{edit}}}
}

// truthWords are words that people write for true and false.
var truthWords = map[string]string{"yes": "true", "y": "true", "on": "true", "enabled": "true", "true": "true", "no": "false", "n": "false", "off": "false", "disabled": "false", "false": "false"}

// readsAs reports whether YAML reads an unquoted string as a given kind.
func readsAs(kind catalog.Kind, text string) bool {
	switch kind {
	case catalog.Boolean:
		return text == "true" || text == "false"
	case catalog.Integer:
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
