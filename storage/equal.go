package storage

import "reflect"

// equal is [reflect.DeepEqual] of two values of a type.
func (s *shape) equal(a, b reflect.Value) bool {
	switch s.way {
	case asText:
		return a.String() == b.String()
	case asBoolean:
		return a.Bool() == b.Bool()
	case asNumber:
		return a.Int() == b.Int()
	case asPointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.UnsafePointer() == b.UnsafePointer() || s.elem().equal(a.Elem(), b.Elem())
	case asStruct:
		for i := range s.fields {
			if !s.fields[i].shape().equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case asList:
		return s.equalLists(a, b)
	case asMap:
		return s.equalMaps(a, b)
	}
	return a.IsZero() && b.IsZero() || reflect.DeepEqual(a.Interface(), b.Interface())
}

func (s *shape) equalLists(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	elem := s.elem()
	for i := range a.Len() {
		if !elem.equal(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func (s *shape) equalMaps(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	if s.of == plainMap {
		is := b.Interface().(map[string]string)
		for key, value := range a.Interface().(map[string]string) {
			if other, ok := is[key]; !ok || other != value {
				return false
			}
		}
		return true
	}
	elem := s.elem()
	for entries := a.MapRange(); entries.Next(); {
		if other := b.MapIndex(entries.Key()); !other.IsValid() || !elem.equal(entries.Value(), other) {
			return false
		}
	}
	return true
}
