package catalog

import (
	"bytes"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Encode writes an object in normal form as the server does: built-in types in Go field order,
// custom resources by name. The order matters if a patched object does not decode, because errors
// follow the text.
func (c *Catalog) Encode(gvk schema.GroupVersionKind, obj map[string]any) ([]byte, error) {
	t, ok := c.TypeOf(gvk)
	if !ok || !c.builtinKind(gvk) {
		return json.Marshal(obj)
	}
	text, err := encodeOrdered(t, obj)
	return []byte(text), err
}

// encodeOrdered writes a value in normal form as encoding/json writes the Go type: struct fields in
// source order, map keys sorted.
func encodeOrdered(t *Type, v any) (string, error) {
	var b bytes.Buffer
	err := encodeInto(&b, t, v)
	return b.String(), err
}

func encodeInto(b *bytes.Buffer, t *Type, v any) error {
	switch value := v.(type) {
	case map[string]any:
		if t.Kind == Struct {
			return encodeStruct(b, t, value)
		}
	case []any:
		if t.Kind != List {
			break
		}
		b.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encodeInto(b, t.Elem, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	return encodeScalar(b, v)
}

// encodeScalar writes a value as encoding/json does. Most are strings without escapes.
func encodeScalar(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case string:
		if unescaped(v) {
			b.WriteByte('"')
			b.WriteString(v)
			b.WriteByte('"')
			return nil
		}
	case bool:
		b.WriteString(strconv.FormatBool(v))
		return nil
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
		return nil
	}
	data, err := json.Marshal(v)
	b.Write(data)
	return err
}

// unescaped reports whether JSON writes a string without escapes, with HTML escaping on.
func unescaped(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func encodeStruct(b *bytes.Buffer, t *Type, value map[string]any) error {
	b.WriteByte('{')
	first := true
	for _, f := range t.Fields() {
		item, present := value[f.Name]
		if !present {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := encodeScalar(b, f.Name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encodeInto(b, f.Type, item); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
