package foresight

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/assumptions"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// paramFields finds fields that the expressions of a policy read from its params and that a param of the scenario
// does not have: those for which an expression fails, and those that the param has under nearly the same name.
func (f *foresight) paramFields(s *subject) {
	if s.kind == nil || s.binding == nil || s.binding.ParamRef == nil {
		return
	}
	var texts []string
	for _, x := range model.Expressions(s.document.Value) {
		texts = append(texts, x.Text)
	}
	fields := explain.ParamFields(texts)
	for _, d := range slices.Concat(f.Documents[diag.Policies], f.Documents[diag.Cluster]) {
		if !s.refersTo(d) {
			continue
		}
		for _, field := range fields {
			if _, has := fieldpath.New(field.Path...).Get(d.Value); !has {
				f.paramField(s, d, field)
			}
		}
	}
}

// refersTo reports whether a document is a param of the binding.
func (s *subject) refersTo(d *scenario.Document) bool {
	ref := s.binding.ParamRef
	apiVersion, _ := d.Value["apiVersion"].(string)
	if apiVersion != s.kind.APIVersion || d.Kind != s.kind.Kind || ref.Name != "" && d.Name != ref.Name || ref.Namespace != "" && textAt(d.Value, "metadata", "namespace") != ref.Namespace {
		return false
	}
	if ref.Selector == nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector)
	value, _ := fieldpath.New("metadata", "labels").Get(d.Value)
	set := labels.Set{}
	of, _ := value.(map[string]any)
	for key, label := range of {
		set[key], _ = label.(string)
	}
	return err == nil && selector.Matches(set)
}

func textAt(object map[string]any, path ...string) string {
	text := fieldpath.As[string](fieldpath.New(path...).Get(object))
	return text
}

// paramField reports one missing field. It takes the place of the findings about the expressions that fail for it.
func (f *foresight) paramField(s *subject, d *scenario.Document, field explain.ParamField) {
	path := fieldpath.New(field.Path...)
	key, parent := path.Last(), path.Parent()
	fails := func(k diag.Diagnostic) bool {
		return k.Document == s.document.Kind+"/"+s.document.Name && k.Code == codes.FailsWhenMissing && strings.HasSuffix(k.Summary, "no such key: "+key)
	}
	near, isNear := nearKey(d.Value, parent, key, s)
	at := slices.IndexFunc(f.found, fails)
	if at < 0 && !isNear {
		return // it may be missing
	}
	out := diag.Diagnostic{Code: codes.MissingParamField, Severity: diag.Warning, Accepted: true, Text: d.Text, Path: parent.String(), Document: d.Kind + "/" + d.Name,
		Summary: fmt.Sprintf("%s %s has no %s, which policy %s reads", d.Kind, d.Name, path, s.document.Name),
		Detail:  "The expression treats the field as absent, so its value here has no effect."}
	if out.Span = d.LocateKey(out.Path); !d.Has(out.Path) {
		out.Path, out.Span = "metadata.name", d.Locate("metadata.name")
	}
	if at >= 0 {
		first := f.found[at]
		out.Example, out.Detail = first.Example, first.Detail
		out.Related = []diag.Related{{Text: first.Text, Span: first.Span, Path: first.Path, Summary: "this reads it"}}
		f.found = slices.DeleteFunc(f.found, fails)
	}
	if isNear {
		out.Path, out.Span = parent.Child(near).String(), d.LocateKey(parent.Child(near).String())
		if edit, ok := d.Rename(out.Path, key); ok {
			out.Fixes = append(out.Fixes, diag.Fix{Title: fmt.Sprintf("Rename %s to %s", near, key), Edits: []diag.Edit{edit}})
		}
	} else {
		out.Fixes = f.addedField(s, d, field)
	}
	f.found = append(f.found, out)
}

// nearKey is a key beside a missing one that nothing reads and whose name is nearly the same.
func nearKey(object map[string]any, parent fieldpath.Path, key string, s *subject) (string, bool) {
	fields := fieldpath.As[map[string]any](parent.Get(object))
	var names []string
	for name := range fields {
		if !strings.Contains(string(s.document.JSON()), name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	plain := func(name string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
	}
	if i := slices.IndexFunc(names, func(name string) bool { return plain(name) == plain(key) }); i >= 0 {
		return names[i], true
	}
	return suggest.Of(names, key)
}

// addedField is the fix that adds a field to a param, with a value that the expression can use.
func (f *foresight) addedField(s *subject, d *scenario.Document, field explain.ParamField) []diag.Fix {
	typ, _ := f.Catalog.TypeOf(schema.FromAPIVersionAndKind(s.kind.APIVersion, s.kind.Kind))
	value, ok := assumptions.Fitting(field.Value, typ, field.Path)
	path := fieldpath.New(field.Path...)
	text := fmt.Sprint(value)
	switch v := value.(type) {
	case string:
		text = scenario.Quoted(v)
	case []any, map[string]any:
		return nil
	}
	if !ok {
		return nil
	}
	edit, ok := d.Insert(path.Parent().String(), path.Last(), text)
	return diag.OneEdit(fmt.Sprintf("Add %s: %s", path.Last(), text), edit, ok)
}
