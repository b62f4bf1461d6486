package expect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// Field is a field that an expectation can have at some place.
type Field struct {
	Name string
	// Nested reports whether its value is a mapping or list.
	Nested bool
}

// Fields lists what an expectation can have below a path such as outcome.details or steps[0], in
// the order of the report; all fields of a report for an empty path. It is empty where there are none.
func Fields(path string) []Field {
	t := typeAt(path)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var out []Field
	gotype.EachField(t, func(name string, field reflect.Type) {
		switch element(field).Kind() {
		case reflect.Struct, reflect.Map, reflect.Slice:
			out = append(out, Field{name, true})
		default:
			out = append(out, Field{Name: name})
		}
	})
	return out
}

// Values lists the single values that a report has at a path, each once and as YAML on one line. An index in the
// path stands for any item of its list, since an expectation need not name all of them.
// A place for true or false has both, the report's first.
func Values(r *report.Report, path string) (_ []string, err error) {
	defer guard.Error(&err)
	var found []any
	if r != nil {
		root, err := generic(r)
		if err != nil {
			return nil, err
		}
		found = everyItem([]any{root}, fieldpath.Parse(path))
	}
	if t := typeAt(path); t != nil && t.Kind() == reflect.Bool {
		found = append(found, true, false)
	}
	var out []string
	for _, value := range found {
		switch value.(type) {
		case nil, map[string]any, []any:
			continue
		}
		raw, err := yaml.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("writing a value as YAML: %w", err)
		}
		text := strings.TrimSuffix(string(raw), "\n")
		if strings.Contains(text, "\n") {
			text = Shown(value)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, nil
}

// everyItem follows a path from each value, into all items of a list at each index.
func everyItem(values []any, path fieldpath.Path) []any {
	for _, step := range path {
		var next []any
		for _, value := range values {
			switch value := value.(type) {
			case []any:
				next = append(next, value...)
			case map[string]any:
				if child, ok := value[step.Name()]; ok {
					next = append(next, child)
				}
			}
		}
		values = next
	}
	return values
}

// typeAt returns the type of a report's field, or nil if there is no such field.
func typeAt(path string) reflect.Type {
	t, ok := gotype.TypeAt(reflect.TypeFor[report.Report](), fieldpath.Parse(path))
	if !ok {
		return nil
	}
	return element(t)
}

// element returns the type that a pointer points to.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
