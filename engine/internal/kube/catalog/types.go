package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Kind is the JSON shape of a type's values.
type Kind uint8

// The shapes. Custom types decode themselves: quantities, times, int-or-string
// and raw JSON. Any is a value without a schema (only in CRDs).
const (
	Invalid Kind = iota
	Struct
	Map
	List
	String
	Boolean
	Integer
	Number
	Bytes
	Custom
	Any
)

// String returns the kind's name in documentation.
func (k Kind) String() string {
	return [...]string{"invalid", "object", "map", "list", "string", "boolean", "integer", "number", "bytes", "custom", "any"}[k]
}

// Type is an API type: a built-in kind's Go type, or a node in a CRD's schema. Types are shared and
// immutable.
type Type struct {
	// ID is a named built-in type's catalog name ("core/v1.PodSpec"); empty for other types.
	ID string
	// Name is the type in Go's error messages: "v1.PodSpec", "int32", "[]v1.Container",
	// "map[string]string". CRD types have none.
	Name string
	Kind Kind
	// Elem is the type of list items or map values.
	Elem *Type
	// ElemPointer says that items or values are pointers: null stays null.
	ElemPointer bool
	// Enum lists a string type's documented values.
	Enum []string
	// MapType says how objects of this type merge: "atomic", "granular" or "".
	MapType string
	// Format is a string's format in a CRD's schema, such as "date-time".
	Format string
	// MaxSize is a CRD schema's length limit for a string, list or map (maxLength, maxItems,
	// maxProperties); nil means none.
	MaxSize *int64
	// Open says that values may have undeclared fields (x-kubernetes-preserve-unknown-fields).
	Open bool

	codec codec // of Custom types

	once   sync.Once
	read   func(*Type) // fills fields and byName
	fields []*Field
	byName map[string]*Field
}

// Field is a struct field, or a property in a CRD's schema.
type Field struct {
	Name string // the JSON name
	Type *Type
	// Pointer says that the Go field is a pointer: null and absent differ
	// from the zero value.
	Pointer   bool
	OmitEmpty bool
	OmitZero  bool
	// ListType says how a list merges: "atomic", "set", "map" or "" (atomic).
	ListType    string
	ListMapKeys []string
	// MapType overrides the type's.
	MapType string
	// Default is the default in the schema (not from the defaulting code), as decoded JSON.
	Default    any
	HasDefault bool

	// Required says that a CRD's schema requires the field.
	Required bool

	// DeclaredIn is the catalog name of the struct that declares the field. With embedded structs
	// it differs from the type that has the field.
	DeclaredIn string
	// Description is from a CRD's schema. Package fielddocs describes built-in fields.
	Description string

	// embedded lists the Go structs between the type and the field.
	embedded []string
}

// Fields lists a struct's fields in source order, with embedded structs' fields in their place.
func (t *Type) Fields() []*Field {
	t.resolve()
	return t.fields
}

// FieldNames lists the JSON names of a struct's fields in source order.
func (t *Type) FieldNames() (names []string) {
	for _, f := range t.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Field returns the field with a JSON name, or nil.
func (t *Type) Field(name string) *Field {
	t.resolve()
	return t.byName[name]
}

// At returns the type at a path of field names. Any name selects a list's items or a map's values.
// It returns nil if there is no such type.
func (t *Type) At(steps ...string) *Type {
	for _, step := range steps {
		switch {
		case t == nil:
			return nil
		case t.Kind == List, t.Kind == Map:
			t = t.Elem
		case t.Kind == Struct && t.Field(step) != nil:
			t = t.Field(step).Type
		default:
			return nil
		}
	}
	return t
}

func (t *Type) resolve() {
	t.once.Do(func() {
		if t.read == nil {
			return
		}
		t.read(t)
		t.byName = make(map[string]*Field, len(t.fields))
		for _, f := range t.fields {
			t.byName[f.Name] = f
		}
	})
}

// goName returns the type's name without its package, as error messages name a field's struct.
func (t *Type) goName() string { return t.Name[strings.LastIndexByte(t.Name, '.')+1:] }

// scalars are the built-in Go types of API fields.
var scalars = map[string]*Type{
	"string":  {Name: "string", Kind: String},
	"bool":    {Name: "bool", Kind: Boolean},
	"int":     {Name: "int", Kind: Integer},
	"int32":   {Name: "int32", Kind: Integer},
	"int64":   {Name: "int64", Kind: Integer},
	"uint16":  {Name: "uint16", Kind: Integer},
	"uint32":  {Name: "uint32", Kind: Integer},
	"uint64":  {Name: "uint64", Kind: Integer},
	"float64": {Name: "float64", Kind: Number},
}

var bytesType = &Type{Name: "[]uint8", Kind: Bytes}

// named returns a built-in type by its catalog name, or nil if this version does not have it.
func (b *builtin) named(id string) *Type {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.namedLocked(id)
}

// namedLocked creates types without reading their fields, so that types may refer to themselves. It
// panics if a type in the generated data cannot be read, which is a generator bug. The tests read
// every type.
func (b *builtin) namedLocked(id string) *Type {
	if t := b.types[id]; t != nil {
		return t
	}
	block, ok := blocks()[id]
	if !ok {
		return nil
	}
	for _, line := range block.heads {
		head, in, err := cutRange(line, b.version)
		if err != nil {
			panic(fmt.Sprintf("catalog: %s: %v", id, err))
		}
		if alias, ok := strings.CutPrefix(head, "="); ok && in {
			t, _ := b.expr(alias, id)
			b.types[id] = t
			return t
		}
		if in {
			t := &Type{ID: id, Name: id[strings.IndexByte(id, '/')+1:]}
			b.types[id] = t
			b.define(t, head, block.body)
			return t
		}
	}
	return nil
}

// define applies the first line of a type's block.
func (b *builtin) define(t *Type, head, body string) {
	what, marks, _ := strings.Cut(head, " ")
	switch what {
	case "custom":
		t.Kind, t.codec = Custom, codecs[t.ID]
		if t.codec.decode == nil {
			panic("catalog: no codec for " + t.ID)
		}
	case "struct":
		t.Kind = Struct
		t.MapType = strings.TrimPrefix(marks, "map=")
		id := t.ID
		t.read = func(t *Type) { b.readFields(t, id, body) }
	default:
		under, _ := b.expr(what, t.ID)
		t.Kind, t.Elem, t.ElemPointer = under.Kind, under.Elem, under.ElemPointer
		if under.Kind == Struct {
			t.MapType, t.read = under.MapType, under.read
		}
		t.Enum = b.readEnum(body)
	}
}

// expr resolves a Go type expression in the package of the type called within. It returns whether
// the type is a pointer separately.
func (b *builtin) expr(text, within string) (t *Type, pointer bool) {
	if inner, ok := strings.CutPrefix(text, "*"); ok {
		t, _ = b.expr(inner, within)
		return t, true
	}
	if text == "[]byte" {
		return bytesType, false
	}
	if inner, ok := strings.CutPrefix(text, "[]"); ok {
		elem, isPointer := b.expr(inner, within)
		return &Type{Name: "[]" + star(isPointer) + elem.Name, Kind: List, Elem: elem, ElemPointer: isPointer}, false
	}
	if inner, ok := strings.CutPrefix(text, "map["); ok {
		keyText, valueText, _ := strings.Cut(inner, "]")
		key, _ := b.expr(keyText, within)
		value, isPointer := b.expr(valueText, within)
		return &Type{Name: "map[" + key.Name + "]" + star(isPointer) + value.Name, Kind: Map, Elem: value, ElemPointer: isPointer}, false
	}
	if t := scalars[text]; t != nil {
		return t, false
	}
	id := text
	if !strings.Contains(text, ".") {
		id = within[:strings.LastIndexByte(within, '.')+1] + text
	}
	if t = b.namedLocked(id); t == nil {
		panic(fmt.Sprintf("catalog %s: %s mentions the unknown type %s", b.version, within, id))
	}
	return t, false
}

func star(pointer bool) string {
	if pointer {
		return "*"
	}
	return ""
}

func (b *builtin) readFields(t *Type, id, body string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.fields = b.fieldsLocked(id, body)
}

func (b *builtin) fieldsLocked(id, body string) []*Field {
	var out []*Field
	for line := range strings.Lines(body) {
		text, in, err := cutRange(strings.TrimSpace(line), b.version)
		if err != nil {
			panic(fmt.Sprintf("catalog: %s: %v", id, err))
		}
		if !in {
			continue
		}
		if embedded, ok := strings.CutPrefix(text, "+ "); ok {
			inner, _ := b.expr(embedded, id)
			for _, f := range b.fieldsLocked(inner.ID, blocks()[inner.ID].body) {
				f.embedded = append([]string{inner.goName()}, f.embedded...)
				out = append(out, f)
			}
			continue
		}
		out = append(out, b.readField(id, text))
	}
	return out
}

// readField reads one line: name, type expression, marks.
func (b *builtin) readField(id, text string) *Field {
	words := strings.SplitN(text, " ", 3)
	f := &Field{Name: strings.TrimRight(words[0], "?!"), DeclaredIn: id}
	f.OmitEmpty = strings.Contains(words[0], "?")
	f.OmitZero = strings.HasSuffix(words[0], "!")
	f.Type, f.Pointer = b.expr(words[1], id)
	if len(words) < 3 {
		return f
	}
	marks := words[2]
	// The default comes last: its JSON may hold blanks.
	if before, value, ok := strings.Cut(" "+marks, " default="); ok {
		marks = before
		f.HasDefault = true
		if err := json.Unmarshal([]byte(value), &f.Default); err != nil {
			panic(fmt.Sprintf("catalog: %s.%s: default: %v", id, f.Name, err))
		}
	}
	for _, mark := range strings.Fields(marks) {
		name, value, _ := strings.Cut(mark, "=")
		switch name {
		case "list":
			if keys, ok := strings.CutPrefix(value, "map("); ok {
				f.ListType, f.ListMapKeys = "map", strings.Split(strings.TrimSuffix(keys, ")"), ",")
			} else {
				f.ListType = value
			}
		case "map":
			f.MapType = value
		}
	}
	return f
}

func (b *builtin) readEnum(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		text, in, err := cutRange(strings.TrimSpace(line), b.version)
		if err != nil {
			panic("catalog: " + err.Error())
		}
		if in {
			out = append(out, strings.TrimPrefix(text, "="))
		}
	}
	return out
}

// NewStruct returns a struct type with the given fields, for kinds that neither a server nor a CRD
// defines.
func NewStruct(fields ...*Field) *Type {
	return &Type{Kind: Struct, read: func(t *Type) { t.fields = fields }}
}
