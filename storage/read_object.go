package storage

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// read reads an object into a new one of its type, as the library's converter does. That goes through all
// fields of a type, of which an object has few. What it reads in another way than other values of its kind,
// or rejects, is left to it.
func read(object map[string]any, fresh func() (runtime.Object, error)) (runtime.Object, error) {
	out, err := fresh()
	if err != nil {
		return nil, err
	}
	to := reflect.ValueOf(out).Elem()
	if shapeOf(to.Type()).read(object, to) {
		return out, nil
	}
	if out, err = fresh(); err != nil {
		return nil, err
	}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(object, out)
}

// read sets a value that is zero. It is false where the library must read it.
func (s *shape) read(v any, to reflect.Value) bool {
	if v == nil {
		return true
	}
	switch s.way {
	case asText:
		text, ok := v.(string)
		to.SetString(text)
		return ok
	case asBoolean:
		is, ok := v.(bool)
		to.SetBool(is)
		return ok
	case asNumber:
		number, ok := v.(int64)
		if !ok || to.OverflowInt(number) {
			return false
		}
		to.SetInt(number)
		return true
	case asPointer:
		elem := s.elem()
		held := reflect.New(elem.of)
		to.Set(held)
		return elem.read(v, held.Elem())
	case asStruct:
		object, ok := v.(map[string]any)
		return ok && s.readStruct(object, to)
	case asMap:
		object, ok := v.(map[string]any)
		return ok && s.readMap(object, to)
	case asList:
		list, ok := v.([]any)
		return ok && s.readList(list, to)
	case asBytes:
		text, ok := v.(string)
		data, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil {
			return false
		}
		to.SetBytes(data)
		return true
	case byItself:
		data, err := asJSON(v)
		return err == nil && to.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data) == nil
	}
	return false
}

func (s *shape) readStruct(object map[string]any, to reflect.Value) bool {
	for name, v := range object {
		path, known := s.named[name]
		if !known || v == nil {
			continue
		}
		of, field := s, to
		for _, i := range path {
			of, field = of.fields[i].shape(), field.Field(i)
		}
		if !of.read(v, field) {
			return false
		}
	}
	return true
}

func (s *shape) readMap(object map[string]any, to reflect.Value) bool {
	if object == nil {
		return true
	}
	if s.of == plainMap {
		out := make(map[string]string, len(object))
		for key, v := range object {
			text, ok := v.(string)
			if !ok {
				return false
			}
			out[key] = text
		}
		to.Set(reflect.ValueOf(out))
		return true
	}
	out, elem := reflect.MakeMapWithSize(s.of, len(object)), s.elem()
	for name, v := range object {
		key, value := reflect.New(s.of.Key()).Elem(), reflect.New(elem.of).Elem()
		key.SetString(name)
		if !elem.read(v, value) {
			return false
		}
		out.SetMapIndex(key, value)
	}
	to.Set(out)
	return true
}

var plainMap = reflect.TypeFor[map[string]string]()

func (s *shape) readList(list []any, to reflect.Value) bool {
	if list == nil {
		return true
	}
	elem := s.elem()
	to.Set(reflect.MakeSlice(s.of, len(list), len(list)))
	for i, v := range list {
		if !elem.read(v, to.Index(i)) {
			return false
		}
	}
	return true
}

// asJSON is a value for a type that reads itself.
func asJSON(v any) ([]byte, error) {
	if text, ok := v.(string); ok && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append([]byte{'"'}, text...), '"'), nil
	}
	return json.Marshal(v)
}
