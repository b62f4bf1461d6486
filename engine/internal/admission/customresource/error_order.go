package customresource

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// This file brings errors into an order that is the same every time. The server
// goes through properties in random order; here they are sorted by name.

// inOrder sorts errors about different properties of the same object by the
// names of the properties. Errors about one value, and those of a list, keep
// their order.
func inOrder(list field.ErrorList) field.ErrorList {
	paths := make([][]step, len(list))
	for i, err := range list {
		paths[i] = steps(place(err))
	}
	// An insertion sort: it is stable, and compares only neighbours.
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && after(paths[j-1], paths[j]); j-- {
			list[j-1], list[j] = list[j], list[j-1]
			paths[j-1], paths[j] = paths[j], paths[j-1]
		}
	}
	return list
}

// place is the path of an error. Some have none, and name the field in their
// text: at its end, or in quotes at its beginning.
func place(err *field.Error) string {
	if err.Field != "<nil>" && err.Field != "" {
		return err.Field
	}
	if rest, quoted := strings.CutPrefix(err.Detail, `"`); quoted {
		name, _, _ := strings.Cut(rest, `"`)
		return name
	}
	return err.Detail[strings.LastIndexByte(err.Detail, ' ')+1:]
}

// step is one step of a path: a name or, in brackets, an index or key.
type step struct {
	name    string
	bracket bool
}

func steps(path string) []step {
	var out []step
	for path != "" {
		end := strings.IndexAny(path[1:], ".[")
		part := path
		if end >= 0 {
			part, path = path[:end+1], path[end+1:]
		} else {
			path = ""
		}
		out = append(out, step{strings.Trim(part, ".[]"), strings.HasPrefix(part, "[")})
	}
	return out
}

// after reports whether a belongs behind b: where they part, both have a name,
// and that of a is the later one.
func after(a, b []step) bool {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		return !a[i].bracket && !b[i].bracket && a[i].name > b[i].name
	}
	return false
}
