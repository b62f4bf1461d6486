package completion

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// yaml completes a key or a value of a manifest.
func (q *query) yaml() Result {
	c := q.cursor
	prefix, suffix := keyPrefix(c.before), keySuffix(c.after)
	t := q.typeOfDocument()
	for _, step := range c.path {
		t = stepInto(t, step)
	}
	switch {
	case c.isKey && len(c.path) == 0:
		return q.result(prefix, suffix, q.topKeys(t))
	case t == nil:
		return q.result(prefix, suffix, q.knownValues(nil))
	case t.Kind == catalog.Struct && (c.isKey || c.before == prefix && c.after == suffix && !c.quoted):
		return q.result(prefix, suffix, q.keys(t))
	case t.Kind == catalog.Map && q.atLabels():
		return q.result(prefix, suffix, q.labelKeys())
	case c.isKey && len(c.siblings) > 0:
		return q.result(prefix, suffix, nil) // of a map: any key will do
	}
	return q.result(prefix, suffix, q.knownValues(t))
}

// keyPrefix is the part of a key or value before the cursor that an item
// replaces: all of it, since labels such as apps/v1 are more than a word.
func keyPrefix(before string) string {
	return before[strings.LastIndexAny(before, " \t\n")+1:]
}

func keySuffix(after string) string {
	if i := strings.IndexAny(after, " \t\n"); i >= 0 {
		return after[:i]
	}
	return after
}

func (q *query) typeOfDocument() *catalog.Type {
	if q.alone() {
		return q.typeOfRules()
	}
	doc := q.cursor.document(false)
	apiVersion, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	if apiVersion == "preadmit.dev/v1" && kind == "WebhookResponse" {
		return webhookResponse()
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	t, _ := q.catalog.TypeOf(gv.WithKind(kind))
	return t
}

func stepInto(t *catalog.Type, step fieldpath.Step) *catalog.Type {
	switch {
	case t == nil:
		return nil
	case !step.IsIndex():
		if name := step.Name(); t.Kind == catalog.Struct && t.Field(name) != nil {
			return t.Field(name).Type
		}
		if t.Kind == catalog.Map {
			return t.Elem
		}
	default:
		if t.Kind == catalog.List {
			return t.Elem
		}
	}
	return nil
}

// topKeys lists what a manifest begins with.
func (q *query) topKeys(t *catalog.Type) []Item {
	if t != nil {
		return q.keys(t)
	}
	var items []Item
	for i, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if slices.Contains(q.cursor.siblings, key) {
			continue
		}
		items = append(items, Item{Label: key, Kind: FieldItem, Apply: key + ":" + afterKey(i > 1), Boost: fieldBoost - i})
	}
	if len(q.cursor.siblings) == 0 {
		items = append(items, q.snippets()...)
	}
	return items
}

func afterKey(nested bool) string {
	if nested {
		return ""
	}
	return " "
}

// keys lists the fields of a struct that are missing yet. Status is the
// server's.
func (q *query) keys(t *catalog.Type) []Item {
	var items []Item
	for i, f := range t.Fields() {
		if slices.Contains(q.cursor.siblings, f.Name) || len(q.cursor.path) == 0 && f.Name == "status" {
			continue
		}
		nested := f.Type.Kind == catalog.Struct || f.Type.Kind == catalog.Map || f.Type.Kind == catalog.List
		apply := f.Name + ":" + afterKey(nested)
		if isExpressionKey(f.Name) && strings.HasPrefix(t.ID, "admissionregistration/") {
			apply = f.Name + ": >-\n" + q.blockIndent() + "${}"
		}
		if strings.HasPrefix(q.src[q.offset:], ":") {
			apply = f.Name
		}
		items = append(items, Item{
			Label: f.Name, Kind: FieldItem, Detail: describeField(f), Doc: q.fieldDoc(t, f),
			Apply: apply, Boost: max(fieldBoost-i, -50),
		})
	}
	return items
}

// atLabels reports whether the cursor is in the labels that a policy's selector asks for.
func (q *query) atLabels() bool {
	last, _ := lastKeys(q.cursor.path)
	return last == "matchLabels" && len(q.selected()) > 0
}

// labelKeys lists the labels that what is selected from has, and the selector has not yet.
func (q *query) labelKeys() []Item {
	var items []Item
	for i, name := range labelNames(q.selected()) {
		if slices.Contains(q.cursor.siblings, name) {
			continue
		}
		apply := name + ": "
		if strings.HasPrefix(q.src[q.offset:], ":") {
			apply = name
		}
		items = append(items, Item{Label: name, Kind: FieldItem, Detail: q.selectedWord(), Apply: apply, Boost: max(fieldBoost-i, -50)})
	}
	return items
}

// blockIndent is the white space that a block scalar below the cursor's key
// needs beyond the indentation of its line, where the dashes of lists are.
func (q *query) blockIndent() string {
	line := q.src[strings.LastIndexByte(q.src[:q.offset], '\n')+1 : q.offset]
	dashes := strings.TrimLeft(line, " ")
	return strings.Repeat(" ", len(dashes)-len(strings.TrimLeft(dashes, "- "))+2)
}

func isExpressionKey(name string) bool {
	return name == "expression" || name == "messageExpression" || name == "valueExpression"
}

// knownValues lists the values that a field takes.
func (q *query) knownValues(t *catalog.Type) []Item {
	values, detail := q.namesFor(t)
	if t != nil && len(values) == 0 {
		values = t.Enum
		if t.Kind == catalog.Boolean {
			values = []string{"true", "false"}
		}
	}
	var items []Item
	for i, v := range values {
		apply := v
		if needsQuotes(v) && !q.cursor.quoted {
			apply = `"` + v + `"`
		}
		items = append(items, Item{Label: v, Kind: ValueItem, Detail: detail, Apply: apply, Boost: max(fieldBoost-i, -50)})
	}
	return items
}

// needsQuotes reports whether a plain scalar would not be this text.
func needsQuotes(v string) bool { return v == "" || strings.HasPrefix(v, "*") }
