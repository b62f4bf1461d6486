// Package completion adds the fewest fields that make the API server accept an incomplete object.
// The server's own validation says which fields are missing and which values are valid.
package completion

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// rounds limits the number of validations: a field that was filled in may have missing fields too.
const rounds = 8

// Object returns an object with its missing fields, and the paths of all added or changed fields,
// in the order of the causes. validate returns a rejection's causes. Object returns false if the
// object stays rejected, or is rejected for another reason than missing fields.
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

// Fill returns an object with the field that one cause says is missing. It returns false if it cannot decide.
func Fill(t *catalog.Type, object map[string]any, cause metav1.StatusCause) (map[string]any, bool) {
	object = runtime.DeepCopyJSON(object)
	f := filler{object: object, kind: t, own: map[string]bool{}}
	return object, f.fill(cause)
}

// first returns the causes to handle before the next validation: all missing fields, or one of the
// others, because much follows from one value (a port is also the target's).
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
	// listed matches the values that a message lists.
	listed = lazy.Regexp{Text: `(?:valid|supported) values: "([^"]+)"`}
	// either matches a message that requires one of two fields.
	either = lazy.Regexp{Text: "either `([a-zA-Z]+)` or"}
)

// labelsOfTemplate matches the rejection of a template whose labels do not match the selector.
const labelsOfTemplate = "`selector` does not match template `labels`"

// absent is a missing value in messages.
var absent = lazy.Regexp{Text: `^(?:Invalid|Unsupported) value: (?:""|null|0)(?:[:,]|$)`}

// Lacks reports whether an object is rejected for a missing field.
func Lacks(cause metav1.StatusCause) bool {
	return cause.Type == metav1.CauseTypeFieldValueRequired || either.MatchString(cause.Message)
}

// filler fills in an object of a kind.
type filler struct {
	object map[string]any
	kind   *catalog.Type
	own    map[string]bool // paths of the values that it has filled in
}

// fill handles one cause. It returns false if it cannot decide.
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
		path, of = claimed, typeAt(f.kind, claimed) // the server's path for a claim's storage omits the word
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
			return true // it exists by now
		}
		if !listed.MatchString(cause.Message) {
			return false // it is invalid
		}
	}
	return f.set(path, of, cause.Message)
}

// set fills in the smallest value of a type.
func (f filler) set(path fieldpath.Path, of *catalog.Type, message string) bool {
	name, _ := untyped.Sub(f.object, "metadata")["name"].(string)
	f.own[path.String()] = true
	value := smallest(of, path.Last(), message, name)
	if item := path.Parent(); path.Last() == "name" && len(item) > 0 && item[len(item)-1].IsIndex() {
		found, _ := item.Parent().Get(f.object)
		if list, _ := found.([]any); len(list) > 1 { // names differ in a list
			n, _ := strconv.Atoi(item.Last()) // it is an index
			own, _ := list[n].(map[string]any)
			value = ItemName(own, list)
		}
	}
	return path.Set(f.object, value)
}

// wellKnownPorts are the usual names of ports.
var wellKnownPorts = map[int64]string{53: "dns", 80: "http", 443: "https"}

// longestPortName is how many characters a port's name may have.
const longestPortName = 15

// ItemName returns a name for an item of a list that no other item of the list has. A port is named after its
// number.
func ItemName(item map[string]any, list []any) string {
	taken := map[any]bool{}
	for _, other := range untyped.Items(list) {
		taken[other["name"]] = true
	}
	base, _ := item["name"].(string)
	port, isPort := item["port"].(int64)
	if !isPort {
		port, isPort = item["containerPort"].(int64)
	}
	if usual := wellKnownPorts[port]; usual != "" && !taken[usual] {
		return usual
	}
	if isPort {
		suffix := "-" + strconv.FormatInt(port, 10)
		base = cmp.Or(base, "port")
		base = strings.TrimRight(base[:min(len(base), longestPortName-len(suffix))], "-") + suffix
		if !taken[base] {
			return base
		}
	}
	base = cmp.Or(base, "app")
	name := base
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// anyVolume matches the rejection of a volume without a source, which names no source.
const anyVolume = "must specify a volume type"

// named returns the first missing field that a message names, in a structure or its existing
// fields. The message lists alternatives, such as a volume's sources.
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

// labelTemplate gives a template the labels that its selector needs, and creates the selector if
// missing.
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

// texts are valid values for string fields with a format.
var texts = map[string]string{
	"image": "registry.example/app:1.0", "schedule": "0 0 * * *", "path": "/", "mountPath": "/data",
	"apiVersion": "apps/v1", "kind": "Deployment", "nodeName": "node-1", "controller": "example.com/controller", "driver": "csi.example.com",
	"cidrs": "10.0.0.0/24",
	"key":   "app", "value": "example", "port": "http", "url": "https://example.com",
}

// smallest returns the shortest value of a type.
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

// smallestMap has one entry with a label, a quantity, or a string.
func smallestMap(t *catalog.Type, object string) map[string]any {
	if t.Elem != nil && t.Elem.Kind == catalog.String {
		return map[string]any{"app": label(object)}
	}
	return map[string]any{"storage": "1Gi"}
}

// label returns a label value derived from the object's name.
func label(object string) string {
	if object == "" || len(object) > 63 {
		return "app"
	}
	return object
}
