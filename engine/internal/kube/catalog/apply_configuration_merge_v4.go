package catalog

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v4/value"
	smd6 "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// merger4 merges with structured-merge-diff v4, as Kubernetes did until 1.33. merger6 is its twin:
// the two major versions share no types.
type merger4 struct {
	typ typed.ParseableType
}

func newMerger4(s *schema.Schema, root string) Merger {
	parser := typed.Parser{Schema: schema.Schema{Types: s.Types}}
	return &merger4{typ: parser.Type(root)}
}

func (m *merger4) Merge(live, patch map[string]any) (map[string]any, error) {
	typedPatch, err := m.typ.FromUnstructured(withKindOf(live, patch))
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if atomics := atomics4(nil, typedPatch.Schema(), typedPatch.TypeRef(), typedPatch.AsValue()); len(atomics) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(atomics, ", "))
	}
	typedLive, err := m.typ.FromUnstructured(live)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := typedLive.Merge(typedPatch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	return mergedObject(merged.AsValue().Unstructured())
}

// atomics4 lists the patch's paths with an atomic type. Like the server's check it skips the values
// of maps without declared keys (semantics §6.5 f).
func atomics4(path []fieldpath.PathElement, s *schema.Schema, ref schema.TypeRef, v value.Value) []string {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	var out []string
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == schema.Atomic {
			out = append(out, pathString4(path))
		}
		v.AsMap().Iterate(func(key string, item value.Value) bool {
			if field, declared := atom.Map.FindField(key); declared {
				out = append(out, atomics4(append(path, fieldpath.PathElement{FieldName: &key}), s, field.Type, item)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == schema.Atomic {
			out = append(out, pathString4(path))
		}
		list := v.AsList()
		for i := range list.Length() {
			out = append(out, atomics4(append(path, fieldpath.PathElement{Index: &i}), s, atom.List.ElementType, list.At(i))...)
		}
	}
	return out
}

func pathString4(path []fieldpath.PathElement) string {
	var b strings.Builder
	for _, element := range path {
		b.WriteString(element.String())
	}
	return b.String()
}

// schemaForV4 copies a schema into v4's types.
func schemaForV4(in *smd6.Schema) *schema.Schema {
	out := &schema.Schema{}
	for _, t := range in.Types {
		out.Types = append(out.Types, schema.TypeDef{Name: t.Name, Atom: atomForV4(t.Atom)})
	}
	return out
}

func atomForV4(in smd6.Atom) schema.Atom {
	var out schema.Atom
	if in.Scalar != nil {
		scalar := schema.Scalar(*in.Scalar)
		out.Scalar = &scalar
	}
	if in.List != nil {
		out.List = &schema.List{
			ElementType:         refForV4(in.List.ElementType),
			ElementRelationship: schema.ElementRelationship(in.List.ElementRelationship),
			Keys:                in.List.Keys,
		}
	}
	if in.Map != nil {
		out.Map = &schema.Map{
			ElementType:         refForV4(in.Map.ElementType),
			ElementRelationship: schema.ElementRelationship(in.Map.ElementRelationship),
		}
		for _, f := range in.Map.Fields {
			out.Map.Fields = append(out.Map.Fields, schema.StructField{Name: f.Name, Type: refForV4(f.Type), Default: f.Default})
		}
	}
	return out
}

func refForV4(in smd6.TypeRef) schema.TypeRef {
	out := schema.TypeRef{NamedType: in.NamedType, Inlined: atomForV4(in.Inlined)}
	if in.ElementRelationship != nil {
		r := schema.ElementRelationship(*in.ElementRelationship)
		out.ElementRelationship = &r
	}
	return out
}
