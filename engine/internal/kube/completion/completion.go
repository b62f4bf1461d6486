// Package completion adds the fewest fields with which the API server accepts an incomplete
// object. The server's own validation says which fields are missing and which values
// are valid.
package completion

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

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
// value changed, by their paths in the order of the causes. Validate gives the causes of a rejection. It
// is false where the object stays rejected, or is rejected for something else than what it lacks.
func Object(t *catalog.Type, object map[string]any, validate func(map[string]any) []metav1.StatusCause) (map[string]any, bool) {
	object = runtime.DeepCopyJSON(object)
	f := filler{object: object, kind: t, own: map[string]bool{}}
	for range rounds {
		causes := validate(object)
		if len(causes) == 0 {
			return object, true
		}
		before := runtime.DeepCopyJSON(object)
		for _, cause := range first(causes) {
			if !f.fill(cause) {
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

// labelsOfTemplate is the rejection of a template whose Pods the selector beside it does not find.
const labelsOfTemplate = "`selector` does not match template `labels`"

// absent is how a message names a value that is missing.
var absent = lazy.Regexp{Text: `^(?:Invalid|Unsupported) value: (?:""|null|0)(?:[:,]|$)`}

// Lacks reports whether an object is rejected for a field that it does not have.
func Lacks(cause metav1.StatusCause) bool {
	return cause.Type == metav1.CauseTypeFieldValueRequired || either.MatchString(cause.Message)
}

// filler fills an object of a kind in.
type filler struct {
	object map[string]any
	kind   *catalog.Type
	own    map[string]bool // the paths of the values that it has filled in
}

// fill does something about one cause; it is false where that is not for it to decide.
func (f filler) fill(cause metav1.StatusCause) bool {
	path := fieldpath.Parse(cause.Field)
	if len(path) == 0 {
		return false
	}
	if strings.Contains(cause.Message, labelsOfTemplate) {
		return f.labelTemplate(path)
	}
	lacks := Lacks(cause)
	if found := either.FindStringSubmatch(cause.Message); found != nil {
		path = path.Child(found[1])
	} else if !lacks && !absent.MatchString(cause.Message) && !f.own[path.String()] {
		return false
	}
	of := typeAt(f.kind, path)
	if claimed := path.Parent().Child("requests").Key(path.Last()); of == nil && typeAt(f.kind, claimed) != nil {
		path, of = claimed, typeAt(f.kind, claimed) // the server's path of a claim's storage leaves the word out
	}
	if of == nil {
		return false
	}
	lacks = lacks || strings.HasSuffix(cause.Message, "is required")
	if at, one := f.named(path, of, cause.Message); lacks && one != nil {
		return f.set(at, one, "")
	}
	if value, _ := path.Get(f.object); value != nil && (!empty(value) || f.own[path.String()]) {
		if lacks {
			return true // it is there by now
		}
		if !listed.MatchString(cause.Message) {
			return false // it is wrong
		}
	}
	return f.set(path, of, cause.Message)
}

// set fills the smallest value of a type in.
func (f filler) set(path fieldpath.Path, of *catalog.Type, message string) bool {
	name, _ := untyped.Sub(f.object, "metadata")["name"].(string)
	f.own[path.String()] = true
	return path.Set(f.object, smallest(of, path.Last(), message, name))
}

// anyVolume is the rejection of a volume without a source, which names none of them.
const anyVolume = "must specify a volume type"

// named is the first field that a message names and that is not there, in a structure or in those of its
// fields that are there: one of several that have to be, as of the sources of a volume.
func (f filler) named(path fieldpath.Path, of *catalog.Type, message string) (fieldpath.Path, *catalog.Type) {
	if of.Kind != catalog.Struct {
		return nil, nil
	}
	words := strings.FieldsFunc(message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if strings.HasSuffix(message, anyVolume) {
		words = []string{"csi"}
	}
	for _, field := range of.Fields() {
		if value, _ := path.Child(field.Name).Get(f.object); slices.Contains(words, field.Name) && value == nil {
			return path.Child(field.Name), field.Type
		}
	}
	for _, field := range of.Fields() {
		if value, _ := path.Child(field.Name).Get(f.object); value != nil {
			if at, one := f.named(path.Child(field.Name), field.Type, message); one != nil {
				return at, one
			}
		}
	}
	return nil, nil
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

// labelTemplate gives a template the labels that the selector beside it looks for, and makes that one
// where there is none.
func (f filler) labelTemplate(labels fieldpath.Path) bool {
	selector := labels.Parent().Parent().Parent().Child("selector")
	selected, _ := selector.Get(f.object)
	wanted, ok := selected.(map[string]any)
	if of := typeAt(f.kind, selector); len(wanted) == 0 && of != nil {
		return f.set(selector, of, "")
	}
	if typeAt(f.kind, selector).Kind == catalog.Struct {
		wanted, ok = wanted["matchLabels"].(map[string]any)
	}
	for key, value := range wanted {
		ok = ok && labels.Key(key).Set(f.object, value)
	}
	return ok
}

// texts are values of fields whose text is not any text.
var texts = map[string]string{
	"image": "registry.example/app:1.0", "schedule": "0 0 * * *", "path": "/", "mountPath": "/data",
	"apiVersion": "apps/v1", "kind": "Deployment", "nodeName": "node-1", "controller": "example.com/controller", "driver": "csi.example.com",
	"cidrs": "10.0.0.0/24",
	"key":   "app", "value": "example", "port": "http", "url": "https://example.com",
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
	case catalog.Custom:
		if field == "storage" {
			return "1Gi"
		}
	}
	return "1"
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
