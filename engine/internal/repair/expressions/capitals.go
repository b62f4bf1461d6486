package expressions

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// Spelt is an expression with the fields of object, oldObject and params as their
// types spell them, where it has them with other capitals: object.Spec.Replicas, as Go
// has them. A type that is not known is nil.
func Spelt(expression string, object, params *catalog.Type) string {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	roots := map[string]*catalog.Type{"object": object, "oldObject": object, "params": params}
	var edits []edit
	for i := range d.List {
		if t := roots[d.List[i].Text]; t != nil && d.IsWord(i) && !d.Is(i-1, ".") {
			edits = append(edits, d.speltFrom(i, t)...)
		}
	}
	return d.with(edits...)
}

// speltFrom spells the fields behind a token whose value has a type, through the items
// of lists and the values of maps.
func (d *draft) speltFrom(i int, t *catalog.Type) []edit {
	var edits []edit
	for t != nil {
		switch {
		case d.Is(i+1, "[") && d.Partner[i+1] > 0 && (t.Kind == catalog.List || t.Kind == catalog.Map):
			i, t = d.Partner[i+1], t.Elem
			continue
		case !d.Is(i+1, ".") || t.Kind != catalog.Struct:
			return edits
		}
		i += 2
		if d.Is(i, "?") {
			i++
		}
		if !d.IsWord(i) || d.Is(i+1, "(") {
			return edits
		}
		name := d.List[i].Text
		field := t.Field(name)
		if field == nil {
			if field = sameLetters(t, name); field == nil {
				return edits
			}
			edits = append(edits, edit{d.start(i), d.end(i), field.Name})
		}
		t = field.Type
	}
	return edits
}

// nameOfField is what can be the name of a field in CEL.
var nameOfField = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*$`}

// sameLetters is the one field that differs from a name by its capitals only.
func sameLetters(t *catalog.Type, name string) *catalog.Field {
	var found *catalog.Field
	for _, field := range t.Fields() {
		if strings.EqualFold(field.Name, name) {
			if found != nil {
				return nil
			}
			found = t.Field(field.Name)
		}
	}
	return found
}

// maxBelow is how many objects deep a field is looked for.
const maxBelow = 4

// Below is the way from an object of a type down to a field, and to what is read of
// it: spec.jobTemplate from object for spec.template.spec. It is empty where there is
// none, or more than one as short.
func Below(t *catalog.Type, name string, rest []string) string {
	if t == nil || len(rest) == 0 {
		return ""
	}
	read := strings.Join(append([]string{name}, rest...), ".")
	type place struct {
		path string
		t    *catalog.Type
	}
	level := []place{{"", t}}
	for range maxBelow {
		var next []place
		var found []string
		for _, p := range level {
			if p.t.Kind != catalog.Struct {
				continue
			}
			for _, field := range p.t.Fields() {
				if field.Name == "status" || field.Name == "metadata" || field.Type == nil || field.Type.Kind != catalog.Struct {
					continue
				}
				at := place{p.path + field.Name + ".", field.Type}
				if typeAt(field.Type, read) != nil {
					found = append(found, at.path+name)
				}
				next = append(next, at)
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return ""
			}
			return found[0]
		}
		level = next
	}
	return ""
}
