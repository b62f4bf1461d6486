package eval

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
)

// From 1.37 on the server does not turn built-in objects into maps for CEL: it
// reads the fields of the Go values (apiserver/pkg/cel/common,
// SchemalessTypedToVal). These values behave like maps and lists but for what
// the types below do: they have no JSON form (a JSONPatch operation with one as
// its value fails), two of them are compared as Go values (quantities by their
// amount), and comparing one with a value of another kind is an error. Where CEL
// takes the plain value of one out of a list or map literal, an ApplyConfiguration
// cannot merge it (goMap, goList).

// A GoType is the Go type of a built-in object, or of a part of it.
type GoType interface {
	// Form is what the type is to CEL.
	Form() Form
	// Name is the type as Go prints it, such as "v1.Container".
	Name() string
	// Field is the type of a field of a struct; nil when it is none of these
	// types.
	Field(name string) GoType
	// Elem is the type of items of a list and of values of a map; may be nil.
	Elem() GoType
	// Equal is the semantic equality of two values in unstructured form.
	Equal(a, b any) bool
}

// Form is the form of a Go type.
type Form int

// The forms. A Scalar is also a type that turns itself into JSON, such as a time.
const (
	Scalar Form = iota
	Struct
	Map
	List
)

// typedValue makes a CEL value of a value of a Go type, in unstructured form.
func typedValue(v any, t GoType) ref.Val {
	if t == nil {
		return orderedAdapter{}.NativeToValue(v)
	}
	switch v := v.(type) {
	case map[string]any:
		switch t.Form() {
		case Struct:
			return &typedStruct{typedMap{native: v, goType: t}}
		case Map:
			return &typedMap{native: v, goType: t}
		}
	case []any:
		if t.Form() == List {
			return &typedList{native: v, goType: t, items: make([]ref.Val, len(v))}
		}
	}
	return orderedAdapter{}.NativeToValue(v)
}

// typedMap is a Go map of a built-in object.
// It implements traits.Mapper, traits.Indexer, traits.Container, traits.Sizer and ref.Val.
type typedMap struct {
	native map[string]any
	goType GoType
	made   named // objects and lists so far
	keys   sortedKeys
	shown  *keptPreviews
}

// named are values by their names: a list while there are few, as in most objects.
type named struct {
	few  []namedValue
	room [2]namedValue // where few begins
	many map[string]ref.Val
}

type namedValue struct {
	name  string
	value ref.Val
}

// fewNames is how many are looked through one by one.
const fewNames = 8

// get is nil for a name that is missing.
func (n *named) get(name string) ref.Val {
	if n.many != nil {
		return n.many[name]
	}
	for i := range n.few {
		if n.few[i].name == name {
			return n.few[i].value
		}
	}
	return nil
}

// put adds a name that is missing.
func (n *named) put(name string, value ref.Val) {
	if n.many == nil && len(n.few) == fewNames {
		n.many = make(map[string]ref.Val, 2*fewNames)
		for _, e := range n.few {
			n.many[e.name] = e.value
		}
		n.few = nil
	}
	if n.many != nil {
		n.many[name] = value
		return
	}
	if n.few == nil {
		n.few = n.room[:0]
	}
	n.few = append(n.few, namedValue{name, value})
}

func (m *typedMap) elem(string) GoType               { return m.goType.Elem() }
func (m *typedMap) Find(key ref.Val) (ref.Val, bool) { return m.find(key, m.elem) }

func (m *typedMap) find(key ref.Val, elem func(string) GoType) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return types.ValOrErr(key, "unsupported map key type: %T", key), false
	}
	name := string(k)
	if v := m.made.get(name); v != nil {
		return v, true
	}
	native, ok := m.native[name]
	if !ok {
		return nil, false
	}
	v := typedValue(native, elem(name))
	switch native.(type) {
	case map[string]any, []any: // others are made again as fast as they are found
		m.made.put(name, v)
	}
	return v, true
}

func (m *typedMap) Get(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if found || v != nil && types.IsError(v) {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m *typedMap) Contains(key ref.Val) ref.Val {
	v, found := m.Find(key)
	if v != nil && types.IsError(v) {
		return v
	}
	return types.Bool(found)
}

func (m *typedMap) Size() ref.Val { return types.Int(len(m.native)) }

// Iterator implements traits.Iterable, in the order of the keys (orderedAdapter).
func (m *typedMap) Iterator() traits.Iterator {
	return m.keys.iterator(m.native)
}

func (m *typedMap) Type() ref.Type { return types.MapType }

// goMap and goList are the plain values of Go maps, structs and slices. Like the server's,
// they are no map[string]any and no []any, which is all that structured-merge-diff merges.
// ObjectVal takes them from the items of a list and the values of a map that an expression
// made (convertField in apiserver/pkg/cel/mutation/dynamic); a field that is a Go value
// itself is converted, and so is everything in it.
type (
	goMap  map[string]any
	goList []any
)

func (m *typedMap) Value() any { return goMap(m.native) }

func (m *typedMap) ConvertToNative(to reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", m.Type(), to)
}

func (m *typedMap) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.MapType:
		return m
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", m.Type(), to.TypeName())
}

func (m *typedMap) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != o.Size() {
		return types.False
	}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		a, _ := m.Find(key)
		b, found := o.Find(key)
		if !found || a.Equal(b) != types.True {
			return types.False
		}
	}
	return types.True
}

// typedStruct is a Go struct of a built-in object. It implements traits.Indexer, traits.Container and ref.Val.
type typedStruct struct{ typedMap }

// Find implements traits.Mapper. A key that is no string is found, as an error.
func (s *typedStruct) Find(key ref.Val) (ref.Val, bool) {
	v, found := s.find(key, s.goType.Field)
	return v, found || v != nil && types.IsUnknownOrError(v)
}

func (s *typedStruct) Get(key ref.Val) ref.Val {
	v, found := s.Find(key)
	if found {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (s *typedStruct) Contains(key ref.Val) ref.Val {
	v, found := s.Find(key)
	if v != nil && types.IsError(v) {
		return v
	}
	return types.Bool(found)
}

func (s *typedStruct) ConvertToNative(to reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from struct type %v to %v", s.goType.Name(), to)
}

func (s *typedStruct) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.MapType:
		return s
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from struct to %s", to.TypeName())
}

func (s *typedStruct) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*typedStruct); ok {
		return types.Bool(s.goType.Name() == o.goType.Name() && s.goType.Equal(s.native, o.native))
	}
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if s.Size() != o.Size() {
		return types.False
	}
	for it := s.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		a, _ := s.Find(key)
		b, found := o.Find(key)
		if !found {
			return types.False
		}
		if equal := a.Equal(b); equal != types.True {
			return equal
		}
	}
	return types.True
}

// typedList is a Go slice of a built-in object.
// It implements traits.Indexer, traits.Adder, traits.Container, traits.Sizer, traits.Iterable and ref.Val.
type typedList struct {
	native []any
	goType GoType
	items  []ref.Val // made so far
	shown  *keptPreviews
}

func (l *typedList) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index type: %T", index)
	}
	if i < 0 || int64(i) >= int64(len(l.native)) {
		return types.NewErr("index out of bounds: %d", i)
	}
	if l.items[i] == nil {
		l.items[i] = typedValue(l.native[i], l.goType.Elem())
	}
	return l.items[i]
}

func (l *typedList) all() []ref.Val {
	for i := range l.native {
		l.Get(types.Int(i))
	}
	return l.items
}

func (l *typedList) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	items := slices.Clone(l.all())
	for it := o.Iterator(); it.HasNext() == types.True; {
		items = append(items, it.Next())
	}
	return types.NewRefValList(adapt.Default, items)
}

func (l *typedList) Contains(value ref.Val) ref.Val {
	for _, item := range l.all() {
		if item.Equal(value) == types.True {
			return types.True
		}
	}
	return types.False
}

func (l *typedList) Size() ref.Val { return types.Int(len(l.native)) }

func (l *typedList) Iterator() traits.Iterator {
	return types.NewRefValList(adapt.Default, l.all()).Iterator()
}

func (l *typedList) Type() ref.Type { return types.ListType }
func (l *typedList) Value() any     { return goList(l.native) }

func (l *typedList) ConvertToNative(to reflect.Type) (any, error) {
	if to.Kind() == reflect.Slice {
		return l.native, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), to)
}

func (l *typedList) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), to.TypeName())
}

func (l *typedList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i, item := range l.all() {
		if item.Equal(o.Get(types.Int(i))) != types.True {
			return types.False
		}
	}
	return types.True
}
