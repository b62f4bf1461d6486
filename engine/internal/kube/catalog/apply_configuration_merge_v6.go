package catalog

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// merger6 merges with structured-merge-diff v6, as Kubernetes does since 1.34. merger4 is its twin
// for older versions: the two major versions share no types.
type merger6 struct {
	typ          typed.ParseableType
	tolerantLive bool
}

func newMerger6(s *schema.Schema, root string, tolerantLive bool) Merger {
	parser := typed.Parser{Schema: schema.Schema{Types: s.Types}}
	return &merger6{typ: parser.Type(root), tolerantLive: tolerantLive}
}

func (m *merger6) Merge(live, patch map[string]any) (map[string]any, error) {
	typedPatch, err := m.typ.FromUnstructured(withKindOf(live, patch))
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if atomics := atomics6(nil, typedPatch.Schema(), typedPatch.TypeRef(), typedPatch.AsValue()); len(atomics) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(atomics, ", "))
	}
	var options []typed.ValidationOptions
	if m.tolerantLive {
		options = append(options, typed.AllowDuplicates)
	}
	typedLive, err := m.typ.FromUnstructured(live, options...)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := typedLive.Merge(typedPatch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	return mergedObject(merged.AsValue().Unstructured())
}

// atomics6 lists the patch's paths with an atomic type. Like the server's check it skips the values
// of maps without declared keys (semantics §6.5 f).
func atomics6(path []fieldpath.PathElement, s *schema.Schema, ref schema.TypeRef, v value.Value) []string {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	var out []string
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == schema.Atomic {
			out = append(out, pathString6(path))
		}
		v.AsMap().Iterate(func(key string, item value.Value) bool {
			if field, declared := atom.Map.FindField(key); declared {
				out = append(out, atomics6(append(path, fieldpath.PathElement{FieldName: &key}), s, field.Type, item)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == schema.Atomic {
			out = append(out, pathString6(path))
		}
		list := v.AsList()
		for i := range list.Length() {
			out = append(out, atomics6(append(path, fieldpath.PathElement{Index: &i}), s, atom.List.ElementType, list.At(i))...)
		}
	}
	return out
}

func pathString6(path []fieldpath.PathElement) string {
	var b strings.Builder
	for _, element := range path {
		b.WriteString(element.String())
	}
	return b.String()
}
