package catalog

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Normal is a built-in object in normal form. It is unshared except for long lists from the input.
type Normal struct {
	Object map[string]any
	given  givenLists
}

// givenLists are lists shared with the input, by their first items. Defaulting and conversion do
// not change them.
type givenLists map[*any]bool

func (g givenLists) has(list []any) bool { return len(g) > 0 && len(list) > 0 && g[&list[0]] }

// ReadValue is Read for a text's decoded value. It returns false unless the value certainly reads
// without a problem, and for numbers that JSON may have written differently. It does not change the
// object.
func (c *Catalog) ReadValue(gvk schema.GroupVersionKind, object map[string]any) (Normal, bool) {
	return c.readValue(gvk, object, longList)
}

// longList is the list length from which sharing is worth checking.
const longList = 64

func (c *Catalog) readValue(gvk schema.GroupVersionKind, object map[string]any, long int) (Normal, bool) {
	_, custom := c.crds.versions[gvk]
	t, known := c.TypeOf(gvk)
	if custom || !known || KindOf(object, schema.GroupVersionKind{}) != gvk {
		return Normal{}, false
	}
	r := valueReader{b: c.builtin, given: givenLists{}, long: long}
	r.defaults, r.conversions = c.ruleData()
	out, ok := r.object(t, object)
	if !ok {
		return Normal{}, false
	}
	return Normal{out, r.given}, true
}

// valueReader builds the normal form of values that fit their types.
type valueReader struct {
	b                     *builtin
	defaults, conversions *ruleSet
	given                 givenLists
	long                  int // minimum length for shared lists
}

// value returns false for a value that does not, or may not, fit.
func (r *valueReader) value(t *Type, pointer bool, v any) (any, bool) {
	if v == nil {
		return normalise(t, pointer, nil), true
	}
	switch t.Kind {
	case Struct, Map:
		if object, ok := v.(map[string]any); ok {
			return r.object(t, object)
		}
	case List:
		if list, ok := v.([]any); ok {
			return r.list(t, list)
		}
	case Custom:
		return r.custom(t, pointer, v)
	}
	return fitting(t, v)
}

// object returns the normal form of a struct or map.
func (r *valueReader) object(t *Type, in map[string]any) (map[string]any, bool) {
	out := make(map[string]any, len(in))
	if t.Kind == Map {
		for key, v := range in {
			var ok bool
			if out[key], ok = r.value(t.Elem, t.ElemPointer, v); !ok {
				return nil, false
			}
		}
		return out, true
	}
	known := 0
	for _, f := range t.Fields() {
		v, there := in[f.Name]
		if there {
			known++
		} else if f.OmitZero || f.OmitEmpty && isEmpty(f, nil) {
			continue
		}
		normal, ok := r.value(f.Type, f.Pointer, v)
		if !ok {
			return nil, false
		}
		if f.OmitEmpty && isEmpty(f, normal) || f.OmitZero && (v == nil || isZero(f.Type, f.Pointer, normal)) {
			continue
		}
		out[f.Name] = normal
	}
	return out, known == len(in) // the other fields are unknown
}

func (r *valueReader) list(t *Type, in []any) (any, bool) {
	if len(in) >= r.long && staying[t.Elem.ID] && r.b.settled.has(r, t, in) {
		r.given[&in[0]] = true
		return slices.Clip(in), true // appending must not overwrite another list's items
	}
	out := make([]any, len(in))
	for i, v := range in {
		var ok bool
		if out[i], ok = r.value(t.Elem, t.ElemPointer, v); !ok {
			return nil, false
		}
	}
	return out, true
}

// custom returns the normal form of a value whose type decodes itself, for strings and numbers with
// only one JSON form.
func (r *valueReader) custom(t *Type, pointer bool, v any) (any, bool) {
	switch v := v.(type) {
	case string:
	case int64:
		if v == 0 {
			return nil, false // or was it -0?
		}
	default:
		return nil, false
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	out, err := t.codec.decode(r.b, data)
	if out == nil {
		out = normalise(t, pointer, nil)
	}
	return out, err == nil
}

// fitting returns the normal form of other values: neither struct nor collection nor self-decoding.
func fitting(t *Type, v any) (any, bool) {
	switch v := v.(type) {
	case string:
		if t.Kind == Bytes {
			raw, err := base64.StdEncoding.DecodeString(v)
			return base64.StdEncoding.EncodeToString(raw), err == nil
		}
		return v, t.Kind == String
	case bool:
		return v, t.Kind == Boolean
	case int64:
		if t.Kind == Number {
			return float64(v), v != 0
		}
		return v, t.Kind == Integer && (t.Name == "int64" || t.Name == "int32" && v == int64(int32(v)))
	}
	return nil, false
}

// staying are the item types, of long lists in large objects, that no rule function changes
// (rules_functions.go).
var staying = map[string]bool{
	"core/v1.EnvVar": true, "core/v1.VolumeMount": true, "core/v1.KeyToPath": true, "core/v1.Toleration": true, "core/v1.HostAlias": true,
	"core/v1.EnvFromSource": true, "core/v1.LocalObjectReference": true, "rbac/v1.PolicyRule": true, "rbac/v1.Subject": true,
	"networking/v1.NetworkPolicyPeer": true, "discovery/v1.Endpoint": true,
}

// settled reports whether a value fits its type, is in normal form, and does not change by
// defaulting and conversion. It returns false if unclear.
func (r *valueReader) settled(t *Type, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return t.Kind == Struct && r.settledStruct(t, v) || t.Kind == Map && r.settledMap(t, v)
	case []any:
		if t.Kind != List {
			return false
		}
		for _, item := range v {
			if !r.settled(t.Elem, item) {
				return false
			}
		}
		return true
	case string:
		return t.Kind == String
	case bool:
		return t.Kind == Boolean
	case int64:
		_, ok := fitting(t, v)
		return ok && t.Kind == Integer
	}
	return false
}

func (r *valueReader) settledMap(t *Type, in map[string]any) bool {
	if r.ruled(t.ID) {
		return false
	}
	for _, v := range in {
		if !r.settled(t.Elem, v) {
			return false
		}
	}
	return true
}

func (r *valueReader) settledStruct(t *Type, in map[string]any) bool {
	if r.ruled(t.ID) {
		return false
	}
	known := 0
	for _, f := range t.Fields() {
		if r.ruled(f.DeclaredIn) {
			return false
		}
		v, there := in[f.Name]
		if there {
			known++
		}
		omitted := f.OmitEmpty && isEmpty(f, v) || f.OmitZero && (v == nil || isZero(f.Type, f.Pointer, v))
		switch {
		case omitted == there: // the field would be dropped or added
			return false
		case f.HasDefault && isUnset(f, v):
			return false
		case !there && f.Type.Kind == Struct && !f.Pointer:
			return false // defaulting may create it
		case there && !r.settled(f.Type, v):
			return false
		}
	}
	return known == len(in)
}

// ruled reports whether a type has its own rules.
func (r *valueReader) ruled(id string) bool {
	return len(r.defaults.rules[id]) > 0 || len(r.conversions.rules[id]) > 0
}
