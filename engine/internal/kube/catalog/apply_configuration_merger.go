package catalog

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// merger merges with one major version of structured-merge-diff, whose typed values are V.
type merger[V interface{ Merge(V) (V, error) }] struct {
	schema *schema.Schema
	root   string
	read   func(object any, live bool) (V, error)
	plain  func(V) any
}

// newMerger6 merges with structured-merge-diff v6, as Kubernetes does since 1.34. The live object may
// have duplicates if tolerantLive is set.
func newMerger6(s *schema.Schema, root string, tolerantLive bool) Merger {
	parser := typed.Parser{Schema: schema.Schema{Types: s.Types}}
	kind := parser.Type(root)
	return &merger[*typed.TypedValue]{
		schema: s, root: root,
		read: func(object any, live bool) (*typed.TypedValue, error) {
			if live && tolerantLive {
				return kind.FromUnstructured(object, typed.AllowDuplicates)
			}
			return kind.FromUnstructured(object)
		},
		plain: func(v *typed.TypedValue) any { return v.AsValue().Unstructured() },
	}
}

// Merge implements [Merger].
func (m *merger[V]) Merge(live, patch map[string]any) (map[string]any, error) {
	patch = withKindOf(live, patch)
	typedPatch, err := m.read(patch, false)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if list := atomics("", m.schema, schema.TypeRef{NamedType: &m.root}, value.NewValueInterface(patch)); len(list) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(list, ", "))
	}
	typedLive, err := m.read(live, true)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := typedLive.Merge(typedPatch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	return mergedObject(m.plain(merged))
}

// atomics lists the patch's paths with an atomic type. Like the server's check it skips the values
// of maps without declared keys (semantics §6.5 f).
func atomics(path string, s *schema.Schema, ref schema.TypeRef, v value.Value) []string {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	var out []string
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == schema.Atomic {
			out = append(out, path)
		}
		v.AsMap().Iterate(func(key string, item value.Value) bool {
			if field, declared := atom.Map.FindField(key); declared {
				out = append(out, atomics(path+fieldpath.PathElement{FieldName: &key}.String(), s, field.Type, item)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == schema.Atomic {
			out = append(out, path)
		}
		list := v.AsList()
		for i := range list.Length() {
			out = append(out, atomics(path+fieldpath.PathElement{Index: &i}.String(), s, atom.List.ElementType, list.At(i))...)
		}
	}
	return out
}
