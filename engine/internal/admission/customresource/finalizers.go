package customresource

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// standardFinalizers are the names without a path that the server knows.
var standardFinalizers = []string{"orphan", "foregroundDeletion", "kubernetes"}

// finalizerWarnings are those about the finalizers that an object adds, by name;
// old is nil for a new object.
func finalizerWarnings(object, old map[string]any, v version.Version) []string {
	names := (&unstructured.Unstructured{Object: object}).GetFinalizers()
	before := (&unstructured.Unstructured{Object: old}).GetFinalizers()
	slices.Sort(names)
	var out []string
	for _, name := range slices.Compact(names) {
		if strings.Contains(name, "/") || slices.Contains(standardFinalizers, name) || slices.Contains(before, name) {
			continue
		}
		path := ""
		if strings.Contains(name, ".") && v.Has(version.FinalizerPathsWarned) {
			path = " including a path (/)"
		}
		out = append(out, fmt.Sprintf("metadata.finalizers: %q: prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers", name, path))
	}
	return out
}
