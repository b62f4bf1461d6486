package proposal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// claim says in CEL that one operation of a change has been made.
type claim struct {
	// path is the field as the server writes it, value what is there after the
	// change, as CEL; empty for what is not one value.
	path, value string
	// item is what a list at path must have, or must not.
	item string
	// conditions must all be true; removed says that they must not.
	conditions []string
	removed    bool
}

// expression is the claim as one CEL expression.
func (c claim) expression() string {
	whole := and(c.conditions...)
	if c.removed {
		return "!(" + whole + ")"
	}
	return whole
}

// message says what must be, for the user whose object is rejected.
func (c claim) message() string {
	switch {
	case c.item != "" && c.removed:
		return c.path + " must not have " + c.item
	case c.item != "":
		return c.path + " must have " + c.item
	case c.removed:
		return c.path + " must be absent"
	case c.value != "":
		return c.path + " must be " + c.value
	}
	return c.path + " must be as it is set"
}

// claims are what can be asked of an object to see that a change has been made:
// one for each operation from before to after. left are the paths, as the server
// writes them, of operations that nothing can be asked about, such as items of
// lists whose places change.
func claims(t *catalog.Type, before, after map[string]any) (out []claim, left []string) {
	operations := diff.Objects(before, after)
	g := &patching{root: t}
	g.structure(before, operations)
	for _, op := range single(operations, after) {
		c := g.claim(before, after, op)
		if c.conditions = unique(c.conditions); len(c.conditions) == 0 {
			left = append(left, fieldpath.FromPointer(op.Path).String())
			continue
		}
		out = append(out, c)
	}
	return out, left
}

// single splits operations that set a mapping into those of its fields, so that each
// is asked for by its name. Items of lists stay whole.
func single(operations []report.PatchOperation, after map[string]any) []report.PatchOperation {
	var out []report.PatchOperation
	for _, op := range operations {
		m, isMap := op.Value.(map[string]any)
		keys := fieldpath.Pointer(op.Path)
		if _, inMap := lookup(after, keys[:len(keys)-1]).(map[string]any); !isMap || len(m) == 0 || !inMap {
			out = append(out, op)
			continue
		}
		var fields []report.PatchOperation
		for _, key := range ordered(m) {
			fields = append(fields, report.PatchOperation{Op: op.Op, Path: op.Path + "/" + fieldpath.Escape(key), Value: m[key]})
		}
		out = append(out, single(fields, after)...)
	}
	return out
}

// claim is what can be asked about one operation; no conditions when nothing can.
func (g *patching) claim(before, after map[string]any, op report.PatchOperation) claim {
	keys := fieldpath.Pointer(op.Path)
	last := keys[len(keys)-1]
	c := claim{path: fieldpath.FromPointer(op.Path).String(), removed: op.Op == "remove"}
	object := after
	if c.removed {
		object = before
	}
	parent := g.walk(object, keys[:len(keys)-1], op.Path)
	if parent.blind {
		return c
	}
	if _, isList := parent.value.([]any); isList {
		item := op.Value
		if c.removed {
			item = lookup(before, keys)
		}
		c.conditions = itemThere(parent, item)
		c.path = fieldpath.FromPointer(parentOf(op.Path)).String()
		if field, name, ok := parent.nameOf(item); ok {
			c.item = "an item whose " + field + " is " + quote(name)
		} else if scalarOf(item) != nil {
			c.item = scalar(item).text
		}
		return c
	}
	at := parent.key(last)
	if c.removed {
		c.conditions = at.all()
		return c
	}
	if scalarOf(op.Value) != nil {
		c.value = scalar(op.Value).text
	}
	c.conditions = there(at, op.Value)
	return c
}

// there are the conditions that a value is at a place, outermost first. Of maps
// all entries are asked, of lists all items.
func there(at place, value any) []string {
	out := at.all()
	switch v := value.(type) {
	case map[string]any:
		for _, key := range ordered(v) {
			out = append(out, there(at.key(key), v[key])...)
		}
	case []any:
		at.value, at.listed = v, true
		for _, item := range v {
			out = append(out, itemThere(at, item)...)
		}
	case nil:
	default:
		out = append(out, at.access+" == "+scalar(v).text)
	}
	return out
}

// itemThere are the conditions that a list has an item like this: with the same
// identity, and the same fields of one value. None when nothing identifies it.
func itemThere(list place, item any) []string {
	found := list.contains(item)
	if found == "" {
		return nil
	}
	m, _ := item.(map[string]any)
	if field, name, ok := list.nameOf(item); ok {
		tests := []string{fmt.Sprintf("x.%s == %s", field, quote(name))}
		for _, key := range ordered(m) {
			if key == field || !isField(key) || scalarOf(m[key]) == nil {
				continue
			}
			tests = append(tests, fmt.Sprintf("has(x.%s) && x.%[1]s == %s", key, scalar(m[key]).text))
		}
		found = fmt.Sprintf("%s.exists(x, %s)", list.access, strings.Join(tests, " && "))
	}
	return append(list.all(), found)
}

// unique leaves out empty conditions and those that come again.
func unique(list []string) []string {
	var out []string
	for _, c := range list {
		if c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}
