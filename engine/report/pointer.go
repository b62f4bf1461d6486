package report

import "github.com/preadmit/preadmit/engine/internal/text/fieldpath"

// FieldPath converts a PatchOperation's JSON Pointer to a field path: /spec/containers/0/name
// becomes spec.containers[0].name.
func FieldPath(pointer string) string { return fieldpath.FromPointer(pointer).String() }

// Lookup returns the value at a JSON Pointer through maps only. Earlier operations in a patch may
// have moved list items, so a path with an index is ambiguous and not found.
func Lookup(object map[string]any, pointer string) (any, bool) {
	return fieldpath.Lookup(object, pointer)
}
