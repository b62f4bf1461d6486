// Package completion adds the fewest fields with which the API server accepts an incomplete
// object. The server's own validation says which fields are missing and which values
// are valid.
package completion

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// rounds bounds how often the server is asked: what is filled in has fields of its own that are missing.
const rounds = 8

// Object is an object with what it lacks, and where that was put: fields that it did not have, or whose
// value changed, by their paths in the order of the causes. Validate gives the causes of a refusal. It
// is false where the object stays refused, or is rejected for something else than what it lacks.
func Object(t *catalog.Type, object map[string]any, validate func(map[string]any) []metav1.StatusCause) (map[string]any, bool) {
	object = runtime.DeepCopyJSON(object)
	for range rounds {
		causes := validate(object)
		if len(causes) == 0 {
			return object, true
		}
		before := runtime.DeepCopyJSON(object)
		for _, cause := range first(causes) {
			if !fill(t, object, cause) {
				return nil, false
			}
		}
		if reflect.DeepEqual(before, object) {
			return nil, false
		}
	}
	return nil, false
}

// first are the causes to do something about before the server is asked again: what is missing, or one
// of the others, as much follows from one value (a port is the target's, too).
func first(causes []metav1.StatusCause) (out []metav1.StatusCause) {
	for _, cause := range causes {
		if Lacks(cause) || strings.Contains(cause.Message, labelsOfTemplate) {
			out = append(out, cause)
		}
	}
	if out == nil {
		return causes[:1]
	}
	return out
}

var (
	// listed is what a message lists as values.
	listed = lazy.Regexp{Text: `(?:valid|supported) values: "([^"]+)"`}
	// either is a message about two fields of which one must be there.
	either = lazy.Regexp{Text: "either `([a-zA-Z]+)` or"}
)

// labelsOfTemplate is the refusal of a template whose Pods the selector beside it does not find.
const labelsOfTemplate = "`selector` does not match template `labels`"

// absent is how a message names a value that is missing.
var absent = lazy.Regexp{Text: `^(?:Invalid|Unsupported) value: (?:""|null|0)(?:[:,]|$)`}

// Lacks reports whether an object is rejected for a field that it does not have.
func Lacks(cause metav1.StatusCause) bool {
	return cause.Type == metav1.CauseTypeFieldValueRequired || either.MatchString(cause.Message)
}

// fill does something about one cause; it is false where that is not for it to decide.
func fill(t *catalog.Type, object map[string]any, cause metav1.StatusCause) bool {
	path := fieldpath.Parse(cause.Field)
	if len(path) == 0 {
		return false
	}
	if strings.Contains(cause.Message, labelsOfTemplate) {
		return labelTemplate(object, path)
	}
	if found := either.FindStringSubmatch(cause.Message); found != nil {
		path = path.Child(found[1])
	} else if !Lacks(cause) && !absent.MatchString(cause.Message) {
		return false
	}
	of := typeAt(t, path)
	if claimed := path.Parent().Child("requests").Key(path.Last()); of == nil && typeAt(t, claimed) != nil {
		path, of = claimed, typeAt(t, claimed) // the server's path of a claim's storage leaves the word out
	}
	if of == nil {
		return false
	}
	if value, _ := path.Get(object); value != nil && !empty(value) {
		return Lacks(cause) // it is there by now, or it is wrong
	}
	name, _ := untyped.Sub(object, "metadata")["name"].(string)
	return path.Set(object, smallest(of, path.Last(), cause.Message, name))
}

func typeAt(t *catalog.Type, path fieldpath.Path) *catalog.Type {
	var names []string
	for _, step := range path {
		names = append(names, step.Name())
	}
	return t.At(names...)
}

func empty(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Int64:
		return v.Int() == 0
	}
	return false
}

// labelTemplate gives a template the labels that the selector beside it looks for.
func labelTemplate(object map[string]any, labels fieldpath.Path) bool {
	spec := labels.Parent().Parent().Parent()
	selected, _ := spec.Child("selector", "matchLabels").Get(object)
	if selected == nil {
		return true // the selector itself is missing, which is another cause
	}
	wanted, ok := selected.(map[string]any)
	for key, value := range wanted {
		ok = ok && labels.Key(key).Set(object, value)
	}
	return ok
}

// texts are values of fields whose text is not any text.
var texts = map[string]string{
	"image": "registry.example/app:1.0", "schedule": "0 0 * * *", "path": "/", "mountPath": "/data",
	"apiVersion": "apps/v1", "kind": "Deployment",
	"key": "app", "value": "example", "port": "http", "url": "https://example.com",
}

// smallest is a value of a type that is as short as can be.
func smallest(t *catalog.Type, field, message, object string) any {
	if found := listed.FindStringSubmatch(message); found != nil && t.Kind == catalog.String {
		return found[1]
	}
	switch t.Kind {
	case catalog.Struct:
		if t.ID == "meta/v1.LabelSelector" {
			return map[string]any{"matchLabels": map[string]any{"app": label(object)}}
		}
		return map[string]any{}
	case catalog.List:
		return []any{smallest(t.Elem, field, "", object)}
	case catalog.Map:
		return smallestMap(t, object)
	case catalog.Boolean:
		return true
	case catalog.Integer, catalog.Number:
		if strings.HasSuffix(strings.ToLower(field), "port") {
			return int64(80)
		}
		return int64(1)
	case catalog.String:
		if len(t.Enum) > 0 {
			return t.Enum[0]
		}
		if text := texts[field]; text != "" {
			return text
		}
		if field == "name" {
			return "app"
		}
		return "example"
	default:
		return "1"
	}
}

// smallestMap has one entry: of labels, of quantities, or of texts.
func smallestMap(t *catalog.Type, object string) map[string]any {
	if t.Elem != nil && t.Elem.Kind == catalog.String {
		return map[string]any{"app": label(object)}
	}
	return map[string]any{"storage": "1Gi"}
}

// label is a value of a label after the name of an object.
func label(object string) string {
	if object == "" || len(object) > 63 {
		return "app"
	}
	return object
}
