package catalog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// convert turns an object in unstructured form into a tree (see normalise.go) by
// the rules of apimachinery's converter: fields in the order of the Go source,
// the first error ends it.
func convert(b *builtin, t *Type, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch t.Kind {
	case Custom:
		return convertCustom(b, t, v)
	case Struct:
		in, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("cannot restore struct from: %v", goKind(v))
		}
		out := make(map[string]any, len(in))
		for _, f := range t.Fields() {
			value, err := convert(b, f.Type, in[f.Name])
			if err != nil {
				return nil, err
			}
			if value != nil {
				out[f.Name] = value
			}
		}
		return out, nil
	case Map:
		return convertMap(b, t, v)
	case List:
		in, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("cannot restore slice from %v", goKind(v))
		}
		if in == nil { // Object{} makes a nil list of an empty one
			return nil, nil
		}
		out := make([]any, len(in))
		for i, item := range in {
			value, err := convert(b, t.Elem, item)
			if err != nil {
				return nil, err
			}
			out[i] = value
		}
		return out, nil
	case Bytes:
		return convertBytes(v)
	}
	return convertScalar(t, v)
}

// convertMap visits keys in sorted order. The server's order is random, so it may report any one of
// several errors.
func convertMap(b *builtin, t *Type, v any) (any, error) {
	in, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("cannot restore map from %v", goKind(v))
	}
	if in == nil {
		return nil, nil
	}
	out := make(map[string]any, len(in))
	for _, key := range sortedNames(in) {
		value, err := convert(b, t.Elem, in[key])
		if err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}

func convertCustom(b *builtin, t *Type, v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("error encoding %s to json: %v", t.Name, err)
	}
	return t.codec.decode(b, data)
}

func convertBytes(v any) (any, error) {
	switch v := v.(type) {
	case string:
		raw, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, fmt.Errorf("error decoding from json: %v", err)
		}
		return base64.StdEncoding.EncodeToString(raw), nil
	case []any:
		for _, item := range v {
			if _, err := convertScalar(byteType, item); err != nil {
				return nil, err
			}
		}
		return bytesOf(v), nil
	}
	return nil, fmt.Errorf("cannot restore slice from %v", goKind(v))
}

// convertScalar follows Go's conversion rules between basic types, except those for types that JSON
// does not have. Conversions that Go does not allow have a different error text.
func convertScalar(t *Type, v any) (any, error) {
	switch v := v.(type) {
	case string:
		if t.Kind == String {
			return v, nil
		}
	case bool:
		if t.Kind == Boolean {
			return v, nil
		}
	case int64:
		switch t.Kind {
		case Integer:
			return wrap(v, t.Name), nil
		case Number:
			return float64(v), nil
		case String: // Go would convert it to a character
			return nil, fmt.Errorf("cannot convert int64 to %s", t.Name)
		}
	case float64:
		switch t.Kind {
		case Number:
			return v, nil
		case Integer:
			if v != math.Trunc(v) {
				return nil, fmt.Errorf("cannot convert float64 to %s", t.Name)
			}
			return wrap(int64(v), t.Name), nil
		}
	}
	return nil, errors.New("unrecognized type: " + basicKind(t))
}

// wrap cuts an integer to the width of its Go type, as Go's conversion does.
func wrap(n int64, goType string) int64 {
	switch goType {
	case "int32":
		return int64(int32(n))
	case "uint8":
		return int64(uint8(n))
	case "uint16":
		return int64(uint16(n))
	case "uint32":
		return int64(uint32(n))
	}
	return n
}

// basicKind names the Go kind of a scalar type.
func basicKind(t *Type) string {
	switch t.Kind {
	case String:
		return "string"
	case Boolean:
		return "bool"
	}
	return t.Name
}

// goKind names the Go kind of a value in unstructured form.
func goKind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	case string:
		return "string"
	case bool:
		return "bool"
	case float64:
		return "float64"
	}
	return "int64"
}
