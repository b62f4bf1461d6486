package foresee

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// smallestText has, by kind, the fields without which the server rejects a new object. Kinds
// that it does not list need none.
//
//go:embed smallest.json
var smallestText []byte

var smallest = sync.OnceValue(func() map[string]any { return readObject(smallestText) })

// Smallest returns the smallest object of a kind that the API server creates, without a name,
// before its defaults. A custom resource has the fields that its schema requires.
func Smallest(kinds *catalog.Catalog, kind schema.GroupVersionKind) map[string]any {
	object := map[string]any{}
	if t, known := kinds.TypeOf(kind); known && !kinds.Typed(kind) {
		object, _ = least(t, 0).(map[string]any)
	} else if known, ok := smallest()[kind.GroupVersion().String()+"/"+kind.Kind]; ok {
		object, _ = untyped.Copy(known).(map[string]any)
	}
	object["apiVersion"], object["kind"] = kind.GroupVersion().String(), kind.Kind
	return object
}

// readObject reads an object of the program's own texts, with whole numbers as int64.
func readObject(text []byte) map[string]any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		panic(err) // the texts are part of the program
	}
	return whole(object).(map[string]any)
}

func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = whole(value)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// maxLevels bounds the objects that a schema nests into required fields.
const maxLevels = 12

// least is the smallest value of a type: a struct has the fields that are required.
func least(t *catalog.Type, level int) any {
	if t == nil || level > maxLevels {
		return map[string]any{}
	}
	switch t.Kind {
	case catalog.Struct:
		out := map[string]any{}
		for _, f := range t.Fields() {
			switch {
			case level == 0 && (f.Name == "metadata" || f.Name == "kind" || f.Name == "apiVersion" || f.Name == "status"):
			case f.Required, f.HasDefault && f.Default == "" && t.ID != "", t.ID != "" && !f.OmitEmpty && !f.Pointer && scalar(f.Type):
				out[f.Name] = least(f.Type, level+1)
			}
		}
		if t.ID == "core/v1.Container" || t.ID == "core/v1.EphemeralContainer" {
			out["image"] = "i"
		}
		if t.ID == "rbac/v1.Subject" {
			out["kind"] = "User"
		}
		return out
	case catalog.Map, catalog.Any:
		return map[string]any{}
	case catalog.List:
		return []any{}
	}
	return scalarOf(t, nil, 0)
}

func scalar(t *catalog.Type) bool {
	return t != nil && t.Kind != catalog.Struct && t.Kind != catalog.Map && t.Kind != catalog.List
}

// scalarOf is a value of a scalar type: the constant of that index if one fits the type.
func scalarOf(t *catalog.Type, values []any, index int) any {
	var fit []any
	for _, v := range values {
		if fits(t, v) {
			fit = append(fit, v)
		}
	}
	if len(fit) > 0 {
		return fit[index%len(fit)]
	}
	switch t.Kind {
	case catalog.Boolean:
		return index%2 == 0
	case catalog.Integer, catalog.Number:
		return int64(1)
	case catalog.Bytes:
		return "eA=="
	case catalog.Custom:
		return custom(t.Name, index)
	}
	if len(t.Enum) > 0 {
		return t.Enum[index%len(t.Enum)]
	}
	if t.Format == "date-time" {
		return someTime
	}
	return "x"
}

const someTime = "2026-01-01T00:00:00Z"

func fits(t *catalog.Type, v any) bool {
	switch v := v.(type) {
	case string:
		return t.Kind == catalog.String && (len(t.Enum) == 0 || slices.Contains(t.Enum, v)) || t.Kind == catalog.Custom && v != "" && isQuantity(t) && v[0] <= '9'
	case int64:
		return t.Kind == catalog.Integer || t.Kind == catalog.Number
	case float64:
		return t.Kind == catalog.Number
	case bool:
		return t.Kind == catalog.Boolean
	}
	return false
}

func isQuantity(t *catalog.Type) bool { return strings.HasSuffix(t.Name, "Quantity") }

// intOrString are values of fields that take a number, a percentage, or the name of a port.
var intOrString = []any{int64(1), "50%", "http"}

// custom is a value of a type that decodes itself.
func custom(name string, index int) any {
	switch {
	case strings.HasSuffix(name, "Quantity"):
		return "1"
	case strings.HasSuffix(name, "Time"):
		return someTime
	case strings.HasSuffix(name, "Duration"):
		return "1s"
	case strings.HasSuffix(name, "IntOrString"):
		return intOrString[index%len(intOrString)]
	}
	return map[string]any{}
}
