package catalog

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Merger merges an apply configuration into a live object as the server's structured-merge-diff
// does.
type Merger interface {
	// Merge returns live with patch applied. live's apiVersion and kind replace the patch's. Errors
	// are those in semantics §6.5 e to g, without the prefix "error applying patch: ". It changes
	// neither object.
	Merge(live, patch map[string]any) (map[string]any, error)
}

// SMD returns a kind's merger. It returns false if the server publishes no schema for the kind.
func (c *Catalog) SMD(gvk schema.GroupVersionKind) (Merger, bool) {
	if id, ok := c.resources.typeIDs[gvk]; ok {
		if _, ok := c.ResourceForKind(gvk); !ok {
			return withoutSchema{gvk}, true
		}
		return c.builtinMerger(id), true
	}
	v, ok := c.crds.versions[gvk]
	if !ok {
		return nil, false
	}
	v.mergerOnce.Do(func() {
		v.merger = newMerger(c.version, c.customSchema(v), rootTypeName)
	})
	return v.merger, true
}

// Managed returns the type by which server-side apply merges a kind's objects and tracks the owners of
// their fields. It is that of structured-merge-diff v6 for every release. It returns false if the server
// publishes no schema for the kind.
func (c *Catalog) Managed(gvk schema.GroupVersionKind) (typed.ParseableType, bool) {
	if id, ok := c.resources.typeIDs[gvk]; ok {
		parser := typed.Parser{Schema: smd.Schema{Types: c.builtinSchema(id).Types}}
		return parser.Type(id), true
	}
	v, ok := c.crds.versions[gvk]
	if !ok {
		return typed.ParseableType{}, false
	}
	parser := typed.Parser{Schema: smd.Schema{Types: c.customSchema(v).Types}}
	return parser.Type(rootTypeName), true
}

func (c *Catalog) customSchema(v *customVersion) *smd.Schema {
	b := newSchemaBuilder()
	return b.schemaOf(rootTypeName, b.crdRoot(v, c.named("meta/v1.ObjectMeta")))
}

func (b *builtin) builtinSchema(id string) *smd.Schema {
	sb := newSchemaBuilder()
	sb.ref(b.named(id), "")
	return sb.finish()
}

// MergerIn returns a kind's merger from the OpenAPI document of a group and version, which has only
// their kinds.
func (c *Catalog) MergerIn(document schema.GroupVersion, gvk schema.GroupVersionKind) Merger {
	if m, ok := c.SMD(gvk); ok && gvk.GroupVersion() == document {
		return m
	}
	return withoutSchema{gvk}
}

// withoutSchema merges kinds that only subresources use: Scale, Eviction, TokenRequest and the
// options of CONNECT requests. The server looks for a kind in the OpenAPI document of the kind's
// own group and version, but these are in other documents or in none. It implements Merger.
type withoutSchema struct{ kind schema.GroupVersionKind }

func (w withoutSchema) Merge(map[string]any, map[string]any) (map[string]any, error) {
	return nil, fmt.Errorf("failed to convert patch object to typed object: no corresponding type for %v", w.kind)
}

// rootTypeName is the schema's name for a CRD's objects.
const rootTypeName = "object"

func (b *builtin) builtinMerger(id string) Merger {
	b.mu.Lock()
	m := b.mergers[id]
	b.mu.Unlock()
	if m != nil {
		return m
	}
	m = newMerger(b.version, b.builtinSchema(id), id)
	if b.version.Has(version.DuplicatesInLive) {
		m = newPartMerger(m, b.named(id))
	}
	b.mu.Lock()
	b.mergers[id] = m
	b.mu.Unlock()
	return m
}

func newMerger(v version.Version, s *smd.Schema, root string) Merger {
	if !v.Has(version.OptionalListKeys) {
		return newMerger4(s, root)
	}
	return newMerger6(s, root, v.Has(version.DuplicatesInLive))
}

// schemaBuilder builds a structured-merge-diff schema from types, by the rules of kube-openapi's
// conversion from OpenAPI v3. The server merges with that: lists without a list type are atomic,
// maps and structs are granular.
type schemaBuilder struct {
	out  smd.Schema
	done map[string]bool
}

// The conversion's type names for values without schema: untyped ones are atomic, deduced ones
// merge maps by key.
var (
	untypedName = "__untyped_atomic_"
	deducedName = "__untyped_deduced_"
)

func newSchemaBuilder() *schemaBuilder { return &schemaBuilder{done: map[string]bool{}} }

// schemaOf completes a schema with the root atom.
func (b *schemaBuilder) schemaOf(name string, atom smd.Atom) *smd.Schema {
	b.out.Types = append(b.out.Types, smd.TypeDef{Name: name, Atom: atom})
	return b.finish()
}

func (b *schemaBuilder) finish() *smd.Schema {
	b.out.Types = append(b.out.Types,
		smd.TypeDef{Name: untypedName, Atom: untypedAtom(smd.Atomic, untypedName)},
		smd.TypeDef{Name: deducedName, Atom: untypedAtom(smd.Separable, deducedName)})
	return &b.out
}

// untypedAtom accepts any value. Maps have the given relationship and value type; lists are atomic.
func untypedAtom(maps smd.ElementRelationship, values string) smd.Atom {
	return smd.Atom{
		Scalar: new(smd.Scalar("untyped")),
		List:   &smd.List{ElementType: smd.TypeRef{NamedType: &untypedName}, ElementRelationship: smd.Atomic},
		Map:    &smd.Map{ElementType: smd.TypeRef{NamedType: &values}, ElementRelationship: maps},
	}
}

// relationship translates the API's map type.
func relationship(mapType string) smd.ElementRelationship {
	switch mapType {
	case "atomic":
		return smd.Atomic
	case "granular":
		return smd.Separable
	}
	return ""
}

// ref returns a reference to a type. Structs become named types, so that types may contain
// themselves. mapType is the field's own and overrides the type's.
func (b *schemaBuilder) ref(t *Type, mapType string) smd.TypeRef {
	if t.Kind != Struct && t.Kind != Custom {
		return smd.TypeRef{Inlined: b.atom(t, mapType)}
	}
	if !b.done[t.ID] {
		b.done[t.ID] = true
		atom := b.atom(t, t.MapType)
		b.out.Types = append(b.out.Types, smd.TypeDef{Name: t.ID, Atom: atom})
	}
	out := smd.TypeRef{NamedType: new(t.ID)}
	if r := relationship(mapType); r != "" {
		out.ElementRelationship = &r
	}
	return out
}

// atom describes a type's values.
func (b *schemaBuilder) atom(t *Type, mapType string) smd.Atom {
	switch t.Kind {
	case Struct:
		m := &smd.Map{ElementRelationship: relationship(mapType)}
		for _, f := range t.Fields() {
			m.Fields = append(m.Fields, b.field(f))
		}
		if len(m.Fields) == 0 {
			m.ElementType = smd.TypeRef{NamedType: &deducedName}
		}
		return smd.Atom{Map: m}
	case Map:
		return smd.Atom{Map: &smd.Map{ElementType: b.ref(t.Elem, ""), ElementRelationship: relationship(mapType)}}
	case List:
		return smd.Atom{List: b.list(t, "", nil)}
	case String, Bytes:
		return smd.Atom{Scalar: new(smd.String)}
	case Boolean:
		return smd.Atom{Scalar: new(smd.Boolean)}
	case Integer, Number:
		return smd.Atom{Scalar: new(smd.Numeric)}
	}
	return customAtom(t.ID)
}

func (b *schemaBuilder) field(f *Field) smd.StructField {
	out := smd.StructField{Name: f.Name, Default: f.schemaDefault()}
	if f.Type.Kind == List {
		out.Type = smd.TypeRef{Inlined: smd.Atom{List: b.list(f.Type, f.ListType, f.ListMapKeys)}}
	} else {
		out.Type = b.ref(f.Type, f.MapType)
	}
	return out
}

func (b *schemaBuilder) list(t *Type, listType string, keys []string) *smd.List {
	out := &smd.List{ElementType: b.ref(t.Elem, ""), ElementRelationship: smd.Atomic}
	switch listType {
	case "set":
		out.ElementRelationship = smd.Associative
	case "map":
		out.ElementRelationship, out.Keys = smd.Associative, keys
	}
	return out
}

// customAtom describes self-decoding types by their published OpenAPI v3 schemas.
func customAtom(id string) smd.Atom {
	switch id {
	case "resource.Quantity", "meta/v1.Time", "meta/v1.MicroTime":
		return smd.Atom{Scalar: new(smd.Scalar("untyped"))}
	case "meta/v1.Duration":
		return smd.Atom{Scalar: new(smd.String)}
	case "meta/v1.FieldsV1":
		return smd.Atom{Map: &smd.Map{ElementType: smd.TypeRef{NamedType: &deducedName}}}
	case "runtime.RawExtension":
		return untypedAtom(smd.Atomic, untypedName)
	}
	// int-or-string and the JSON types publish no type.
	return untypedAtom("", deducedName)
}

// schemaDefault returns the published schema's default: the declared one, or the zero value that a
// field without pointer and omitempty always has. Merging uses it for keys of associative lists.
func (f *Field) schemaDefault() any {
	switch {
	case f.HasDefault:
		return f.Default
	case f.Pointer:
		return nil
	case f.Type.Kind == Struct:
		return map[string]any{}
	case f.OmitEmpty:
		return nil
	}
	switch f.Type.Kind {
	case String:
		return ""
	case Boolean:
		return false
	case Integer, Number:
		return float64(0) // as in the schema's JSON
	}
	return nil
}

// withKindOf returns the patch with the live object's apiVersion and kind.
func withKindOf(live, patch map[string]any) map[string]any {
	out := make(map[string]any, len(patch)+2)
	maps.Copy(out, patch)
	for _, key := range []string{"apiVersion", "kind"} {
		if value, ok := live[key]; ok {
			out[key] = value
		} else {
			delete(out, key)
		}
	}
	return out
}

// mergedObject checks a merge result. It shares values with both objects.
func mergedObject(v any) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("failed to convert typed object to object: failed to convert value to unstructured for type %T", v)
	}
	return m, nil
}
