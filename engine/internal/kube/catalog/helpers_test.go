package catalog_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// splitDocuments splits a multi-document YAML text.
func splitDocuments(text string) []string {
	var out []string
	for _, part := range strings.Split("\n"+text, "\n---") {
		if strings.TrimSpace(part) != "" {
			out = append(out, part)
		}
	}
	return out
}

func mustCatalog(t testing.TB, minor string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.For(version.MustParse(minor))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// differences lists where two values in unstructured form differ, including their types: 1 and 1.0
// differ.
func differences(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := map[string]bool{}
		for _, m := range []map[string]any{want, got} {
			for key := range m {
				keys[key] = true
			}
		}
		var out []string
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			a, inWant := want[key]
			b, inGot := got[key]
			switch {
			case !inGot:
				out = append(out, fmt.Sprintf("%s.%s: missing, want %#v", path, key, a))
			case !inWant:
				out = append(out, fmt.Sprintf("%s.%s: unexpected %#v", path, key, b))
			default:
				out = append(out, differences(path+"."+key, a, b)...)
			}
		}
		return out
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		var out []string
		for i := range want {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
		}
		return out
	}
	if !reflect.DeepEqual(want, got) {
		return []string{fmt.Sprintf("%s: got %#v, want %#v", path, got, want)}
	}
	return nil
}

// missing lists the parts of want that got lacks. got may have more.
func missing(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok {
			break
		}
		var out []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if value, has := m[key]; has {
				out = append(out, missing(path+"."+key, want[key], value)...)
			} else {
				out = append(out, fmt.Sprintf("%s.%s: missing", path, key))
			}
		}
		return out
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			break
		}
		var out []string
		for i := range want {
			out = append(out, missing(fmt.Sprintf("%s[%d]", path, i), want[i], list[i])...)
		}
		return out
	case nil:
		return nil // a null may become another value
	}
	if !reflect.DeepEqual(want, got) {
		return []string{fmt.Sprintf("%s: got %#v, want %#v", path, got, want)}
	}
	return nil
}

// lookup walks to a value; list items by their number.
func lookup(v any, path []string) any {
	for _, step := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// withoutZeros drops empty strings and zeros, which mean unset fields.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if s, isText := value.(string); !(isText && s == "") && !reflect.DeepEqual(value, int64(0)) {
				out[key] = withoutZeros(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutZeros(v[i])
		}
		return out
	}
	return v
}
