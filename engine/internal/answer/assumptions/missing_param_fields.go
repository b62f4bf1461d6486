package assumptions

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
	"github.com/preadmit/preadmit/engine/report"
)

// paramDocument is a param with the fields that the policy of a step reads, and the place of the
// first of their values: only the reader knows those. The place is empty where it reads none.
func paramDocument(e *evaluate.Evaluation, gvk schema.GroupVersionKind, metadata map[string]any, step *report.Step) (text string, fill diag.Span, err error) {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	head, err := yaml.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata})
	if err != nil {
		return "", fill, err
	}
	typ, _ := e.Catalog.TypeOf(gvk)
	fields, first := map[string]any{}, []string(nil)
	for _, f := range explain.ParamFields(expressionsOf(e, step)) {
		value, ok := fitting(f.Value, typ, f.Path)
		if ok && putField(fields, f.Path, value) && first == nil {
			first = f.Path
		}
	}
	if first == nil {
		return string(head), fill, nil
	}
	rest, err := yaml.Marshal(fields)
	if err != nil {
		return "", fill, err
	}
	return string(head) + string(rest), valueAt(string(rest), first[len(first)-1], len(head)), nil
}

// expressionsOf are the expressions of the policy of a step.
func expressionsOf(e *evaluate.Evaluation, step *report.Step) (texts []string) {
	for _, d := range e.Parsed(diag.Policies) {
		if step != nil && d.Kind == step.Kind && d.Name == step.Policy {
			for _, x := range model.Expressions(d.Value) {
				texts = append(texts, x.Text)
			}
			return texts
		}
	}
	return nil
}

// fitting is a value of the field's type, if it has one that is known; false for a field that holds others.
func fitting(value any, of *catalog.Type, path []string) (any, bool) {
	if of != nil {
		of = of.At(path...)
	}
	if of == nil {
		if value == nil {
			value = "x"
		}
		return value, true
	}
	text, isText := value.(string)
	switch of.Kind {
	case catalog.Integer, catalog.Number:
		if n, ok := value.(int64); ok {
			return n, true
		}
		return int64(1), true
	case catalog.Boolean:
		return true, true
	case catalog.List:
		item, ok := fitting(nil, of.Elem, nil)
		return []any{item}, ok
	case catalog.String, catalog.Custom, catalog.Any:
		switch {
		case isText && text != "":
			return text, true
		case len(of.Enum) > 0:
			return of.Enum[0], true
		}
		return "x", true
	}
	return nil, false
}

// putField sets a field in nested maps; false where another value is in its way.
func putField(in map[string]any, path []string, value any) bool {
	for _, step := range path[:len(path)-1] {
		next, ok := in[step].(map[string]any)
		if in[step] == nil {
			next, ok = map[string]any{}, true
			in[step] = next
		}
		if !ok {
			return false
		}
		in = next
	}
	in[path[len(path)-1]] = value
	return true
}

// valueAt is the place of the value behind a key of a YAML text, without quotes and dashes; offset
// is where the text begins.
func valueAt(text, key string, offset int) diag.Span {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if !ok || strings.Trim(strings.TrimSpace(name), `'"`) != key {
			offset += len(line)
			continue
		}
		if start := offset + len(name) + 1; strings.TrimSpace(value) != "" || i+1 == len(lines) {
			return trimmed(value, start)
		}
		offset += len(line)
		return trimmed(strings.TrimRight(lines[i+1], "\n"), offset)
	}
	return diag.Span{}
}

func trimmed(value string, start int) diag.Span {
	left := strings.TrimLeft(value, ` -"'`)
	start += len(value) - len(left)
	return diag.Span{Start: start, End: start + len(strings.TrimRight(left, `"' `))}
}
