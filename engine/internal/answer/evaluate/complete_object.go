package evaluate

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/completion"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// sketched are the ways on with an object that is rejected as it lacks something: to fill that in, and to
// leave the validation out, as people try policies on sketches.
func (e *Evaluation) sketched(status *apierrors.StatusError) []diag.Fix {
	if !slices.ContainsFunc(status.ErrStatus.Details.Causes, completion.Lacks) {
		return nil
	}
	var fixes []diag.Fix
	if edits := e.completed(); edits != nil {
		fixes = append(fixes, diag.Fix{Title: "Complete this object", Edits: edits, Draft: true})
	}
	return append(fixes, diag.Fix{Title: "Check the policies only", Edits: []diag.Edit{}, AdmissionOnly: true})
}

// completed are the edits of the request with which the server accepts a new object; nil where there
// are none that will do.
func (e *Evaluation) completed() []diag.Edit {
	given, a := e.Form.text, &e.Chain.Attributes
	if given == nil || e.Registered == nil || a.Operation != request.Create || a.SubResource != "" {
		return nil
	}
	sent, known := e.Catalog.TypeOf(a.Kind)
	path := ""
	if given.Form != request.Object {
		path = given.ObjectPath
	}
	written := given.Document().Value
	if path != "" {
		value, _ := fieldpath.Parse(path).Get(given.Document().Value)
		written, _ = value.(map[string]any)
	}
	if !known || written == nil {
		return nil
	}
	after, ok := completion.Object(sent, written, e.causes)
	if !ok {
		return nil
	}
	return joined(added(given.Document(), path, written, after))
}

// joined are edits of which those that insert at one place are one: what is deeper comes first.
func joined(edits []diag.Edit) (out []diag.Edit) {
	for _, e := range edits {
		i := slices.IndexFunc(out, func(o diag.Edit) bool { return o.Span == e.Span })
		if i < 0 {
			out = append(out, e)
		} else {
			out[i].New += e.New
		}
	}
	return out
}

// causes is why the server's own validation rejects an object in place of the request's; nil where it
// does not.
func (e *Evaluation) causes(object map[string]any) []metav1.StatusCause {
	a := &e.Chain.Attributes
	tried := maps.Clone(object)
	tried["metadata"] = runtime.DeepCopyJSONValue(a.Object["metadata"])
	tried = e.Catalog.Default(a.Kind, tried)
	s := storage.Storage{Chain: e.Chain, Now: e.Now, Changes: e.Scenario.BeforeValidation, Variant: e.variant, Registry: e.Store.Registry}
	status := s.Refusal(tried)
	switch {
	case status == nil:
		return nil
	case status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0:
		return []metav1.StatusCause{{Message: status.Error()}}
	}
	return status.ErrStatus.Details.Causes
}

// document is what edits of the request are made in.
type document interface {
	Insert(parent, name, value string) (diag.Edit, bool)
	Rewrite(path, value string) (diag.Edit, bool)
}

// added are the edits that make one value of another at a path in the document: fields that are new are
// inserted whole. It is nil where one cannot be made.
func added(d document, path string, before, after any) []diag.Edit {
	switch is := after.(type) {
	case map[string]any:
		if was, ok := before.(map[string]any); ok && len(was) > 0 {
			return addedFields(d, path, was, is)
		}
	case []any:
		if was, ok := before.([]any); ok && len(was) == len(is) {
			return addedItems(d, path, was, is)
		}
	}
	return nil
}

func addedItems(d document, path string, was, is []any) (edits []diag.Edit) {
	for i := range is {
		if reflect.DeepEqual(was[i], is[i]) {
			continue
		}
		inner := added(d, fieldpath.Item(path, i), was[i], is[i])
		if inner == nil {
			return nil
		}
		edits = append(edits, inner...)
	}
	return edits
}

func addedFields(d document, path string, was, is map[string]any) (edits []diag.Edit) {
	fresh := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		former, there := was[key]
		below := fieldpath.Parse(path).Child(key).String()
		switch {
		case !there:
			fresh[key] = is[key]
		case reflect.DeepEqual(former, is[key]):
		case blank(former):
			edit, ok := d.Rewrite(below, oneLine(is[key]))
			if !ok {
				return nil
			}
			edits = append(edits, edit)
		default:
			inner := added(d, below, former, is[key])
			if inner == nil {
				return nil
			}
			edits = append(edits, inner...)
		}
	}
	if len(fresh) == 0 {
		return edits
	}
	edit, ok := insertAll(d, path, fresh)
	if !ok {
		return nil
	}
	return append(edits, edit)
}

// insertAll is one edit that adds fields to a mapping: over several lines, or on one where the mapping
// is written in brackets.
func insertAll(d document, path string, fields map[string]any) (diag.Edit, bool) {
	names := slices.Sorted(maps.Keys(fields))
	first, rest := names[0], map[string]any{}
	for _, name := range names[1:] {
		rest[name] = fields[name]
	}
	value := block(fields[first])
	if len(rest) > 0 {
		value += "\n" + asYAML(rest)
	}
	if edit, ok := d.Insert(path, first, value); ok {
		return edit, true
	}
	value = oneLine(fields[first])
	for _, name := range names[1:] {
		value += ", " + name + ": " + oneLine(rest[name])
	}
	return d.Insert(path, first, value)
}

// blank reports whether a value is one that must be filled in.
func blank(value any) bool {
	v := reflect.ValueOf(value)
	return value == nil || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice || v.Kind() == reflect.String) && v.Len() == 0
}

// block is a value behind its key: over several lines where it has fields or items.
func block(value any) string {
	text := asYAML(value)
	switch value.(type) {
	case map[string]any:
		return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
	case []any:
		return "\n" + text
	}
	return text
}

func asYAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "" // of values that came from YAML
	}
	return strings.TrimRight(string(text), "\n")
}

// oneLine is a value on one line.
func oneLine(value any) string {
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, key+": "+oneLine(value[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range value {
			parts = append(parts, oneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return asYAML(value)
}
