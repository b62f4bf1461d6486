package catalog

import (
	"encoding/base64"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fits reports whether DecodeLenient certainly reads an object of a built-in kind without an error.
// It does not build anything. It returns false if it cannot tell, for example for whole numbers
// with a fraction.
func (c *Catalog) Fits(gvk schema.GroupVersionKind, object map[string]any) bool {
	if _, custom := c.crds.versions[gvk]; custom || KindOf(object, gvk) != gvk {
		return false
	}
	t, known := c.TypeOf(gvk)
	return known && c.builtin.fits(t, object)
}

func (b *builtin) fits(t *Type, v any) bool {
	if t.Kind == Custom {
		if v == nil && t.ID == "meta/v1.Time" {
			return true // clients write an unset time like this
		}
		data, err := json.Marshal(v)
		if err == nil {
			_, err = t.codec.decode(b, data)
		}
		return err == nil
	}
	switch v := v.(type) {
	case nil:
		return true // keeps any field unchanged
	case map[string]any:
		return b.fitsObject(t, v)
	case []any:
		if t.Kind != List {
			return false
		}
		for _, item := range v {
			if !b.fits(t.Elem, item) {
				return false
			}
		}
		return true
	case string:
		if t.Kind == Bytes {
			_, err := base64.StdEncoding.DecodeString(v)
			return err == nil
		}
		return t.Kind == String
	case bool:
		return t.Kind == Boolean
	case int64:
		return t.Kind == Number || t.Kind == Integer && (t.Name == "int64" || t.Name == "int32" && v == int64(int32(v)))
	case float64:
		return t.Kind == Number
	}
	return false
}

func (b *builtin) fitsObject(t *Type, object map[string]any) bool {
	if t.Kind != Struct && t.Kind != Map {
		return false
	}
	for key, value := range object {
		elem := t.Elem
		if t.Kind == Struct {
			f := t.Field(key)
			if f == nil {
				continue // it is dropped
			}
			elem = f.Type
		}
		if !b.fits(elem, value) {
			return false
		}
	}
	return true
}
