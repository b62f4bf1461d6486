package proposal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// place is a value in the object: how CEL reaches it, how JSON Patch reaches
// it, and under which conditions it is there.
type place struct {
	parent *place
	t      *catalog.Type
	field  *catalog.Field
	value  any // nil when the object has nothing there
	// access is the CEL expression for it; name the Object type.
	access, name string
	where        pathCode
	// pointer is the JSON pointer in the object, for lists.
	pointer string
	// condition says in CEL that it is there, given that its parent is; empty
	// when it always is.
	condition string
	// item says that it is an item of a list; it cannot be made.
	item bool
	// required says that the parent always has it.
	required bool
	// listed says that it is a list, where there is neither value nor type.
	listed bool
	// blind says that access and conditions would mean another item, because
	// items before it have moved.
	blind bool
}

// key is a field or a map entry.
func (p place) key(key string) place {
	at := place{parent: &p, t: typeOf(p.t, key), field: fieldOf(p.t, key), where: p.where.withKey(key), name: p.name + "." + key, blind: p.blind}
	if m, ok := p.value.(map[string]any); ok {
		at.value = m[key]
	}
	if isField(key) {
		at.access = p.access + "." + key
		at.condition = "has(" + at.access + ")"
	} else {
		at.access = p.access + "[" + quote(key) + "]"
		at.condition = quote(key) + " in " + p.access
		at.name = ""
	}
	if p.t != nil && p.t.Kind == catalog.Map {
		at.name = p.name // maps add no segment
	}
	if at.required = alwaysThere(p, at, key); at.required || at.blind {
		at.condition = ""
	}
	return at
}

// alwaysThere says that every object has a field: structs and lists of built-in
// kinds that Go writes even when they are empty.
func alwaysThere(p, at place, key string) bool {
	if p.parent == nil && key == "metadata" {
		return true
	}
	if p.t == nil || p.t.ID == "" || at.field == nil || at.field.Pointer {
		return false
	}
	switch at.t.Kind {
	case catalog.Struct:
		return true
	case catalog.List, catalog.String:
		return !at.field.OmitEmpty
	}
	return false
}

// index is an item of a list. It is found by its name or value if stable says
// that items have not moved.
func (p place) index(key string, stable bool) place {
	at := place{parent: &p, t: elemOf(p.t), item: true, name: p.name, blind: p.blind}
	items, _ := p.value.([]any)
	if i, err := strconv.Atoi(key); err == nil && i < len(items) {
		at.value = items[i]
	}
	contains := p.contains(at.value)
	if !stable || p.blind || contains == "" || p.count(items, at.value) != 1 {
		at.where, at.access, at.blind = p.where.with("/"+key), p.access+"["+key+"]", true
		return at
	}
	at.condition = contains
	if field, name, ok := p.nameOf(at.value); ok {
		at.access = fmt.Sprintf("%s.filter(x, x.%s == %s)[0]", p.access, field, quote(name))
		at.where = p.where.with("/").dynamic(fmt.Sprintf("string(%s.map(x, x.%s).indexOf(%s))", p.access, field, quote(name)))
		return at
	}
	if scalarOf(at.value) == nil {
		at.where, at.access, at.condition, at.blind = p.where.with("/"+key), p.access+"["+key+"]", "", true
		return at
	}
	at.access = p.access + "[" + key + "]"
	at.where = p.where.with("/").dynamic(fmt.Sprintf("string(%s.indexOf(%s))", p.access, scalar(at.value)))
	return at
}

// contains is the condition that a list has an item like this; empty when
// nothing identifies the item.
func (p place) contains(item any) string {
	switch v := item.(type) {
	case string, int64, bool:
		return scalar(v).text + " in " + p.access
	case map[string]any:
		if field, name, ok := p.nameOf(v); ok {
			return fmt.Sprintf("%s.exists(x, x.%s == %s)", p.access, field, quote(name))
		}
		var tests []string
		for _, key := range p.identity(v) {
			switch v[key].(type) {
			case string, int64:
				tests = append(tests, fmt.Sprintf("has(x.%s) && x.%[1]s == %[2]s", key, scalar(v[key])))
			}
		}
		if len(tests) > 0 {
			return fmt.Sprintf("%s.exists(x, %s)", p.access, strings.Join(tests, " && "))
		}
	}
	return ""
}

// identity are the fields that tell the items of a list apart: the keys of an
// associative list, or else all fields.
func (p place) identity(item map[string]any) []string {
	if keys := mergeKeys(p.field); len(keys) > 0 {
		return keys
	}
	var out []string
	for _, key := range ordered(item) {
		if isField(key) {
			out = append(out, key)
		}
	}
	return out
}

// nameOf is the field that names the items of a list, when all have one: the
// key of an associative list, or name.
func (p place) nameOf(item any) (field, name string, ok bool) {
	field = "name"
	if keys := mergeKeys(p.field); len(keys) == 1 && isField(keys[0]) {
		field = keys[0]
	}
	items, _ := p.value.([]any)
	for _, other := range items {
		m, _ := other.(map[string]any)
		if _, ok := m[field].(string); !ok {
			return "", "", false
		}
	}
	m, _ := item.(map[string]any)
	name, ok = m[field].(string)
	return field, name, ok && name != ""
}

// count says how many items have the same identity.
func (p place) count(items []any, item any) int {
	n := 0
	_, name, named := p.nameOf(item)
	for _, other := range items {
		if _, otherName, ok := p.nameOf(other); named && ok && name == otherName || !named && scalarOf(other) != nil && scalarOf(other) == scalarOf(item) {
			n++
		}
	}
	return n
}

// scalarOf is a value that can be compared; maps and lists are none.
func scalarOf(v any) any {
	switch v.(type) {
	case map[string]any, []any:
		return nil
	}
	return v
}

// held are the conditions that cannot be brought about: that list items, and all
// that leads to them, are there.
func (p place) held() []string {
	for at := &p; at != nil; at = at.parent {
		if at.item {
			return at.all()
		}
	}
	return nil
}

// all are the conditions that it is there, outermost first.
func (p place) all() []string {
	if p.parent == nil {
		return nil
	}
	return append(p.parent.all(), p.condition)
}

// open are those of all that are not held.
func (p place) open() []string { return p.all()[len(p.held()):] }

// mayLack says that it or a parent may be missing and could be made.
func (p place) mayLack() bool {
	return slices.ContainsFunc(p.open(), func(c string) bool { return c != "" })
}

func (p place) isList() bool {
	_, ok := p.value.([]any)
	return ok || p.listed || p.t != nil && p.t.Kind == catalog.List
}

// associative says that a list merges by keys or as a set, so that adding to it
// means adding to what others put there.
func (p place) associative() bool {
	return p.field != nil && (p.field.ListType == "map" || p.field.ListType == "set")
}

func (p place) structName(item any) string {
	m, ok := item.(map[string]any)
	if !ok || len(m) == 0 || p.name == "" || !isStruct(elemOf(p.t), m) {
		return ""
	}
	return p.name
}

func (p place) itemCode(item any) code { return value(elemOf(p.t), item, p.structName(item)) }

func (p place) code(v any) code {
	name := ""
	if m, ok := v.(map[string]any); ok && len(m) > 0 && isStruct(p.t, m) {
		name = p.name
	}
	return value(p.t, v, name)
}

// pathCode is the CEL expression of a JSON pointer: string literals and
// expressions, added up.
type pathCode struct {
	parts []string // CEL, all but the last text
	text  string   // of the literal at the end
}

func (p pathCode) with(text string) pathCode {
	return pathCode{p.parts, p.text + text}
}

// withKey adds a key; what JSON pointers escape is left to the server's own
// function, so that the key stays readable.
func (p pathCode) withKey(key string) pathCode {
	if !strings.ContainsAny(key, "~/") {
		return p.with("/" + key)
	}
	return p.with("/").dynamic("jsonpatch.escapeKey(" + quote(key) + ")")
}

func (p pathCode) dynamic(expression string) pathCode {
	parts := p.parts[:len(p.parts):len(p.parts)]
	if p.text != "" {
		parts = append(parts, quote(p.text))
	}
	return pathCode{parts: append(parts, expression)}
}

func (p pathCode) String() string {
	parts := p.parts[:len(p.parts):len(p.parts)]
	if p.text != "" || len(parts) == 0 {
		parts = append(parts, quote(p.text))
	}
	return strings.Join(parts, " + ")
}
