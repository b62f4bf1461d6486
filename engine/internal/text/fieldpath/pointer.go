// Package fieldpath reads and writes the two notations for a place in an
// object: the API server's field paths (spec.containers[0].name) and JSON
// Pointers (RFC 6901: /spec/containers/0/name).
package fieldpath

import (
	"strconv"
	"strings"
)

// Made once: a Replacer builds its tables when it is first used.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes a key as a JSON Pointer segment (RFC 6901).
func Escape(key string) string { return escaper.Replace(key) }

// Pointer splits a JSON Pointer into its keys. The empty pointer has none.
func Pointer(p string) []string {
	if p == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range parts {
		parts[i] = unescaper.Replace(s)
	}
	return parts
}

// FromPointer writes a JSON Pointer as a field path, as people read it:
// metadata.labels["example.com/team"]. A key that is a number is taken for an
// index, because a pointer does not say which it is.
func FromPointer(pointer string) string {
	var b strings.Builder
	for _, key := range Pointer(pointer) {
		switch {
		case isIndex(key):
			b.WriteString("[" + key + "]")
		case key == "" || strings.ContainsAny(key, "./[] \""):
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

// isIndex reports whether a key is the index of a list item, or "-", the place
// after the last one.
func isIndex(key string) bool {
	_, err := strconv.ParseUint(key, 10, 32)
	return err == nil || key == "-"
}

// Lookup is the value at a JSON Pointer that leads through maps only: the number
// of a list item may be that of another one after a change.
func Lookup(object map[string]any, pointer string) (value any, found bool) {
	value = object
	for _, key := range Pointer(pointer) {
		m, _ := value.(map[string]any)
		if value, found = m[key]; !found {
			return nil, false
		}
	}
	return value, object != nil
}
