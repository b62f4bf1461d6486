package report

import "github.com/preadmit/preadmit/engine/internal/text/fieldpath"

// FieldPath writes the JSON Pointer of a PatchOperation as a field path:
// /spec/containers/0/name becomes spec.containers[0].name.
func FieldPath(pointer string) string { return fieldpath.FromPointer(pointer).String() }

// Lookup is the value at a JSON Pointer that leads through maps only. Earlier
// operations of a patch may have moved list items, so a path with an index has
// no certain value and is not found.
func Lookup(object map[string]any, pointer string) (any, bool) {
	return fieldpath.Lookup(object, pointer)
}
