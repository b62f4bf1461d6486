package catalog

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// serverMerge applies a patch as the server's ApplyConfiguration patcher does, with the server's
// type converter. Both objects must be unshared. options apply to the live object: servers accept
// duplicates in it since 1.35.
func serverMerge(converter managedfields.TypeConverter, live, patch map[string]any, options ...typed.ValidationOptions) (map[string]any, error) {
	patch["apiVersion"], patch["kind"] = live["apiVersion"], live["kind"]
	typedPatch, err := converter.ObjectToTyped(&unstructured.Unstructured{Object: patch})
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if paths := atomicPaths(nil, typedPatch.Schema(), typedPatch.TypeRef(), typedPatch.AsValue()); len(paths) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(paths, ", "))
	}
	typedLive, err := converter.ObjectToTyped(&unstructured.Unstructured{Object: live}, options...)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := typedLive.Merge(typedPatch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	object, err := converter.TypedToObject(merged)
	if err != nil {
		return nil, err
	}
	return object.(*unstructured.Unstructured).Object, nil
}

// atomicPaths finds a patch's atomic values as the server's check does: it only follows declared
// fields and list items.
func atomicPaths(path []fieldpath.PathElement, s *schema.Schema, ref schema.TypeRef, v value.Value) (out []string) {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == schema.Atomic {
			out = append(out, fieldpath.Path(path).String())
		}
		v.AsMap().Iterate(func(key string, item value.Value) bool {
			if f, declared := atom.Map.FindField(key); declared {
				out = append(out, atomicPaths(append(path, fieldpath.PathElement{FieldName: &key}), s, f.Type, item)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == schema.Atomic {
			out = append(out, fieldpath.Path(path).String())
		}
		items := v.AsList()
		for i := range items.Length() {
			out = append(out, atomicPaths(append(path, fieldpath.PathElement{Index: &i}), s, atom.List.ElementType, items.At(i))...)
		}
	}
	return out
}

// sameError compares two errors. Both sides walk maps in random order, so lists of paths and errors
// are compared without their order.
func sameError(a, b error) bool { return normalError(a) == normalError(b) }

func normalError(err error) string {
	if err == nil {
		return ""
	}
	head, list, found := strings.Cut(err.Error(), "structs: ")
	separator := ", "
	if !found {
		head, list, found = strings.Cut(err.Error(), "errors:\n")
		separator = "\n"
	}
	if !found {
		return err.Error()
	}
	parts := strings.Split(list, separator)
	slices.Sort(parts)
	return head + strings.Join(parts, separator)
}
