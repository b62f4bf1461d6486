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

// fieldProblems are the mistakes that the checks of a kind find. old is the object
// that an update replaces, or nil: what was wrong before is left alone, since some
// kinds are checked again and others are not.
func fieldProblems(checks *catalog.Checks, object, old map[string]any) []Problem {
	var at [16]place
	f := finder{checks: checks.List, update: old != nil, at: at[:0]}
	// In the order of the walk: all that is wrong with an item of a list comes before the
	// next item, as in the server.
	f.walk(checks.Below, object, old)
	return f.found
}

// finder looks for what the checks of a kind are about.
type finder struct {
	checks []catalog.Check
	update bool
	// at leads to the present place. It becomes a path when something is wrong there.
	at    []place
	found []Problem
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
		f.reach(p, p.Lists, parent[p.Field], was[p.Field])
		f.at = f.at[:len(f.at)-1]
	}
}

// reach goes into the lists of a step, asks, and goes on below.
func (f *finder) reach(p *catalog.CheckPlace, lists int, value, before any) {
	if lists == 0 {
		for _, check := range p.Here {
			f.ask(check, value, before)
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
		f.reach(p, lists-1, item, oldItem)
		f.at = f.at[:len(f.at)-1]
	}
}

// ask puts the question of a check to one value.
func (f *finder) ask(check int, value, before any) {
	c := &f.checks[check]
	if f.update && !c.Update || !f.update && c.Name == catalog.Fixed {
		return
	}
	if f.update && same(value, before) {
		return
	}
	wrong := false
	switch c.Name {
	case catalog.Required:
		wrong = isMissing(value) || c.Zero && value == int64(0)
	case catalog.Enum:
		text, ok := value.(string)
		wrong = ok && text != "" && !slices.Contains(c.Values, text)
	case catalog.Min, catalog.Max:
		wrong = outside(c, &value)
	case catalog.Format:
		text, ok := value.(string)
		wrong = ok && text != "" && len(formats[c.Detail](text)) > 0
	case catalog.Fixed:
		wrong = value != nil && before != nil
	case catalog.Unique:
		f.repeated(check, value)
	}
	if wrong {
		f.add(check, f.path(), value)
	}
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

// isMissing reports whether the server sees no value: what a Go field has by
// itself.
func isMissing(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == "" || isList && len(list) == 0
}

// outside reports whether a number breaks a bound.
func outside(c *catalog.Check, value *any) bool {
	if *value == nil && c.Zero {
		*value = int64(0)
	}
	n, ok := (*value).(int64)
	if c.Name == catalog.Min {
		return ok && n < c.Bound
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

func (f *finder) add(check int, at *field.Path, value any) {
	text, err := json.Marshal(value)
	if selector, ok := value.(map[string]any); ok && selector["matchLabels"] != nil && selector["matchExpressions"] != nil {
		// In the order of the type, not by name.
		labels, _ := json.Marshal(map[string]any{"matchLabels": selector["matchLabels"]})
		expressions, _ := json.Marshal(map[string]any{"matchExpressions": selector["matchExpressions"]})
		text = append(append(labels[:len(labels)-1], ','), expressions[1:]...)
	}
	if s, ok := value.(string); ok {
		text = fmt.Appendf(nil, "%q", s)
	} else if err != nil {
		return // it was decoded from JSON
	}
	f.found = append(f.found, Problem{at.String(), strings.Replace(f.checks[check].Message, "%s", string(text), 1)})
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
