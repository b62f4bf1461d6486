package proposal

import (
	"fmt"
	"strconv"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// literalPatch are operations that are written as they are.
type literalPatch []report.PatchOperation

// expression writes the operations one by one, with no thought of other objects.
func (l literalPatch) expression(t *catalog.Type) string {
	c := code{open: "[", close: "]"}
	for _, op := range l {
		keys := fieldpath.Pointer(op.Path)
		at := t.At(keys...)
		o := code{open: "JSONPatch{", close: "}", parts: []part{{"op: ", plain("%s", quote(op.Op))}}}
		if op.Op == "move" || op.Op == "copy" {
			o.parts = append(o.parts, part{"from: ", plain("%s", staticPath(fieldpath.Pointer(op.From)))})
		}
		o.parts = append(o.parts, part{"path: ", plain("%s", staticPath(keys))})
		if op.Op == "add" || op.Op == "replace" || op.Op == "test" {
			o.parts = append(o.parts, part{"value: ", value(at, op.Value, structName(at, keys, op.Value))})
		}
		c.parts = append(c.parts, part{code: o})
	}
	if len(c.parts) == 0 {
		return "false ? [JSONPatch{}] : []" // an empty list has no type of its own
	}
	return c.String()
}

// notes say where a MutatingAdmissionPolicy treats an operation in another way
// than a webhook's patch (semantics §6.6, §8).
func (l literalPatch) notes() []string {
	var out []string
	for _, op := range l {
		if op.Op == "test" {
			out = append(out, fmt.Sprintf("When the test of %s fails, a policy leaves the object unchanged without an error; a webhook's patch fails with code 500.", op.Path))
		}
	}
	return out
}

// structName is the Object type for a value at a place, empty where it is
// written as a map: lists and maps may not hold Object literals, which crash
// the servers up to 1.36.
func structName(t *catalog.Type, keys []string, v any) string {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 || !isStruct(t, m) {
		return ""
	}
	name := "Object"
	for _, key := range keys {
		if _, err := strconv.Atoi(key); err == nil || key == "-" {
			continue
		}
		if !isField(key) {
			return ""
		}
		name += "." + key
	}
	return name
}

func staticPath(keys []string) pathCode {
	var p pathCode
	for _, key := range keys {
		p = p.withKey(key)
	}
	return p
}
