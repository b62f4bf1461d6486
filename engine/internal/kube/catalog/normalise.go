package catalog

// A decoded object is first a tree of what was written, where nil means the expected type's Go zero
// value. normalise turns it into the normal form: the result of the server's conversion from a
// typed object to JSON or unstructured form (semantics §1.5). Fields without omitempty are present
// with zero values; empty ones with omitempty are absent.

// normalise returns the normal form of a value of type t. It does not change the tree.
func normalise(t *Type, pointer bool, v any) any { return givenLists(nil).normalise(t, pointer, v) }

// normalise handles a value in which some lists are already in normal form.
func (g givenLists) normalise(t *Type, pointer bool, v any) any {
	if pointer && v == nil {
		return nil
	}
	switch t.Kind {
	case Struct:
		in, _ := v.(map[string]any)
		out := make(map[string]any, len(in))
		for _, f := range t.Fields() {
			value := in[f.Name]
			if f.OmitEmpty && isEmpty(f, value) || f.OmitZero && (value == nil || isZero(f.Type, f.Pointer, value)) {
				continue
			}
			out[f.Name] = g.normalise(f.Type, f.Pointer, value)
		}
		return out
	case Map:
		in, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		out := make(map[string]any, len(in))
		for key, value := range in {
			out[key] = g.normalise(t.Elem, t.ElemPointer, value)
		}
		return out
	case List:
		in, ok := v.([]any)
		if !ok {
			return nil
		}
		if g.has(in) {
			return in
		}
		out := make([]any, len(in))
		for i, value := range in {
			out[i] = g.normalise(t.Elem, t.ElemPointer, value)
		}
		return out
	}
	if v == nil {
		return zeroScalar(t)
	}
	return v
}

// settle is normalise for an unshared value and works in place. It does not write what is already
// in normal form, because strings and given lists may be shared.
func (g givenLists) settle(t *Type, pointer bool, v any) any {
	switch t.Kind {
	case Struct:
		if in, ok := v.(map[string]any); ok && in != nil {
			g.settleStruct(t, in)
			return in
		}
	case Map:
		if in, ok := v.(map[string]any); ok && in != nil {
			for key, value := range in {
				if settled := g.settle(t.Elem, t.ElemPointer, value); value == nil || settled == nil {
					in[key] = settled
				}
			}
			return in
		}
	case List:
		if in, ok := v.([]any); ok && in != nil {
			if g.has(in) {
				return in
			}
			for i, value := range in {
				if settled := g.settle(t.Elem, t.ElemPointer, value); value == nil || settled == nil {
					in[i] = settled
				}
			}
			return in
		}
	default:
		if v != nil {
			return v
		}
	}
	return g.normalise(t, pointer, v)
}

// settleStruct is settle for a struct's fields.
func (g givenLists) settleStruct(t *Type, in map[string]any) {
	known := 0
	for _, f := range t.Fields() {
		value, there := in[f.Name]
		if f.OmitEmpty && isEmpty(f, value) || f.OmitZero && (value == nil || isZero(f.Type, f.Pointer, value)) {
			if there {
				delete(in, f.Name)
			}
			continue
		}
		known++
		if settled := g.settle(f.Type, f.Pointer, value); value == nil || settled == nil {
			in[f.Name] = settled
		}
	}
	if known == len(in) {
		return
	}
	for name := range in {
		if t.Field(name) == nil {
			delete(in, name)
		}
	}
}

// zeroScalar returns the normal form of the zero value for types that are neither structs nor
// collections.
func zeroScalar(t *Type) any {
	switch t.Kind {
	case String:
		return ""
	case Boolean:
		return false
	case Integer:
		return int64(0)
	case Number:
		return float64(0)
	case Custom:
		return t.codec.zero
	}
	return nil
}

// isEmpty implements omitempty. Structs and self-decoding types are never empty, unless the field
// is a pointer.
func isEmpty(f *Field, v any) bool {
	if v == nil {
		return f.Pointer || f.Type.Kind != Struct && f.Type.Kind != Custom
	}
	if f.Pointer {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return f.Type.Kind == Map && len(v) == 0
	case []any:
		return f.Type.Kind == List && len(v) == 0
	}
	return f.Type.Kind != Custom && v == zeroScalar(f.Type) || f.Type.Kind == Bytes && v == ""
}

// isZero implements omitzero: the Go zero value in all fields.
func isZero(t *Type, pointer bool, v any) bool {
	if v == nil {
		return true
	}
	if pointer {
		return false
	}
	switch t.Kind {
	case Struct:
		in, _ := v.(map[string]any)
		for _, f := range t.Fields() {
			if value, ok := in[f.Name]; ok && !isZero(f.Type, f.Pointer, value) {
				return false
			}
		}
		return true
	case Map, List, Bytes:
		return false
	case Custom:
		switch v.(type) {
		case map[string]any, []any:
			return false
		}
	}
	return v == zeroScalar(t)
}
