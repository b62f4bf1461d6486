package install

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// splitPath cuts a field path, as the API server writes it, into steps:
// spec.validations[0].expression gives spec, validations, 0, expression. A
// bracket holds an index, or a map key that may contain dots.
func splitPath(path string) []string {
	var steps []string
	for path != "" {
		if path[0] == '[' {
			inside, rest, _ := strings.Cut(path[1:], "]")
			steps, path = append(steps, inside), strings.TrimPrefix(rest, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(steps, path)
		}
		steps = append(steps, path[:end])
		path = strings.TrimPrefix(path[end:], ".")
	}
	return steps
}

// pathKeys are the steps of a path without the indexes.
func pathKeys(path string) []string {
	return slices.DeleteFunc(splitPath(path), func(step string) bool {
		_, err := strconv.Atoi(step)
		return err == nil
	})
}

// lookup gives the value at a path of an object, nil when there is none.
func lookup(value any, path string) any {
	for _, step := range splitPath(path) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// parentPath is the path less its last step, "" at the top.
func parentPath(path string) string {
	if strings.HasSuffix(path, "]") {
		return path[:strings.LastIndexByte(path, '[')]
	}
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

// lastStep is the last step of a path.
func lastStep(path string) string {
	steps := splitPath(path)
	if len(steps) == 0 {
		return ""
	}
	return steps[len(steps)-1]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
