package completion

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// jsonPatchFields are the fields of a JSONPatch literal (semantics §6.6).
var jsonPatchFields = []Item{
	{Label: "op", Detail: "'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'", Apply: "op: '${add}'"},
	{Label: "path", Detail: "string", Doc: "A JSON pointer. Escape keys with jsonpatch.escapeKey.", Apply: "path: '${/}'"},
	{Label: "from", Detail: "string", Doc: "Where move and copy take the value from.", Apply: "from: '${/}'"},
	{Label: "value", Detail: "any value", Apply: "value: ${}"},
}

var jsonPatchOps = []string{"add", "remove", "replace", "move", "copy", "test"}

// literalFields lists the fields that a literal may set.
func (q *query) literalFields(top bracket, view check.View) []Item {
	if top.typeName == "JSONPatch" {
		items := slices.Clone(jsonPatchFields)
		for i := range items {
			items[i].Kind, items[i].Boost = FieldItem, fieldBoost
		}
		return items
	}
	t := structOf(typeAt(view.Object, objectSteps(top.typeName)))
	if t == nil {
		return nil
	}
	var items []Item
	for _, f := range t.Fields() {
		if !isIdentifier(f.Name) {
			continue
		}
		items = append(items, Item{
			Label: f.Name, Kind: FieldItem, Detail: describeType(f.Type) + atomicNote(f), Doc: q.fieldDoc(t, f),
			Apply: f.Name + ": " + valueTemplate(top.typeName, f), Boost: boostOf(f.Name),
		})
	}
	return items
}

// valueTemplate is how a value of the field is written in a literal of a type.
func valueTemplate(typeName string, f *catalog.Field) string {
	literal := typeName + "." + f.Name + "{${}}"
	switch f.Type.Kind {
	case catalog.Struct:
		return literal
	case catalog.List:
		if structOf(f.Type) != nil {
			return "[" + literal + "]"
		}
		return "[${}]"
	case catalog.Map:
		return "{${}}"
	case catalog.String:
		return "'${}'"
	}
	return "${}"
}

// literalValues lists the values that the field at the cursor suggests.
func (q *query) literalValues(top bracket, view check.View) []Item {
	if top.open != "{" || !top.colon || !strings.HasPrefix(top.typeName, "Object") || !q.isLiteralType(top.typeName) {
		return nil
	}
	t := structOf(typeAt(view.Object, objectSteps(top.typeName)))
	if t == nil || t.Field(top.field) == nil {
		return nil
	}
	f := t.Field(top.field)
	var items []Item
	if structOf(f.Type) != nil {
		name := top.typeName + "." + f.Name
		items = append(items, Item{Label: name, Kind: TypeItem, Detail: describeType(f.Type) + atomicNote(f), Apply: valueTemplate(top.typeName, f), Boost: 60})
	}
	for _, value := range f.Type.Enum {
		items = append(items, Item{Label: "'" + value + "'", Kind: ValueItem, Boost: 60})
	}
	if f.Type.Kind == catalog.Boolean {
		items = append(items, Item{Label: "true", Kind: KeywordItem, Boost: 60}, Item{Label: "false", Kind: KeywordItem, Boost: 59})
	}
	return items
}

// inString completes the text of a string: values of an enum that it is
// compared with, paths of a patch, verbs of a check.
func (q *query) inString(tokens []source.Token) (Result, error) {
	last := tokens[len(tokens)-1]
	typedSoFar := last.Literal()
	rest := q.after
	if i := strings.IndexAny(rest, "'\"\n"); i >= 0 {
		rest = rest[:i]
	}
	if strings.ContainsAny(rest, " ,()[]{}") {
		rest = ""
	}
	tokens = tokens[:len(tokens)-1]
	stack := brackets(tokens)
	top := stack[len(stack)-1]
	if top.typeName == "JSONPatch" && top.colon && (top.field == "path" || top.field == "from") {
		return q.patchPath(typedSoFar, rest), nil
	}
	var values []string
	for _, view := range q.views {
		more, err := q.stringValues(tokens, stack, view)
		if err != nil {
			return Result{}, err
		}
		values = append(values, more...)
	}
	var items []Item
	for _, v := range values {
		items = append(items, Item{Label: v, Kind: ValueItem, Boost: fieldBoost})
	}
	return q.result(typedSoFar, rest, items), nil
}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

func (q *query) stringValues(tokens []source.Token, stack []bracket, view check.View) ([]string, error) {
	top, n := stack[len(stack)-1], len(tokens)
	switch {
	case n > 0 && (tokens[n-1].Text == "==" || tokens[n-1].Text == "!="):
		return q.valuesOf(tokens[:n-1], view)
	case top.open == "{" && top.colon && top.typeName == "JSONPatch" && top.field == "op":
		return jsonPatchOps, nil
	case top.open == "{" && top.colon && q.isLiteralType(top.typeName):
		if t := structOf(typeAt(view.Object, objectSteps(top.typeName))); t != nil && t.Field(top.field) != nil {
			return t.Field(top.field).Type.Enum, nil
		}
		return nil, nil
	case top.open == "(" && top.member:
		switch top.typeName[strings.LastIndexByte(top.typeName, '.')+1:] {
		case "check":
			return verbs, nil
		case "group":
			return q.groups(), nil
		case "resource":
			return q.resources(nil, nil), nil
		}
	case top.open == "[" && top.at > 0 && tokens[top.at-1].Text == "in":
		return q.valuesOf(tokens[:top.at-1], view)
	case top.open == "[":
		return q.keysOf(top.typeName), nil
	}
	return nil, nil
}

// keysOf lists the keys that a map has in the objects of the scenario: of
// object and oldObject in the request, of params and namespaces in the cluster.
func (q *query) keysOf(name string) []string {
	steps := strings.Split(name, ".")
	var objects []map[string]any
	switch steps[0] {
	case "object", "oldObject":
		objects = []map[string]any{q.requestObject()}
	case "params":
		objects = q.paramObjects()
	case "namespaceObject":
		objects = q.clusterObjects(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	}
	var out []string
	for _, object := range objects {
		keys := fieldpath.As[map[string]any](fieldpath.New(steps[1:]...).Get(object))
		for key := range keys {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// paramObjects are the objects of the policy's paramKind in the cluster text.
func (q *query) paramObjects() []map[string]any {
	doc := q.freePolicy()
	if q.cursor != nil {
		doc = q.cursor.document(false)
	}
	gvk, ok := model.ParamKind(doc)
	if !ok {
		return nil
	}
	return q.clusterObjects(gvk)
}

func (q *query) clusterObjects(gvk schema.GroupVersionKind) []map[string]any {
	docs, _ := scenario.ParseDocuments(diag.Cluster, q.scenario.Cluster)
	var out []map[string]any
	for _, d := range docs {
		if d.APIVersion == gvk.GroupVersion().String() && d.Kind == gvk.Kind {
			out = append(out, d.Value)
		}
	}
	return out
}

// operations are the values of request.operation.
var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// valuesOf lists the values of the field that the tokens end with: those of an enum, or
// names of namespaces.
func (q *query) valuesOf(tokens []source.Token, view check.View) ([]string, error) {
	n := len(tokens)
	if n < 3 || tokens[n-1].Kind != source.Word {
		return nil, nil
	}
	field, dot := tokens[n-1], tokens[n-2]
	if name, _ := nameBefore(tokens, n); name == "request.operation" {
		return operations, nil
	} else if name == "request.namespace" || name == "namespaceObject.metadata.name" || name == "object.metadata.namespace" {
		return q.clusterNames(namespaces), nil
	}
	// The value behind .? is an optional, which no string equals.
	if dot.Text != "." {
		return nil, nil
	}
	s, err := q.surroundingsOf(q.before[:field.Bytes], view)
	if err != nil || s == nil || s.operand == nil {
		return nil, err
	}
	place, ok := s.result.PlaceOf(s.operand)
	if !ok || place.Type.Field(field.Text) == nil {
		return nil, nil
	}
	return place.Type.Field(field.Text).Type.Enum, nil
}

// patchPath completes the last part of a JSON pointer.
func (q *query) patchPath(typedSoFar, rest string) Result {
	parts := strings.Split(typedSoFar, "/")
	last := parts[len(parts)-1]
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest = rest[:i]
	}
	var items []Item
	for _, view := range q.views {
		if len(parts) < 2 {
			items = append(items, Item{Label: "/", Kind: ValueItem})
			break
		}
		items = append(items, q.pointerItems(view.Object.At(parts[1:len(parts)-1]...))...)
	}
	return q.result(last, rest, items)
}

func (q *query) pointerItems(t *catalog.Type) []Item {
	switch {
	case t == nil:
		return nil
	case t.Kind == catalog.List:
		return []Item{
			{Label: "-", Kind: ValueItem, Detail: "after the last item"},
			{Label: "0", Kind: ValueItem, Detail: "before the first item, or the first item itself"},
		}
	case t.Kind != catalog.Struct:
		return nil
	}
	var items []Item
	for _, f := range t.Fields() {
		items = append(items, Item{Label: escapePointer(f.Name), Kind: FieldItem, Detail: describeType(f.Type), Doc: q.fieldDoc(t, f), Boost: boostOf(f.Name)})
	}
	return items
}

// escapePointer escapes a key for a JSON pointer (RFC 6901 §3).
func escapePointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
