package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/equality"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// older makes values as the releases before version.TypedSums have them: what they
// hold is that of the linked release, but they are compared and added in another way.
type older struct {
	// nullsDiffer says that an object with a field that is null is equal to nothing,
	// not even to itself.
	nullsDiffer bool
}

// valueOf is what a rule sees of data that fits a schema.
func valueOf(data any, schema common.Schema, v version.Version) ref.Val {
	value := common.UnstructuredToVal(data, schema)
	if v.Has(version.TypedSums) {
		return value
	}
	return older{nullsDiffer: !v.Has(version.NullFieldsEqual)}.of(value, schema)
}

func (o older) value(data any, schema common.Schema) ref.Val {
	return o.of(common.UnstructuredToVal(data, schema), schema)
}

// of is the same value as another one, and compared in the older way.
func (o older) of(value ref.Val, schema common.Schema) ref.Val {
	switch value := value.(type) {
	case traits.Mapper:
		fields, ok := value.Value().(map[string]any)
		if !ok {
			return value
		}
		if schema.IsXEmbeddedResource() {
			schema = schema.WithTypeAndObjectMeta()
		}
		object := &olderObject{Mapper: value, older: o, data: fields, properties: schema.Properties()}
		if additional := schema.AdditionalProperties(); object.properties == nil && additional != nil {
			object.values = additional.Schema()
		}
		return object
	case traits.Lister:
		if items, ok := value.Value().([]any); ok {
			return &olderList{Lister: value, older: o, data: items, schema: schema, items: schema.Items()}
		}
	}
	return value
}

// olderObject is an object or a map. It implements traits.Mapper, traits.Indexer and ref.Val.
type olderObject struct {
	traits.Mapper
	older
	data       map[string]any
	properties map[string]common.Schema // nil for a map
	values     common.Schema            // of a map; nil when it has no schema
}

// schema is that of a field, by its name in the data.
func (m *olderObject) schema(name string) (common.Schema, bool) {
	if m.properties != nil {
		schema, ok := m.properties[name]
		return schema, ok
	}
	return m.values, m.values != nil
}

func (m *olderObject) Find(key ref.Val) (ref.Val, bool) {
	value, found := m.Mapper.Find(key)
	name, isText := key.(types.String)
	if !found || !isText {
		return value, found
	}
	field := string(name)
	if m.properties != nil {
		field, _ = apiservercel.Unescape(field)
	}
	if schema, ok := m.schema(field); ok {
		value = m.of(value, schema)
	}
	return value, true
}

func (m *olderObject) Get(key ref.Val) ref.Val {
	if value, found := m.Find(key); found {
		return value
	}
	return m.Mapper.Get(key) // the error
}

func (m *olderObject) ConvertToType(to ref.Type) ref.Val {
	if to == types.MapType {
		return m
	}
	return m.Mapper.ConvertToType(to)
}

// Equal implements ref.Val. Fields are found by their names in the data, as if these were
// those in CEL.
func (m *olderObject) Equal(other ref.Val) ref.Val {
	mapper, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != mapper.Size() {
		return types.False
	}
	for _, name := range slices.Sorted(maps.Keys(m.data)) {
		equal := ref.Val(types.True)
		if schema, ok := m.schema(name); ok {
			equal = m.equalField(mapper, name, schema)
		} else if object, ok := other.(*olderObject); !ok {
			equal = types.MaybeNoSuchOverloadErr(other)
		} else if value, ok := object.data[name]; ok && !equality.Semantic.DeepEqual(m.data[name], value) {
			equal = types.False
		}
		if equal != types.True {
			return equal
		}
	}
	return types.True
}

func (m *olderObject) equalField(other traits.Mapper, name string, schema common.Schema) ref.Val {
	theirs, found := other.Find(types.String(name))
	if m.nullsDiffer {
		if !found {
			return types.False
		}
		return m.value(m.data[name], schema).Equal(theirs)
	}
	own, ok := m.Find(types.String(name))
	switch {
	case ok != found:
		return types.False
	case !ok:
		return types.True
	}
	return own.Equal(theirs)
}

// olderList is a list of any kind. It implements traits.Indexer, traits.Iterable, ref.Val and traits.Container.
type olderList struct {
	traits.Lister
	older
	data          []any
	schema, items common.Schema
	known         map[any]int // nil until it is asked for
}

func (l *olderList) Get(index ref.Val) ref.Val { return l.of(l.Lister.Get(index), l.items) }
func (l *olderList) Iterator() traits.Iterator { return &olderItems{l.Lister.Iterator(), l} }

// olderItems goes through a list. It implements traits.Iterator.
type olderItems struct {
	traits.Iterator
	list *olderList
}

func (i *olderItems) Next() ref.Val { return i.list.of(i.Iterator.Next(), i.list.items) }

func (l *olderList) ConvertToType(to ref.Type) ref.Val {
	if to == types.ListType {
		return l
	}
	return l.Lister.ConvertToType(to)
}

func (l *olderList) Contains(value ref.Val) ref.Val {
	if types.IsUnknownOrError(value) {
		return value
	}
	result := ref.Val(types.False)
	for _, item := range l.data {
		switch equal := l.value(item, l.items).Equal(value); {
		case equal == types.True:
			return equal
		case equal != types.False && result == types.False:
			result = types.MaybeNoSuchOverloadErr(equal)
		}
	}
	return result
}

// Equal implements ref.Val. Neither sets nor lists that are maps are compared by order.
func (l *olderList) Equal(other ref.Val) ref.Val {
	list, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != list.Size() {
		return types.False
	}
	if kind := l.schema.XListType(); kind == "map" || kind == "set" {
		return l.equalUnordered(list)
	}
	for i := range types.Int(len(l.data)) {
		if equal := l.Get(i).Equal(list.Get(i)); equal != types.True {
			return equal
		}
	}
	return types.True
}

// equalUnordered finds each item of the other list here, by its key.
func (l *olderList) equalUnordered(other traits.Lister) ref.Val {
	places := l.places()
	for it := other.Iterator(); it.HasNext() == types.True; {
		theirs := it.Next()
		place, ok := places[l.key(theirs.Value())]
		if !ok {
			return types.False
		}
		if l.schema.XListType() == "set" {
			continue // the key is the value
		}
		if equal := l.value(l.data[place], l.items).Equal(theirs); equal != types.True {
			return equal
		}
	}
	return types.True
}

// Add implements traits.Adder: items of a list that is a map replace those with their key, and
// a set gets no item twice, nor one that was added to the very same value before. What is added
// is data again, which must fit the schema: a time or an object that an expression has made does not.
func (l *olderList) Add(other ref.Val) ref.Val {
	list, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	kind := l.schema.XListType()
	var places map[any]int
	if kind == "map" || kind == "set" {
		places = l.places()
	}
	sum := slices.Clone(l.data)
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next().Value()
		if places == nil {
			sum = append(sum, item)
			continue
		}
		key := l.key(item)
		place, known := places[key]
		switch {
		case !known:
			sum = append(sum, item)
			if kind == "set" {
				places[key] = len(l.data)
			}
		case kind == "map":
			sum[place] = item
		}
	}
	return l.value(sum, l.schema)
}

// places are those of the items by their keys, found once, also when that ended with an item that
// is no key: they are then those before it.
func (l *olderList) places() map[any]int {
	if l.known == nil {
		l.known = make(map[any]int, len(l.data))
		for i, item := range l.data {
			l.known[l.key(item)] = i
		}
	}
	return l.known
}

// key is what an item is found by: an item of a set by itself, one of a list that is a map by its keys.
// An object in a set is no key that Go has: the evaluation ends with Go's words for it, as it does in
// the server, and what it would have been without that operand is not asked.
func (l *olderList) key(item any) any {
	if l.schema.XListType() == "set" {
		return item
	}
	object, ok := item.(map[string]any)
	if !ok {
		return types.NewErr("unexpected data format for element of array with x-kubernetes-list-type=map: %T", item)
	}
	var keys []any
	for _, name := range l.schema.XListMapKeys() {
		// By the name in CEL, under which the data does not have it when it needs escaping.
		if escaped, ok := apiservercel.Escape(name); ok {
			name = escaped
		}
		keys = append(keys, object[name])
	}
	switch len(keys) {
	case 1:
		return keys[0]
	case 2:
		return [2]any(keys)
	case 3:
		return [3]any(keys)
	}
	return fmt.Sprintf("%v", keys)
}
