package request

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// wrongType is a value that does not fit the type of its field.
type wrongType struct {
	path fieldpath.Path
	want *catalog.Type
	got  any
}

// wrongTypes finds the values of an object that do not fit the types of their fields.
// The server names one of them.
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
	if fitsScalar(t.Kind, value) {
		return nil
	}
	return wrong
}

// fitsScalar reports whether a text, number or truth value may be in a field.
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

// names of shapes, as people who write YAML call them.
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

// diagnostic marks the value, with its repair where the same value can be written in
// the type of the field.
func (r *Request) diagnostic(w wrongType, err error) diag.Diagnostic {
	path := w.path.String()
	out := diag.Diagnostic{Code: codes.Undecodable, Severity: diag.Error, Text: diag.Request, Span: r.Document.Locate(path), Path: path,
		Summary: fmt.Sprintf("%s is expected here, not %s", shapes[w.want.Kind], shapeOf(w.got)),
		Detail:  fmt.Sprintf("The server refuses the object before admission: %v.", err)}
	title, text := "", ""
	if pairs, ok := w.got.(map[string]any); ok && w.want.Kind == catalog.List {
		if list := namedValues(pairs, w.want.Elem); list != "" {
			if edit, ok := r.Document.Rewrite(path, list); ok {
				out.Fixes = []diag.Fix{{Title: "Write it as a list of names and values", Edits: []diag.Edit{edit}}}
			}
		} else if isItem(pairs, w.want.Elem) {
			out.Fixes = r.asItem(path)
		}
		return out
	}
	scalar, known := r.Document.Scalar(path)
	if !known {
		return out
	}
	source := strings.TrimSpace(scalar.Text)
	switch w.want.Kind {
	case catalog.String:
		title, text = "Put it in quotes", strconv.Quote(source)
		out.Detail = "YAML reads words such as true, yes, no, on, y and n, and numbers, as what they look like. " + out.Detail
	case catalog.Integer, catalog.Number, catalog.Boolean:
		if _, quoted := w.got.(string); quoted && readsAs(w.want.Kind, source) {
			title, text = "Write it without quotes", source
		}
	case catalog.List:
		if fitsScalar(w.want.Elem.Kind, w.got) {
			title, text = "Make it a list", "["+strconv.Quote(source)+"]"
			if _, isText := w.got.(string); !isText {
				text = "[" + source + "]"
			}
		}
	}
	if edit, ok := r.Document.Rewrite(path, text); ok && text != "" {
		out.Fixes = []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
	}
	return out
}

// namedValues writes a mapping of names to values as a list of items with a name and a
// value, which the API has in its place; empty where the items have no such fields.
func namedValues(pairs map[string]any, item *catalog.Type) string {
	if item == nil || item.Kind != catalog.Struct || item.Field("name") == nil || item.Field("value") == nil || item.Field("value").Type.Kind != catalog.String {
		return ""
	}
	var items []string
	for _, name := range sortedKeys(pairs) {
		switch value := pairs[name].(type) {
		case string, bool, int64, float64:
			items = append(items, fmt.Sprintf("{name: %s, value: %s}", strconv.Quote(name), strconv.Quote(fmt.Sprint(value))))
		default:
			return ""
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// isItem reports whether all fields of a mapping are those of an item.
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

// asItem makes a mapping the one item of a list.
func (r *Request) asItem(path string) []diag.Fix {
	with := ""
	if r.Document.Brackets(path) {
		span := r.Document.Locate(path)
		with = "[" + r.Document.Source()[span.Start:span.End] + "]"
	} else if text, ok := r.Document.Shifted(path, 2); ok {
		with = "- " + text
	}
	edit, ok := r.Document.Rewrite(path, with)
	if !ok || with == "" {
		return nil
	}
	return []diag.Fix{{Title: "Make it a list", Edits: []diag.Edit{edit}}}
}

// readsAs reports whether YAML reads an unquoted text as a value of a kind.
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

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
