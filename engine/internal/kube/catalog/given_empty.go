package catalog

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// onlyForNil lists, by kind, the lists and maps whose defaults apply only if they are nil
// (obj.Field == nil in the defaulting functions): an empty one stays. All other defaults check the
// length.
var onlyForNil = map[schema.GroupVersionKind][]string{
	{Version: "v1", Kind: "Node"}: {"status.allocatable"},
	hpaKind("v2"):                 {"spec.behavior.scaleUp.policies", "spec.behavior.scaleDown.policies"},
}

// WithoutGivenEmpty removes the defaults of lists and maps that were given empty. The normal form,
// to which defaults apply, has dropped those. It changes completed in place.
func WithoutGivenEmpty(kind schema.GroupVersionKind, given, completed map[string]any) map[string]any {
	for _, path := range onlyForNil[kind] {
		fields := strings.Split(path, ".")
		if parent, last := untyped.Sub(completed, fields[:len(fields)-1]...), fields[len(fields)-1]; givenEmpty(untyped.At[any](given, fields...)) && parent != nil {
			delete(parent, last)
		}
	}
	return completed
}

func givenEmpty(value any) bool {
	switch value := value.(type) {
	case []any:
		return value != nil && len(value) == 0
	case map[string]any:
		return value != nil && len(value) == 0
	}
	return false
}
