package builtin

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Problem is a mistake in a field, in the server's words.
type Problem struct {
	// Field is the path as the server writes it, Message its text.
	Field, Message string
}

// versions are an object to check and what it was.
type versions struct {
	// now is the object, sent what the request had before the mutations.
	now, sent map[string]any
	// old is the object that an update replaces, or nil.
	old map[string]any
}

// fieldProblems are the mistakes that the checks of a kind find, and the fields that only a
// sketch of an object may lack. What was wrong before an update is left alone, since some
// kinds are checked again and others are not.
func fieldProblems(checks *catalog.Checks, of versions) (problems []Problem, lacking []string) {
	var at [16]place
	f := finder{checks: checks.List, sent: of.sent, update: of.old != nil, at: at[:0]}
	// In the order of the walk: all that is wrong with an item of a list comes before the
	// next item, as in the server.
	f.walk(checks.Below, of.now, of.old)
	return f.found, f.lacking
}

// finder looks for what the checks of a kind are about.
type finder struct {
	checks []catalog.Check
	sent   map[string]any
	update bool
	// at leads to the present place. It becomes a path when something is wrong there.
	at      []place
	found   []Problem
	lacking []string
}

// place is a field, or an item of a list where the field is empty.
type place struct {
	field string
	item  int
}

// walk follows the steps below an object and, beside it, below the one that was at the
// same place before.
func (f *finder) walk(below []*catalog.CheckPlace, parent, was map[string]any) {
	for _, p := range below {
		f.at = append(f.at, place{field: p.Field})
		f.reach(p, p.Lists, parents{parent, was}, parent[p.Field], was[p.Field])
		f.at = f.at[:len(f.at)-1]
	}
}

// parents are the object with a field, and the one that was there before.
type parents struct{ now, was map[string]any }

// reach goes into the lists of a step, asks, and goes on below.
func (f *finder) reach(p *catalog.CheckPlace, lists int, in parents, value, before any) {
	if lists == 0 {
		for _, check := range p.Here {
			f.ask(check, in, value, before)
		}
		if parent, ok := value.(map[string]any); ok {
			was, _ := before.(map[string]any)
			f.walk(p.Below, parent, was)
		}
		return
	}
	list, _ := value.([]any)
	was, _ := before.([]any)
	for i, item := range list {
		var oldItem any
		if i < len(was) {
			oldItem = was[i]
		}
		f.at = append(f.at, place{item: i})
		f.reach(p, lists-1, in, item, oldItem)
		f.at = f.at[:len(f.at)-1]
	}
}

// ask puts the question of a check to one value.
func (f *finder) ask(check int, in parents, value, before any) {
	c := &f.checks[check]
	if f.update && !c.Update || !f.update && c.Name == catalog.Fixed {
		return
	}
	if f.update && same(value, before) && (c.Name != catalog.NotLess || same(in.now[c.Detail], in.was[c.Detail])) {
		return
	}
	wrong := false
	switch c.Name {
	case catalog.Required:
		wrong = isMissing(value) || c.Zero && value == int64(0)
		if wrong && c.Sketch && isMissing(reached(f.sent, c.Path)) {
			f.lacking = append(f.lacking, f.path().String())
			return
		}
	case catalog.Enum:
		text, ok := value.(string)
		wrong = ok && text != "" && !slices.Contains(c.Values, text)
	case catalog.Min, catalog.Max, catalog.NotLess:
		wrong = outside(c, in.now, &value)
	case catalog.MaxItems:
		list, _ := value.([]any)
		wrong, value = int64(len(list)) > c.Bound, int64(len(list))
	case catalog.MaxLength:
		text, _ := value.(string)
		wrong = int64(len(text)) > c.Bound
	case catalog.Format:
		text, ok := value.(string)
		wrong = ok && text != "" && len(formats[c.Detail](text)) > 0
	case catalog.Fixed:
		wrong = before != nil && (value != nil || c.Zero && !isMissing(before))
		value = orEmpty(value, before)
	case catalog.Unique:
		f.repeated(check, value)
	}
	if wrong {
		f.add(check, f.path(), value)
	}
}

// reached is the value at a path without lists, or nil.
func reached(object map[string]any, path []catalog.CheckStep) any {
	var value any = object
	for _, step := range path {
		parent, _ := value.(map[string]any)
		value = parent[step.Field]
	}
	return value
}

// same reports whether a value is the one from before. A list that is empty and one that is
// not there are the same to the server.
func same(value, before any) bool {
	a, isMap := value.(map[string]any)
	b, wasMap := before.(map[string]any)
	if !isMap || !wasMap {
		return reflect.DeepEqual(value, before)
	}
	empty := func(_ string, v any) bool { return isMissing(v) }
	a, b = maps.Clone(a), maps.Clone(b)
	maps.DeleteFunc(a, empty)
	maps.DeleteFunc(b, empty)
	return reflect.DeepEqual(a, b)
}

// orEmpty is a value, or what the server has in its place when a text or number was left out.
func orEmpty(value, before any) any {
	if value != nil {
		return value
	}
	switch before.(type) {
	case string:
		return ""
	case int64:
		return int64(0)
	}
	return nil
}

// isMissing reports whether the server sees no value: what a Go field has by
// itself.
func isMissing(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == "" || isList && len(list) == 0
}

// outside reports whether a number breaks a bound, which may be a number beside it.
func outside(c *catalog.Check, beside map[string]any, value *any) bool {
	if *value == nil && c.Zero {
		*value = int64(0)
	}
	n, ok := (*value).(int64)
	switch c.Name {
	case catalog.Min:
		return ok && n < c.Bound
	case catalog.NotLess:
		other, isNumber := beside[c.Detail].(int64)
		return ok && isNumber && n < other
	}
	return ok && n > c.Bound
}

// repeated finds the items of a list that came before.
func (f *finder) repeated(check int, value any) {
	list, _ := value.([]any)
	if len(list) < 2 {
		return
	}
	key := f.checks[check].Detail
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		if key != "" {
			m, _ := item.(map[string]any)
			item = m[key]
		}
		text, ok := item.(string)
		if !ok || text == "" {
			continue
		}
		if seen[text] {
			path := f.path().Index(i)
			if key != "" {
				path = path.Child(key)
			}
			f.add(check, path, text)
		}
		seen[text] = true
	}
}

// path is the present place, as the server writes it.
func (f *finder) path() *field.Path {
	var path *field.Path
	for _, p := range f.at {
		if p.field != "" {
			path = path.Child(p.field)
		} else {
			path = path.Index(p.item)
		}
	}
	return path
}

// add notes a mistake. It is left out when its text is not known for the value.
func (f *finder) add(check int, at *field.Path, value any) {
	message := f.checks[check].Message
	object, _ := value.(map[string]any)
	switch text, isText := value.(string); {
	case isText:
		message = strings.Replace(message, "%s", fmt.Sprintf("%q", text), 1)
	case strings.Contains(message, "%{"):
		var ok bool
		if message, ok = withTexts(message, object); !ok {
			return
		}
	default:
		raw, err := inOrder(value)
		if err != nil {
			return // it was decoded from JSON
		}
		message = strings.Replace(message, "%s", string(raw), 1)
	}
	f.found = append(f.found, Problem{at.String(), message})
}

// inOrder is the JSON of a value; that of a selector has its parts in the order of the type,
// not by name.
func inOrder(value any) ([]byte, error) {
	selector, ok := value.(map[string]any)
	if !ok || selector["matchLabels"] == nil || selector["matchExpressions"] == nil {
		return json.Marshal(value)
	}
	labels, err := json.Marshal(map[string]any{"matchLabels": selector["matchLabels"]})
	if err != nil {
		return nil, err
	}
	expressions, err := json.Marshal(map[string]any{"matchExpressions": selector["matchExpressions"]})
	if err != nil {
		return nil, err
	}
	return append(append(labels[:len(labels)-1], ','), expressions[1:]...), nil
}

// withTexts is a message with the texts of an object in the places of %{path}. It is false
// unless these are all that the object has: how the server writes more is not known.
func withTexts(message string, object map[string]any) (string, bool) {
	var b strings.Builder
	places := 0
	for {
		before, rest, found := strings.Cut(message, "%{")
		b.WriteString(before)
		if !found {
			return b.String(), places == countLeaves(object)
		}
		at, after, _ := strings.Cut(rest, "}")
		var value any = object
		for name := range strings.SplitSeq(at, ".") {
			parent, _ := value.(map[string]any)
			value = parent[name]
		}
		text, ok := value.(string)
		if !ok {
			return "", false
		}
		fmt.Fprintf(&b, "%q", text)
		places++
		message = after
	}
}

// countLeaves is how many values are in an object and the objects in it.
func countLeaves(object map[string]any) int {
	n := 0
	for _, value := range object {
		if inner, ok := value.(map[string]any); ok {
			n += countLeaves(inner)
		} else {
			n++
		}
	}
	return n
}

// formats are the rules of texts, by the names that the checks give them.
var formats = map[string]func(string) []string{
	"dns1123label":     validation.IsDNS1123Label,
	"dns1123subdomain": validation.IsDNS1123Subdomain,
	"dns1035label":     validation.IsDNS1035Label,
	"qualifiedname":    func(s string) []string { return validation.IsQualifiedName(s) },
	"configmapkey":     validation.IsConfigMapKey,
	"httpheader":       validation.IsHTTPHeaderName,
}
