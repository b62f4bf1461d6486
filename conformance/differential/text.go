package differential

import (
	"regexp"
	"slices"
	"strings"
)

// This file says which texts are the same although they differ.

// sameText compares two texts of the server.
func sameText(a, b string) bool {
	a, b = schemeName.ReplaceAllString(a, "in scheme X"), schemeName.ReplaceAllString(b, "in scheme X")
	return a == b || sameSchemaErrors(a, b)
}

// schemeName is the name of a runtime.Scheme, which Go makes of the place in the
// source where the scheme is created: it depends on how the binary was built.
var schemeName = regexp.MustCompile(`in scheme "[^"]*"`)

// sameSchemaErrors compares errors of structured-merge-diff, which walks over
// Go maps: the order of several errors differs from run to run, and after an
// unknown field it stops, so that one run may tell fewer than another.
func sameSchemaErrors(a, b string) bool {
	const marker = "to typed object: "
	i, j := strings.Index(a, marker), strings.Index(b, marker)
	if i < 0 || i != j || a[:i] != b[:j] {
		return false
	}
	x, y := schemaErrors(a[i+len(marker):]), schemaErrors(b[j+len(marker):])
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < len(y) && !strings.Contains(strings.Join(x, "\n"), "field not declared in schema") {
		return false
	}
	return !slices.ContainsFunc(x, func(e string) bool { return !slices.Contains(y, e) })
}

func schemaErrors(text string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimPrefix(text, "errors:\n"), "\n") {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// SameText says that two texts of the server are the same, but for what is
// random or depends on the build.
func SameText(a, b string) bool { return sameText(a, b) }
