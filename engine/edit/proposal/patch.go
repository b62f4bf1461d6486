package proposal

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// jsonPatch writes a JSONPatch expression for a change, so that it holds for
// other objects too: parents that an object may lack are made first, list items
// are found by name, and what is there already is not added again.
func jsonPatch(t *catalog.Type, before, after map[string]any) string {
	g := &patching{root: t, made: map[string]bool{}}
	operations := wholeLists(t, before, after, diff.Objects(before, after))
	g.structure(before, operations)
	var current any = before
	for i, op := range operations {
		g.operation(current, i, op)
		current = step(current, fieldpath.Pointer(op.Path), op)
	}
	return g.String()
}

// patching collects operations in groups that share a condition.
type patching struct {
	root   *catalog.Type
	groups []group
	// made are the conditions under which parents have been made already.
	made map[string]bool
	// appends are the operations that add at the end of a list.
	appends map[int]bool
	// moving counts, by the pointer of a list, what is put in or taken out
	// before its end: positions behind it change.
	moving map[string]int
}

// group is a list of operations. unless and when are CEL conditions; one of
// them is set at most.
type group struct {
	unless, when string
	operations   []code
}

func (g *patching) String() string {
	var lines []string
	for _, one := range g.groups {
		c := code{open: "[", close: "]"}
		for _, op := range one.operations {
			c.parts = append(c.parts, part{code: op})
		}
		switch {
		case one.unless != "":
			c.open, c.close = one.unless+" ? [] : [", "]"
		case one.when != "":
			c.open, c.close = one.when+" ? [", "] : []"
		}
		if len(g.groups) > 1 && c.open != "[" {
			c.open, c.close = "("+c.open, c.close+")"
		}
		lines = append(lines, c.String())
	}
	return strings.Join(lines, " +\n")
}

func (g *patching) add(unless, when string, op code) {
	if last := len(g.groups) - 1; last >= 0 && g.groups[last].unless == unless && g.groups[last].when == when {
		g.groups[last].operations = append(g.groups[last].operations, op)
		return
	}
	g.groups = append(g.groups, group{unless, when, []code{op}})
}

// wholeLists replaces lists of plain values as a whole where items are put in or
// taken out in the middle: their order means something, unless they are sets.
func wholeLists(t *catalog.Type, before, after map[string]any, operations []report.PatchOperation) []report.PatchOperation {
	g := &patching{root: t}
	g.structure(before, operations)
	var out []report.PatchOperation
	for _, op := range operations {
		list := parentOf(op.Path)
		keys := fieldpath.Pointer(list)
		old, _ := lookup(before, keys).([]any)
		final, isList := lookup(after, keys).([]any)
		if g.moving[list] == 0 || !isList || !plainValues(old) || !plainValues(final) || g.walk(before, keys, list).associative() {
			out = append(out, op)
			continue
		}
		if len(out) == 0 || out[len(out)-1].Path != list {
			out = append(out, report.PatchOperation{Op: "replace", Path: list, Value: final})
		}
	}
	return out
}

func plainValues(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return scalarOf(v) == nil })
}

// structure finds out which operations append to lists and which move items.
func (g *patching) structure(before map[string]any, operations []report.PatchOperation) {
	g.appends, g.moving = map[int]bool{}, map[string]int{}
	var current any = before
	for i, op := range operations {
		keys := fieldpath.Pointer(op.Path)
		if list, ok := lookup(current, keys[:len(keys)-1]).([]any); ok && op.Op != "replace" {
			if op.Op == "add" && keys[len(keys)-1] == strconv.Itoa(len(list)) {
				g.appends[i] = true
			} else {
				g.moving[parentOf(op.Path)]++
			}
		}
		current = step(current, keys, op)
	}
}

func parentOf(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

func lookup(v any, keys []string) any {
	for _, key := range keys {
		switch container := v.(type) {
		case map[string]any:
			v = container[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}

// step is the object after one operation of package diff. Nothing is changed in
// place.
func step(v any, keys []string, op report.PatchOperation) any {
	switch container := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(container)+1)
		maps.Copy(out, container)
		switch {
		case len(keys) > 1:
			out[keys[0]] = step(container[keys[0]], keys[1:], op)
		case op.Op == "remove":
			delete(out, keys[0])
		default:
			out[keys[0]] = op.Value
		}
		return out
	case []any:
		i, err := strconv.Atoi(keys[0])
		if err != nil || i > len(container) {
			return v
		}
		out := slices.Clone(container)
		switch {
		case len(keys) > 1:
			out[i] = step(container[i], keys[1:], op)
		case op.Op == "remove":
			out = slices.Delete(out, i, i+1)
		case op.Op == "add":
			out = slices.Insert(out, i, op.Value)
		default:
			out[i] = op.Value
		}
		return out
	}
	return v
}

// operation writes one operation of the difference.
func (g *patching) operation(current any, i int, op report.PatchOperation) {
	keys := fieldpath.Pointer(op.Path)
	parent := g.walk(current, keys[:len(keys)-1], op.Path)
	last := keys[len(keys)-1]
	if list, ok := parent.value.([]any); ok {
		g.listOperation(parent, list, last, op, g.appends[i])
		return
	}
	field := parent.key(last)
	switch {
	case op.Op == "remove":
		g.add("", and(field.all()...), operationCode("remove", field.where))
	case op.Op == "replace" && !field.mayLack():
		g.add("", and(field.held()...), operationCode("replace", field.where, field.code(op.Value)))
	default:
		g.put(field, op.Value)
	}
}

// put makes a field what it should be, with its parents.
func (g *patching) put(at place, v any) {
	if at.blind {
		g.add("", and(at.held()...), operationCode("add", at.where, at.code(v)))
		return
	}
	if m, ok := v.(map[string]any); ok && len(m) > 0 {
		for _, key := range ordered(m) {
			child := at.key(key)
			g.put(child, m[key])
		}
		return
	}
	if list, ok := v.([]any); ok && len(list) > 0 && at.associative() {
		for _, item := range list {
			g.append(at, item)
		}
		return
	}
	g.parents(at)
	g.add("", and(at.held()...), operationCode("add", at.where, at.code(v)))
}

// parents makes the parents that may be missing.
func (g *patching) parents(at place) {
	if at.parent == nil {
		return
	}
	g.make(*at.parent)
}

// make adds an empty map or list where there is none.
func (g *patching) make(at place) {
	g.parents(at)
	if at.condition == "" || at.item {
		return
	}
	exists := and(at.open()...)
	id := and(at.all()...)
	if g.made[id] {
		return
	}
	g.made[id] = true
	empty := "{}"
	if at.isList() {
		empty = "[]"
	}
	op := operationCode("add", at.where, plain("%s", empty))
	if held := and(at.held()...); held != "" {
		g.add("", held+" && "+not(exists), op)
	} else {
		g.add(exists, "", op)
	}
}

// append adds an item at the end of a list, unless it is there.
func (g *patching) append(list place, item any) {
	list.listed = true
	g.make(list)
	op := operationCode("add", list.where.with(`/-`), value(elemOf(list.t), item, list.structName(item)))
	g.unlessThere(list, item, op)
}

func (g *patching) unlessThere(list place, item any, op code) {
	held := and(list.held()...)
	there := list.contains(item)
	if there == "" {
		g.add("", held, op)
		return
	}
	there = and(append(list.open(), there)...)
	if held == "" {
		g.add(there, "", op)
		return
	}
	g.add("", held+" && "+not(there), op)
}

// listOperation writes an operation on an item of a list that is there.
func (g *patching) listOperation(list place, items []any, key string, op report.PatchOperation, appends bool) {
	switch op.Op {
	case "add":
		if appends {
			if list.blind {
				g.add("", and(list.held()...), operationCode("add", list.where.with("/-"), list.itemCode(op.Value)))
				return
			}
			g.append(list, op.Value)
			return
		}
		// At a position that only this object has.
		insert := operationCode("add", list.where.with("/"+key), list.itemCode(op.Value))
		if list.blind || g.moving[list.pointer] > 1 {
			g.add("", and(list.held()...), insert)
			return
		}
		g.unlessThere(list, op.Value, insert)
	default:
		at := list.index(key, g.moving[list.pointer] <= 1)
		c := operationCode(op.Op, at.where)
		if op.Op == "replace" {
			c = operationCode("replace", at.where, at.code(op.Value))
		}
		g.add("", and(at.held()...), c)
	}
}

// operationCode writes one JSONPatch{}, with a value or without.
func operationCode(op string, path pathCode, value ...code) code {
	c := code{open: "JSONPatch{", close: "}", parts: []part{{"op: ", plain("%s", quote(op))}, {"path: ", plain("%s", path)}}}
	for _, v := range value {
		c.parts = append(c.parts, part{"value: ", v})
	}
	return c
}

func and(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(conditions), func(c string) bool { return c == "" }), " && ")
}

func not(condition string) string {
	if strings.Contains(condition, " && ") || strings.Contains(condition, " in ") {
		return "!(" + condition + ")"
	}
	return "!" + condition
}

// walk follows keys through the object as it is at this point of the patch.
func (g *patching) walk(current any, keys []string, pointer string) place {
	at := place{t: g.root, value: current, access: "object", name: "Object", required: true}
	for i, key := range keys {
		if _, ok := at.value.([]any); ok {
			list := strings.Join(strings.Split(pointer, "/")[:i+1], "/")
			at = at.index(key, g.moving[list] == 0)
			continue
		}
		at = at.key(key)
	}
	at.pointer = strings.Join(strings.Split(pointer, "/")[:len(keys)+1], "/")
	return at
}
