package builtin

import (
	"encoding/json"
	"fmt"
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
func fieldProblems(checks []catalog.Check, object, old map[string]any) []Problem {
	var out []Problem
	for _, c := range checks {
		if old != nil && !c.Update || old == nil && c.Name == catalog.Fixed {
			continue
		}
		f := finder{check: c, old: old}
		f.walk(c.Path, object, oldValue(old), nil)
		out = append(out, f.found...)
	}
	return out
}

func oldValue(old map[string]any) any {
	if old == nil {
		return nil
	}
	return old
}

// finder looks for what one check is about.
type finder struct {
	check catalog.Check
	old   map[string]any
	found []Problem
}

// walk follows the rest of a path below a value and, beside it, the value that was
// at the same place before.
func (f *finder) walk(rest []catalog.CheckStep, value, before any, at *field.Path) {
	parent, ok := value.(map[string]any)
	if !ok {
		return
	}
	was, _ := before.(map[string]any)
	step := rest[0]
	path := at.Child(step.Field)
	child, oldChild := parent[step.Field], was[step.Field]
	if step.Lists == 0 {
		if len(rest) == 1 {
			f.ask(path, child, oldChild)
		} else {
			f.walk(rest[1:], child, oldChild, path)
		}
		return
	}
	f.items(step.Lists, rest, child, oldChild, path)
}

// items goes into the items of a list.
func (f *finder) items(lists int, rest []catalog.CheckStep, value, before any, at *field.Path) {
	list, _ := value.([]any)
	was, _ := before.([]any)
	for i, item := range list {
		var oldItem any
		if i < len(was) {
			oldItem = was[i]
		}
		path := at.Index(i)
		switch {
		case lists > 1:
			f.items(lists-1, rest, item, oldItem, path)
		case len(rest) == 1:
			f.ask(path, item, oldItem)
		default:
			f.walk(rest[1:], item, oldItem, path)
		}
	}
}

// ask puts the question to one value.
func (f *finder) ask(at *field.Path, value, before any) {
	c := f.check
	if f.old != nil && reflect.DeepEqual(value, before) {
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
		wrong = f.outside(&value)
	case catalog.Format:
		text, ok := value.(string)
		wrong = ok && text != "" && len(formats[c.Detail](text)) > 0
	case catalog.Fixed:
		wrong = value != nil && before != nil
	case catalog.Unique:
		f.repeated(at, value)
	}
	if wrong {
		f.add(at, value)
	}
}

// isMissing reports whether the server sees no value: what a Go field has by
// itself.
func isMissing(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == "" || isList && len(list) == 0
}

// outside reports whether a number breaks a bound.
func (f *finder) outside(value *any) bool {
	if *value == nil && f.check.Zero {
		*value = int64(0)
	}
	n, ok := (*value).(int64)
	if f.check.Name == catalog.Min {
		return ok && n < f.check.Bound
	}
	return ok && n > f.check.Bound
}

// repeated finds the items of a list that came before.
func (f *finder) repeated(at *field.Path, value any) {
	list, _ := value.([]any)
	seen := map[string]bool{}
	for i, item := range list {
		path := at.Index(i)
		if f.check.Detail != "" {
			m, _ := item.(map[string]any)
			item, path = m[f.check.Detail], path.Child(f.check.Detail)
		}
		text, ok := item.(string)
		if !ok || text == "" {
			continue
		}
		if seen[text] {
			f.add(path, text)
		}
		seen[text] = true
	}
}

func (f *finder) add(at *field.Path, value any) {
	text, err := json.Marshal(value)
	if s, ok := value.(string); ok {
		text = fmt.Appendf(nil, "%q", s)
	} else if err != nil {
		return // it was decoded from JSON
	}
	f.found = append(f.found, Problem{at.String(), strings.Replace(f.check.Message, "%s", string(text), 1)})
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
