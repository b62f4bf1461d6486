package catalog

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// codec says how a self-decoding type is decoded. It uses apimachinery's Go types where they exist,
// so that values and error texts are theirs.
type codec struct {
	// decode converts a JSON value to its normal form.
	decode func(b *builtin, data []byte) (any, error)
	// zero is the normal form of the zero value: the value of an absent field that is not a
	// pointer.
	zero any
}

// codecs holds a codec for every type that the catalog marks as custom. (init fills it because the
// schema types decode themselves recursively.)
var codecs map[string]codec

func init() {
	codecs = map[string]codec{
		"resource.Quantity":    {decode: decodeQuantity, zero: "0"},
		"intstr.IntOrString":   {decode: decodeIntOrString, zero: int64(0)},
		"meta/v1.Time":         {decode: decodeTime},
		"meta/v1.MicroTime":    {decode: decodeMicroTime},
		"meta/v1.Duration":     {decode: decodeDuration, zero: "0s"},
		"meta/v1.FieldsV1":     {decode: decodeRaw},
		"runtime.RawExtension": {decode: decodeRaw},

		"apiextensions/v1.JSON":                         {decode: decodeRaw},
		"apiextensions/v1.JSONSchemaPropsOrBool":        {decode: decodeSchemaOrBool, zero: false},
		"apiextensions/v1.JSONSchemaPropsOrArray":       {decode: decodeSchemaOrArray},
		"apiextensions/v1.JSONSchemaPropsOrStringArray": {decode: decodeSchemaOrStrings},
	}
}

func decodeQuantity(_ *builtin, data []byte) (any, error) {
	var q resource.Quantity
	if err := q.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return q.ToUnstructured(), nil
}

func decodeIntOrString(_ *builtin, data []byte) (any, error) {
	var v intstr.IntOrString
	if err := v.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	if v.Type == intstr.String {
		return v.StrVal, nil
	}
	return int64(v.IntVal), nil
}

func decodeTime(_ *builtin, data []byte) (any, error) {
	var t metav1.Time
	if err := t.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return t.ToUnstructured(), nil
}

func decodeMicroTime(_ *builtin, data []byte) (any, error) {
	var t metav1.MicroTime
	if err := t.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	if t.IsZero() {
		return nil, nil
	}
	return t.UTC().Format(metav1.RFC3339Micro), nil
}

func decodeDuration(_ *builtin, data []byte) (any, error) {
	var d metav1.Duration
	if err := d.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return d.ToUnstructured(), nil
}

// decodeRaw reads JSON that the type keeps unchanged.
func decodeRaw(_ *builtin, data []byte) (any, error) {
	var v any
	if err := utiljson.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return v, nil
}

// decodeSchema decodes a schema inside a schema. It drops unknown fields silently: the outer
// decoder does not look inside self-decoding types.
func decodeSchema(b *builtin, data []byte) (any, error) {
	t := b.named("apiextensions/v1.JSONSchemaProps")
	d := decoder{b: b, data: string(data)}
	v, err := d.run(t)
	if err != nil {
		return nil, err
	}
	return normalise(t, false, v), nil
}

func decodeSchemaOrBool(b *builtin, data []byte) (any, error) {
	switch {
	case len(data) > 0 && data[0] == '{':
		return decodeSchema(b, data)
	case string(data) == "true":
		return true, nil
	case string(data) == "false":
		return false, nil
	}
	return nil, fmt.Errorf("boolean or JSON schema expected")
}

// decodeSchemaOrArray ignores everything except objects and arrays, as the server's type does. An
// empty array becomes null.
func decodeSchemaOrArray(b *builtin, data []byte) (any, error) {
	if len(data) > 1 && data[0] == '{' {
		return decodeSchema(b, data)
	}
	var items []json.RawMessage
	if len(data) < 2 || data[0] != '[' {
		return nil, nil
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, err
	}
	var out []any
	for _, item := range items {
		schema, err := decodeSchema(b, item)
		if err != nil {
			return nil, err
		}
		out = append(out, schema)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

func decodeSchemaOrStrings(b *builtin, data []byte) (any, error) {
	if len(data) > 1 && data[0] == '{' {
		return decodeSchema(b, data)
	}
	if len(data) < 2 || data[0] != '[' {
		return nil, nil
	}
	var items []string
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, err
	}
	var out []any
	for _, item := range items {
		out = append(out, item)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}
