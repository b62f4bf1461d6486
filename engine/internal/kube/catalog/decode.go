package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Problem is a part of an object that the server drops or cannot read.
type Problem struct {
	// Path is the field as the server writes it: spec.containers[0].imagee.
	Path string
	// Unknown says that the type has no such field. Otherwise the value has the wrong type.
	Unknown bool
	// Message is the server's text.
	Message string
}

// SchemeName is where kube-apiserver creates its scheme. Errors about kinds that the scheme does
// not know include it.
const SchemeName = "pkg/api/legacyscheme/scheme.go:30"

// DecodeStrict decodes JSON into a built-in kind's Go type, as the server does with the result of a
// MutatingAdmissionPolicy's JSON patch (semantics §6.6). Unknown and duplicate fields are errors.
// The object is in normal form. Error texts are the server's. For custom resources it only checks
// for duplicate fields.
//
// A document with another kind is decoded as that kind.
func (c *Catalog) DecodeStrict(gvk schema.GroupVersionKind, data []byte) (map[string]any, error) {
	return c.decode(gvk, data, true)
}

// DecodeLenient is DecodeStrict but drops unknown fields silently, as for webhook patches
// (semantics §8.3).
func (c *Catalog) DecodeLenient(gvk schema.GroupVersionKind, data []byte) (map[string]any, error) {
	return c.decode(gvk, data, false)
}

func (c *Catalog) decode(gvk schema.GroupVersionKind, data []byte, strict bool) (map[string]any, error) {
	actual, err := interpret(data, gvk)
	if err != nil {
		return nil, err
	}
	if _, custom := c.crds.versions[gvk]; custom {
		return decodeUnstructured(data, strict)
	}
	t, ok := c.TypeOf(actual)
	if !ok {
		return nil, fmt.Errorf("no kind %q is registered for version %q in scheme %q", actual.Kind, actual.GroupVersion(), SchemeName)
	}
	d := decoder{b: c.builtin, data: string(data), strict: strict}
	v, err := d.run(t)
	if err != nil {
		return nil, err
	}
	if len(d.strictErrors) > 0 {
		return nil, errors.New("strict decoding error: " + strings.Join(d.strictErrors, ", "))
	}
	obj := givenLists(nil).settle(t, false, v).(map[string]any)
	// A patch may have removed them. The Go type knows its kind.
	obj["apiVersion"], obj["kind"] = actual.ToAPIVersionAndKind()
	return obj, nil
}

// Typed reports whether the server has a Go type for a kind. That includes kinds that only
// subresources use, such as Scale. Custom resources are unstructured on the server.
func (c *Catalog) Typed(gvk schema.GroupVersionKind) bool { return c.builtinKind(gvk) }

func (c *Catalog) builtinKind(gvk schema.GroupVersionKind) bool {
	_, ok := c.resources.typeIDs[gvk]
	return ok
}

// interpret reads a document's kind. Missing parts come from fallback.
func interpret(data []byte, fallback schema.GroupVersionKind) (schema.GroupVersionKind, error) {
	var meta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return fallback, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	gv, err := schema.ParseGroupVersion(meta.APIVersion)
	if err != nil {
		return fallback, err
	}
	return completed(gv.WithKind(meta.Kind), fallback), nil
}

// completed fills in a kind's missing parts from fallback, as the server's decoder does.
func completed(kind, fallback schema.GroupVersionKind) schema.GroupVersionKind {
	if kind.Kind == "" {
		kind.Kind = fallback.Kind
	}
	if kind.Version == "" && (kind.Group == "" || kind.Group == fallback.Group) {
		kind.Group, kind.Version = fallback.Group, fallback.Version
	}
	return kind
}

// Normalise converts an object to its kind's normal form and lists what does not fit the type:
// unknown fields and values of the wrong type, which it drops. Custom resources are pruned and
// coerced by their schema.
func (c *Catalog) Normalise(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, []Problem) {
	if v, ok := c.crds.versions[gvk]; ok {
		return v.normalise(c, obj)
	}
	t, ok := c.TypeOf(gvk)
	if !ok {
		return obj, nil
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return obj, []Problem{{Message: err.Error()}}
	}
	d := decoder{b: c.builtin, data: string(data), strict: true, tolerant: true}
	v, err := d.run(t)
	if err != nil {
		d.problems = append(d.problems, Problem{Message: err.Error()})
	}
	return normalise(t, false, v).(map[string]any), d.problems
}

// Read combines DecodeLenient and Normalise for the text of a built-in object. Unknown fields are
// listed. It returns false if anything else is wrong, for example a duplicate key, or if the text
// names another kind.
func (c *Catalog) Read(gvk schema.GroupVersionKind, data []byte) (map[string]any, []Problem, bool) {
	_, custom := c.crds.versions[gvk]
	t, known := c.TypeOf(gvk)
	actual, err := interpret(data, schema.GroupVersionKind{})
	if custom || !known || err != nil || actual != gvk {
		return nil, nil, false
	}
	d := decoder{b: c.builtin, data: string(data), strict: true, tolerant: true}
	v, err := d.run(t)
	if err != nil || slices.ContainsFunc(d.problems, func(p Problem) bool { return !p.Unknown }) {
		return nil, nil, false
	}
	return normalise(t, false, v).(map[string]any), d.problems, true
}

// typeError reports a value that does not fit its Go type, with encoding/json's text.
type typeError struct {
	value    string // "string", "number 1.5", "object"
	goType   string
	inStruct string
	field    string
}

func (e *typeError) Error() string {
	if e.inStruct != "" || e.field != "" {
		return "json: cannot unmarshal " + e.value + " into Go struct field " + e.inStruct + "." + e.field + " of type " + e.goType
	}
	return "json: cannot unmarshal " + e.value + " into Go value of type " + e.goType
}

// decoder reads JSON into a tree (see normalise.go) by the rules of sigs.k8s.io/json, which the
// server uses. Names are case-sensitive. After a value of a wrong type decoding continues. An error
// from a type that decodes itself ends it.
type decoder struct {
	b *builtin
	// data is valid JSON. The tree's strings are slices of it.
	data   string
	pos    int
	strict bool
	// tolerant turns every error into a problem and continues.
	tolerant bool

	saved        error
	strictErrors []string
	problems     []Problem

	// The current place for type errors: the enclosing field names (without indices and map keys)
	// and the struct that has the last one.
	fieldStack []string
	structName string
	// path is the current place for strict errors, with indices and keys.
	path []string
}

// maxStrictErrors limits the unknown or duplicate fields that the server reports.
const maxStrictErrors = 100

// run decodes the whole document into a value of type t.
func (d *decoder) run(t *Type) (any, error) {
	v, err := d.value(t, false, nil)
	if err != nil {
		return nil, err
	}
	return v, d.saved
}

// value decodes the next value. old is the value from an earlier occurrence of the same field.
func (d *decoder) value(t *Type, pointer bool, old any) (any, error) {
	d.skipSpace()
	if t.Kind == Custom {
		return d.custom(t, pointer)
	}
	switch d.data[d.pos] {
	case '{':
		return d.object(t, old)
	case '[':
		return d.array(t)
	}
	return d.literal(t, pointer, old)
}

// custom passes the value to a type that decodes itself.
func (d *decoder) custom(t *Type, pointer bool) (any, error) {
	start := d.pos
	d.skipValue()
	raw := d.data[start:d.pos]
	if pointer && raw == "null" {
		return nil, nil
	}
	v, err := t.codec.decode(d.b, []byte(raw))
	if err != nil {
		err = d.inContext(err)
		if d.tolerant {
			d.problem(err.Error(), false)
			return nil, nil
		}
		return nil, err
	}
	return v, nil
}

func (d *decoder) object(t *Type, old any) (any, error) {
	if t.Kind != Struct && t.Kind != Map {
		d.mismatch("object", t)
		return old, nil
	}
	out := map[string]any{}
	var seen map[string]bool // this occurrence's keys, if out has keys of an earlier one
	if earlier, ok := old.(map[string]any); ok {
		out, seen = earlier, map[string]bool{}
	}
	stack, structName, path := len(d.fieldStack), d.structName, len(d.path)
	d.pos++ // {
	for {
		d.skipSpace()
		if d.data[d.pos] == '}' {
			d.pos++
			return out, nil
		}
		if d.data[d.pos] == ',' {
			d.pos++
			d.skipSpace()
		}
		key := d.readString()
		d.skipSpace()
		d.pos++ // :
		if err := d.member(t, key, out, seen); err != nil {
			return nil, err
		}
		d.fieldStack, d.structName, d.path = d.fieldStack[:stack], structName, d.path[:path]
	}
}

// member decodes the value of an object's key into out.
func (d *decoder) member(t *Type, key string, out map[string]any, seen map[string]bool) error {
	elem, pointer := t.Elem, t.ElemPointer
	var old any
	if t.Kind == Struct {
		f := t.Field(key)
		if f == nil {
			d.strictError("unknown field", key)
			d.skipValue()
			return nil
		}
		elem, pointer, old = f.Type, f.Pointer, out[key]
		if d.b.version.Has(version.EmbeddedFieldNames) {
			d.fieldStack = append(d.fieldStack, f.embedded...)
		}
		d.fieldStack, d.structName = append(d.fieldStack, key), t.goName()
	}
	_, twice := out[key]
	if seen != nil {
		twice, seen[key] = seen[key], true
	}
	if twice {
		d.strictError("duplicate field", key)
	}
	d.push(key)
	v, err := d.value(elem, pointer, old)
	if err != nil {
		return err
	}
	out[key] = v
	return nil
}

func (d *decoder) array(t *Type) (any, error) {
	if t.Kind != List && t.Kind != Bytes {
		d.mismatch("array", t)
		return nil, nil
	}
	elem, pointer := t.Elem, t.ElemPointer
	if t.Kind == Bytes {
		elem = byteType
	}
	out := []any{}
	path := len(d.path)
	d.pos++ // [
	for {
		d.skipSpace()
		switch d.data[d.pos] {
		case ']':
			d.pos++
			if t.Kind == Bytes {
				return bytesOf(out), nil
			}
			return out, nil
		case ',':
			d.pos++
		}
		d.path = append(d.path, "["+strconv.Itoa(len(out))+"]")
		v, err := d.value(elem, pointer, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		d.path = d.path[:path]
	}
}
