package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Fields reads a document's mapping strictly, field by field. A wrong type or an unknown field
// becomes a diagnostic with its place. Read every known field, then call Done.
type Fields struct {
	doc   *Document
	value map[string]any
	// parent has the mapping in its field name; nil for the document.
	parent *Fields
	name   string
	known  []string
	// present counts the known fields that are set.
	present int
	all     bool // every field is known
	// spare is the list of a finished nested mapping, for reuse.
	spare []string
	diags *[]diag.Diagnostic
}

// NewFields reads the document's top-level fields. It appends diagnostics to diags.
func NewFields(d *Document, diags *[]diag.Diagnostic) *Fields {
	return &Fields{doc: d, value: d.Value, diags: diags}
}

// path is the mapping's field path.
func (f *Fields) path() fieldpath.Path {
	if f.parent == nil {
		return nil
	}
	return f.parent.path().Child(f.name)
}

// Path returns the field path of one of the mapping's fields.
func (f *Fields) Path(name string) string { return f.path().Child(name).String() }

// Has reports whether the field is set and not null.
func (f *Fields) Has(name string) bool { return f.value[name] != nil }

// Is reports whether the field is a string with that value, in upper or lower case. It does not count as
// reading the field.
func (f *Fields) Is(name, value string) bool {
	text, _ := f.value[name].(string)
	return strings.EqualFold(text, value)
}

// Report adds a diagnostic about a field's value. An empty name means the mapping itself.
func (f *Fields) Report(severity diag.Severity, code, name, summary, detail string) {
	path := f.path().String()
	if name != "" {
		path = f.Path(name)
	}
	f.ReportAt(severity, code, path, summary, detail)
}

// ReportAt is Report with the field's full path in the document.
func (f *Fields) ReportAt(severity diag.Severity, code, path, summary, detail string) {
	*f.diags = append(*f.diags, diag.Diagnostic{
		Code: code, Severity: severity, Text: f.doc.Text, Span: f.doc.Locate(path), Path: path, Summary: summary, Detail: detail,
	})
}

// get marks a field as known and returns its value. Null counts as absent, as for the API server.
func (f *Fields) get(name string) any {
	f.know(name)
	return f.value[name]
}

// know marks a field as known.
func (f *Fields) know(name string) {
	if f.known == nil {
		f.known = make([]string, 0, max(len(f.value), 4))
	}
	if slices.Contains(f.known, name) {
		return
	}
	f.known = append(f.known, name)
	if _, ok := f.value[name]; ok {
		f.present++
	}
}

func (f *Fields) wrong(path, want string, got any) {
	f.ReportAt(diag.Error, codes.WrongType, path, fmt.Sprintf("%s must be %s, not %s", path, want, describe(got)), "")
	if want != aString {
		return
	}
	// The most common cause is YAML 1.1, which reads no, on and 1.30 as something other than a
	// string.
	if m, ok := f.doc.Scalar(path); ok && m.Text != "" {
		d := &(*f.diags)[len(*f.diags)-1]
		d.Detail = fmt.Sprintf("YAML reads %s without quotes as %s.", m.Text, describe(got))
		d.Fixes = []diag.Fix{{Title: "Put it in quotes", Edits: []diag.Edit{{Text: f.doc.Text, Span: m.Span, New: quoted(m.Text)}}}}
	}
}

// rewritten adds a fix with another value to the last problem.
func (f *Fields) rewritten(path, title, value string) {
	if edit, ok := f.doc.Rewrite(path, value); ok {
		d := &(*f.diags)[len(*f.diags)-1]
		d.Fixes = []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
	}
}

const aString = "a string"

// String reads a string; "" if absent.
func (f *Fields) String(name string) string {
	v := f.get(name)
	s, ok := v.(string)
	if v != nil && !ok {
		f.wrong(f.Path(name), aString, v)
	}
	return s
}

// OneOf reads a string that, if present, must be one of the given words.
func (f *Fields) OneOf(name string, words ...string) string {
	s := f.String(name)
	if s == "" || slices.Contains(words, s) {
		return s
	}
	f.Report(diag.Error, codes.UnknownValue, name, fmt.Sprintf("%s is not %s", quoted(s), alternatives(words)), suggestion(s, words))
	if best := suggest.OneOf(words, s); best != "" {
		f.rewritten(f.Path(name), "Change to "+best, best)
	}
	return ""
}

// ReadAs warns that a field is read as another value, with the edit that writes that value.
func (f *Fields) ReadAs(name, value, summary, detail string) {
	f.know(name)
	f.Report(diag.Warning, codes.UnknownValue, name, summary, detail)
	f.rewritten(f.Path(name), "Change to "+value, value)
}

// Bool reads a boolean; nil if absent.
func (f *Fields) Bool(name string) *bool {
	v := f.get(name)
	b, ok := v.(bool)
	if v == nil {
		return nil
	}
	if !ok {
		f.wrong(f.Path(name), "true or false", v)
		return nil
	}
	return &b
}

// Truth reads a boolean; false if absent.
func (f *Fields) Truth(name string) bool {
	b := f.Bool(name)
	return b != nil && *b
}

// Strings reads a list of strings.
func (f *Fields) Strings(name string) []string {
	v := f.get(name)
	list, ok := v.([]any)
	if v != nil && !ok {
		f.wrong(f.Path(name), "a list of strings", v)
		if s, ok := v.(string); ok && s != "" {
			f.rewritten(f.Path(name), "Make it a list", "["+Scalar(s)+"]")
		}
	}
	var out []string
	for i, item := range list {
		s, ok := item.(string)
		if !ok {
			f.wrong(f.path().Child(name).Index(i).String(), aString, item)
			continue
		}
		out = append(out, s)
	}
	return out
}

// someOf reads a list of strings from the given words. It reports and drops all others.
func (f *Fields) someOf(name string, words ...string) []string {
	var out []string
	given, _ := f.value[name].([]any)
	for _, s := range f.Strings(name) {
		if slices.Contains(words, s) {
			out = append(out, s)
			continue
		}
		f.ReportAt(diag.Error, codes.UnknownValue, f.path().Child(name).Index(slices.Index(given, any(s))).String(), fmt.Sprintf("%s is not %s", quoted(s), alternatives(words)), suggestion(s, words))
	}
	return out
}

// Map reads a mapping unchanged; nil if absent.
func (f *Fields) Map(name string) map[string]any {
	v := f.get(name)
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		f.wrong(f.Path(name), "an object", v)
	}
	return m
}

// Any reads a value of any type.
func (f *Fields) Any(name string) any { return f.get(name) }

// Sub reads a nested mapping strictly; an empty one if absent.
func (f *Fields) Sub(name string) *Fields {
	sub := &Fields{doc: f.doc, parent: f, name: name, value: f.Map(name), diags: f.diags, known: f.spare}
	f.spare = nil
	return sub
}

// Names lists the mapping's fields in alphabetical order and marks all of them as known. It is for
// mappings whose keys are data.
func (f *Fields) Names() []string {
	names := slices.Sorted(maps.Keys(f.value))
	f.all = true
	return names
}

// Done reports every field that was not read. Call it last.
func (f *Fields) Done() {
	if f.parent != nil {
		defer func() { f.parent.spare = f.known[:0] }()
	}
	if f.all || f.present == len(f.value) {
		return
	}
	known := slices.Sorted(slices.Values(f.known))
	for _, name := range slices.Sorted(maps.Keys(f.value)) {
		if slices.Contains(known, name) {
			continue
		}
		path := f.Path(name)
		d := diag.Diagnostic{
			Code: codes.UnknownField, Severity: diag.Error, Text: f.doc.Text, Span: f.doc.LocateKey(path), Path: path,
			Summary: fmt.Sprintf("unknown field %s", quoted(path)),
			Detail:  suggestion(name, known),
		}
		if near, ok := suggest.Of(known, name); ok {
			d.Fixes = []diag.Fix{{Title: "Change to " + near, Edits: []diag.Edit{{Text: f.doc.Text, Span: d.Span, New: near}}}}
		}
		*f.diags = append(*f.diags, d)
	}
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// alternatives lists words for a sentence: "a", "b" or "c". It does not list many.
func alternatives(words []string) string {
	if len(words) > 10 {
		return "one of the known ones" // the message lists them separately
	}
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quoted(w)
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func suggestion(word string, words []string) string {
	if near, ok := suggest.Of(words, word); ok {
		return fmt.Sprintf("Did you mean %s?", quoted(near))
	}
	words = slices.Clone(words)
	slices.Sort(words)
	return "Known are " + strings.Join(words, ", ") + "."
}
