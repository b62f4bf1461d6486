package fieldpath

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// Created once, because a Replacer builds its tables on first use.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes a key as a JSON Pointer segment (RFC 6901).
func Escape(key string) string { return escaper.Replace(key) }

// Pointer splits a JSON Pointer into its keys. The empty pointer has no keys.
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

// Steps of a path that is not a JSON Pointer: a key in brackets and quotes, a list item, or a name,
// which may contain dots in a path with slashes.
var (
	anyStep     = lazy.Regexp{Text: `\[(?:'([^']*)'|"([^"]*)"|([^\[\]]*))\]|([^./\[\]]+)`}
	slashedStep = lazy.Regexp{Text: `\[(?:'([^']*)'|"([^"]*)"|([^\[\]]*))\]|([^/\[\]]+)`}
)

// AsPointer converts a path in another language's notation to a JSON Pointer: $.spec.items[0],
// spec.a["b.c/d"], /spec/items[0]. A JSON Pointer stays unchanged. So does a path with *, which
// pointers do not have.
func AsPointer(path string) string {
	if strings.Contains(path, "*") {
		return path
	}
	steps := &anyStep
	if strings.HasPrefix(path, "/") {
		if !strings.Contains(path, "[") {
			return path
		}
		steps = &slashedStep
	}
	var b strings.Builder
	for _, m := range steps.FindAllStringSubmatch(strings.TrimPrefix(path, "$"), -1) {
		b.WriteString("/" + Escape(m[1]+m[2]) + m[3] + m[4])
	}
	return b.String()
}

// FromPointer returns the path of a JSON Pointer. It reads a numeric key or "-" as a list index,
// because a pointer does not distinguish them.
func FromPointer(pointer string) Path {
	var out Path
	for _, key := range Pointer(pointer) {
		if isIndex(key) {
			out = out.Key(key)
		} else {
			out = out.Child(key)
		}
	}
	return out
}

// Pointer writes the path as a JSON Pointer.
func (p Path) Pointer() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString("/" + Escape(s.name))
	}
	return b.String()
}

// isIndex reports whether a key is a list index, or "-", the index after the last.
func isIndex(key string) bool {
	_, err := strconv.ParseUint(key, 10, 32)
	return err == nil || key == "-"
}

// ComparePointers orders JSON Pointers by their keys, and list items by index.
func ComparePointers(a, b string) int {
	return slices.CompareFunc(Pointer(a), Pointer(b), func(x, y string) int {
		i, err1 := strconv.Atoi(x)
		j, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return i - j
		}
		return strings.Compare(x, y)
	})
}
