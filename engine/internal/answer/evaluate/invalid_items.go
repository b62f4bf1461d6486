package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/completion"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// duplicate names the item of a list that has the value already, and offers another name or to remove the item.
func (e *Evaluation) duplicate(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	item := path
	for len(item) > 0 && !item[len(item)-1].IsIndex() {
		item = item.Parent()
	}
	if !ok || len(item) == 0 {
		return
	}
	list := fieldpath.As[[]any](item.Parent().Get(sent.Value))
	n, _ := strconv.Atoi(item.Last()) // it is an index
	if n >= len(list) {
		return
	}
	same := keysOf(texts[1])
	if below := path[len(item):]; len(below) > 0 {
		own, _ := below.Get(list[n])
		same = func(other any) bool { value, _ := below.Get(other); return reflect.DeepEqual(value, own) }
	}
	first := slices.IndexFunc(list[:n], same)
	if first < 0 {
		return
	}
	twin := item.Parent().Index(first)
	d.Detail = fmt.Sprintf("%s has it already. In this list it must be unique.", twin)
	if keys := describedKeys(texts[1]); keys != "" {
		d.Detail = fmt.Sprintf("%s has the same %s. Items of this list must differ in that.", twin, keys)
	}
	d.Related = []diag.Related{{Text: diag.Request, Span: sent.Document.Locate(sent.Path(twin.String())), Path: sent.Path(twin.String()), Summary: "the first one"}}
	if object, isObject := list[n].(map[string]any); isObject && path.Last() == "name" {
		d.Fixes = set(sent, path, completion.ItemName(object, list))
	}
	if object, isObject := list[n].(map[string]any); isObject && path.Last() != "name" {
		other, _ := list[first].(map[string]any)
		e.identifying(d, item.Parent(), other, object)
	}
	if edit, ok := sent.Document.Remove(sent.Path(item.String())); ok {
		d.Fixes = append(d.Fixes, diag.Fix{Title: "Remove the second one", Edits: []diag.Edit{edit}, Choice: true})
	}
}

// duplicated are the fields of an item that the server says another one has as well; nil for a value that is no
// object. Internal names begin with a capital, and what does not count is empty.
func duplicated(text string) map[string]any {
	var all, fields map[string]any
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	fields = map[string]any{}
	for key, value := range all {
		if value != nil && value != "" && value != 0.0 {
			first := []rune(key)
			first[0] = unicode.ToLower(first[0])
			fields[string(first)] = value
		}
	}
	return fields
}

// keysOf reports whether an item is the same as the one that the server calls a duplicate.
func keysOf(text string) func(item any) bool {
	fields := duplicated(text)
	return func(item any) bool {
		if fields == nil {
			return shown(item) == text
		}
		object, _ := item.(map[string]any)
		for key, value := range fields {
			if own, there := object[key]; there && shown(own) != shown(value) {
				return false // a field that is absent has its default
			}
		}
		return object != nil
	}
}

// describedKeys names the fields in which two items agree.
func describedKeys(text string) string {
	return strings.Join(slices.Sorted(maps.Keys(duplicated(text))), " and ")
}

// unknownVolume names the volumes that a Pod has, where a container mounts another one.
func (e *Evaluation) unknownVolume(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	i := slices.IndexFunc(path, func(s fieldpath.Step) bool { return s.Name() == "volumeMounts" || s.Name() == "volumeDevices" })
	if !ok || i < 3 {
		return
	}
	at := path[:i-2].Child("volumes") // of the Pod: behind it come containers and an index
	value, _ := at.Parent().Get(sent.Value)
	spec, _ := value.(map[string]any)
	var names []string
	for _, v := range untyped.Items(spec["volumes"]) {
		name, _ := v["name"].(string)
		names = append(names, name)
	}
	d.Detail = fmt.Sprintf("%s has no volume %s.", at.Parent(), texts[1])
	if len(names) > 0 {
		d.Detail += " It has " + strings.Join(names, ", ") + "."
	}
	d.Detail += " A container mounts a volume of its Pod by the volume's name."
	if near := suggest.OneOf(names, texts[1]); near != "" {
		d.Fixes = set(sent, path, near)
	}
	d.Fixes = append(d.Fixes, sent.Fix("Add volume "+texts[1]+" as an emptyDir", func(object map[string]any) {
		volumes, _ := spec["volumes"].([]any)
		at.Set(object, append(slices.Clone(volumes), map[string]any{"name": texts[1], "emptyDir": map[string]any{}}))
	})...)
}

// oneOf offers the values that the server lists for a missing field.
func (e *Evaluation) oneOf(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, _ := e.Sent()
	values := suggest.Listed(cause.Message)
	if len(values) > maxAllowed {
		return
	}
	path := fieldpath.Parse(cause.Field)
	for _, value := range values {
		d.Fixes = append(d.Fixes, sent.Fix(fmt.Sprintf("Add %s: %s", path.Last(), value), func(object map[string]any) { path.Set(object, value) })...)
	}
}
