package catalog

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// onlyForNil are the lists and maps, by kind, whose defaults are for one that is not there alone
// (obj.Field == nil in the defaulting functions): an empty one stays. All others ask for the length.
var onlyForNil = map[schema.GroupVersionKind][]string{
	{Version: "v1", Kind: "Node"}: {"status.allocatable"},
	hpaKind("v2"):                 {"spec.behavior.scaleUp.policies", "spec.behavior.scaleDown.policies"},
}

// WithoutGivenEmpty takes the defaults of lists and maps away that an object was given with empty.
// The normal form of an object, which gets the defaults, does not have those. What is completed is
// changed.
func WithoutGivenEmpty(kind schema.GroupVersionKind, given, completed map[string]any) map[string]any {
	for _, path := range onlyForNil[kind] {
		fields := strings.Split(path, ".")
		if parent, last := mapAt(completed, fields[:len(fields)-1]...), fields[len(fields)-1]; givenEmpty(at(given, fields...)) && parent != nil {
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
