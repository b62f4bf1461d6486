package noeffect

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// webhookPatch reports the operation of a webhook's patch that fails, which the server does not name.
func (r *Run) webhookPatch(s *report.Step) {
	if s.Webhook == "" || s.Error == "" || s.Phase != report.Mutating || !s.Called {
		return
	}
	for _, doc := range r.Parsed(diag.Cluster) {
		if doc.Kind != "WebhookResponse" || doc.Name != s.Webhook {
			continue
		}
		list := fieldpath.As[[]any](fieldpath.Parse("spec.patch").Get(doc.Value))
		var operations []map[string]any
		for _, item := range list {
			operation, ok := item.(map[string]any)
			if !ok {
				return
			}
			operations = append(operations, operation)
		}
		if strings.Contains(s.Error, "webhook returned response.patch but not response.patchType") {
			edit, ok := doc.Insert("spec", "patchType", "JSONPatch")
			r.add(doc, codes.WebhookPatch, "spec.patch", doc.Locate("spec.patch"), "the answer has a patch but no patchType",
				"The server reads a patch only with patchType: JSONPatch.", fix("Add patchType: JSONPatch", edit, ok))
			return
		}
		if at := failing(operations, r.Final.Object); at >= 0 {
			r.failedOperation(s, doc, operations, at)
		} else {
			r.wrongType(s, doc, operations)
		}
		return
	}
}

// failing is the index of the first operation that cannot be applied to an object; -1 where
// all can.
func failing(operations []map[string]any, object map[string]any) int {
	current, err := json.Marshal(object)
	if err != nil {
		return -1
	}
	for i, operation := range operations {
		text, err := json.Marshal([]any{operation})
		if err != nil {
			return i
		}
		patch, err := jsonpatch.DecodePatch(text)
		if err != nil {
			return i
		}
		if current, err = patch.Apply(current); err != nil {
			return i
		}
	}
	return -1
}

// failedOperation reports an operation that cannot be applied.
func (r *Run) failedOperation(s *report.Step, doc *scenario.Document, operations []map[string]any, at int) {
	pointer, _ := operations[at]["path"].(string)
	parent := pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	for i := at - 1; i >= 0; i-- {
		if operations[i]["path"] == parent {
			if _, scalar := operations[i]["value"].(string); scalar {
				r.textForMap(doc, operations[i], i, fmt.Sprintf(", so %s cannot be added below it", pointer))
				return
			}
		}
	}
	path := fmt.Sprintf("spec.patch[%d].path", at)
	summary := fmt.Sprintf("operation %d of the webhook's patch fails: %s %s", at+1, operations[at]["op"], pointer)
	value, there := fieldpath.Lookup(r.Final.Object, parent)
	switch {
	case pointer != "" && !strings.HasPrefix(pointer, "/"):
		edit, ok := doc.Rewrite(path, scenario.Scalar("/"+pointer))
		r.add(doc, codes.WebhookPatch, path, doc.Locate(path), summary, "The path of an operation is a JSON pointer and begins with a slash.", fix("Change to /"+pointer, edit, ok))
	case operations[at]["op"] == "add" && parent != "" && !there:
		item := fmt.Sprintf("{op: add, path: %s, value: %s}", scenario.Scalar(parent), container(pointer))
		var f diag.Fix
		if edit, ok := insertItem(doc, "spec.patch", at, item); ok {
			f = diag.Fix{Title: "Add " + parent + " first", Edits: []diag.Edit{edit}}
		}
		r.add(doc, codes.WebhookPatch, path, doc.Locate(path), summary, "The object has no "+parent+". An operation adds one level only.", f)
	case operations[at]["op"] == "add" && there && value != nil:
		r.add(doc, codes.WebhookPatch, path, doc.Locate(path), summary, parent+" is no map or list that the operation can add to, or the index is past the end of the list.")
	default:
		r.add(doc, codes.WebhookPatch, path, doc.Locate(path), summary, "The object has nothing at this path. The webhook must check the object that it receives.")
	}
}

// container is the empty value that the parent of a pointer needs.
func container(pointer string) string {
	if last := pointer[strings.LastIndexByte(pointer, '/')+1:]; last == "-" || last == "0" {
		return "[]"
	}
	return "{}"
}

// insertItem writes an item before another one of a list.
func insertItem(doc *scenario.Document, list string, at int, item string) (diag.Edit, bool) {
	before := doc.Locate(fieldpath.Item(list, at))
	if doc.IsJSON() || before.Start == before.End {
		return diag.Edit{}, false
	}
	text := item + ", "
	if !doc.Brackets(list) {
		text = item + "\n" + strings.Repeat(" ", max(doc.Column(fieldpath.Item(list, at))-2, 0)) + "- "
	}
	return diag.Edit{Text: doc.Text, Span: diag.Span{Start: before.Start, End: before.Start}, New: text}, true
}

// textForMap reports a value that is the text of a map or list.
func (r *Run) textForMap(doc *scenario.Document, operation map[string]any, at int, consequence string) {
	path := fmt.Sprintf("spec.patch[%d].value", at)
	text, _ := operation["value"].(string)
	var parsed any
	f := diag.Fix{}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if json.Unmarshal([]byte(trimmed), &parsed) == nil {
			edit, ok := doc.Rewrite(path, trimmed)
			f = fix("Write "+trimmed+" without quotes", edit, ok)
		}
	}
	r.add(doc, codes.WebhookPatch, path, doc.Locate(path),
		fmt.Sprintf("operation %d of the webhook's patch sets %s to a text%s", at+1, operation["path"], consequence),
		"The field is a map or a list. In the webhook, set the value as JSON. Do not encode it as a string.", f)
}

// unreadable is what the decoder says of a value of another type.
var unreadable = lazy.Regexp{Text: `cannot unmarshal (\w+) into Go struct field [\w.]*?\.([\w.\[\]]+) of type ([\w.\[\]*]+)`}

// wrongType reports the operation that writes a value which its field cannot hold.
func (r *Run) wrongType(s *report.Step, doc *scenario.Document, operations []map[string]any) {
	m := unreadable.FindStringSubmatch(s.Error)
	if m == nil {
		return
	}
	field := m[2][strings.LastIndexByte(m[2], '.')+1:]
	for i, operation := range operations {
		pointer, _ := operation["path"].(string)
		steps := strings.Split(pointer, "/")
		if !strings.Contains(pointer+"/", "/"+field+"/") {
			continue
		}
		value := operation["value"]
		text, isText := value.(string)
		if isText && (strings.HasPrefix(m[3], "map[") || strings.HasPrefix(m[3], "[]")) && steps[len(steps)-1] == field {
			r.textForMap(doc, operation, i, "")
			return
		}
		path := fmt.Sprintf("spec.patch[%d].value", i)
		f := diag.Fix{}
		switch {
		case isText && m[1] == "string":
			edit, ok := doc.Rewrite(path, text)
			f = fix("Write "+text+" without quotes", edit, ok && text != "")
		case !isText && m[3] == "string":
			written := scenario.Quoted(fmt.Sprint(value))
			edit, ok := doc.Rewrite(path, written)
			f = fix("Write "+written, edit, ok)
		}
		r.add(doc, codes.WebhookPatch, path, doc.Locate(path),
			fmt.Sprintf("operation %d of the webhook's patch sets %s to a %s; the field is a %s", i+1, pointer, m[1], strings.TrimPrefix(m[3], "*")),
			"The server cannot read the patched object.", f)
		return
	}
}
