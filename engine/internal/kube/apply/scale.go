package apply

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// OwnReplicas returns a Scale with the managers who own the number of replicas of the scaled object, which is
// at path (".spec.replicas"). A server adds them before it applies to the Scale, but not to one that a
// client reads.
func OwnReplicas(scale, scaled map[string]any, path string) (map[string]any, error) {
	var names []any
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		names = append(names, name)
	}
	at, err := fieldpath.MakePath(names...)
	if err != nil {
		return nil, err
	}
	entries, paths := (&unstructured.Unstructured{Object: scaled}).GetManagedFields(), managedfields.ResourcePathMappings{}
	for _, entry := range entries {
		paths[entry.APIVersion] = at
	}
	owners, err := managedfields.NewScaleHandler(entries, schema.GroupVersion{}, paths).ToSubresource()
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(scale)}
	out.SetManagedFields(owners)
	return out.Object, nil
}
