package mutate

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// applyConfiguration merges the expression's object (semantics §6.5).
func (r *policyRun) applyConfiguration(i run.Invocation, object map[string]any, value ref.Val) (map[string]any, error) {
	configuration, ok := value.(*dynamic.ObjectVal)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", value.Type())
	}
	if err := configuration.CheckTypeNamesMatchFieldPathNames(); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	native, ok := configuration.Value().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid return type: %T", value)
	}
	native["apiVersion"], native["kind"] = object["apiVersion"], object["kind"]
	// An earlier patch may have made it another kind.
	actual := catalog.KindOf(object, schema.GroupVersionKind{})
	merged, err := r.Catalog.MergerIn(i.Kind.GroupVersion(), actual).Merge(object, native)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	return r.Catalog.FromUnstructured(actual, merged)
}

// maxValueDepth bounds the search in nested values.
const maxValueDepth = 100

// holdsObject looks for Object values inside the lists and maps of a patch value.
func holdsObject(value ref.Val, depth int) bool {
	if _, ok := value.(*dynamic.ObjectVal); ok {
		return depth > 0
	}
	if depth > maxValueDepth {
		return false
	}
	switch container := value.(type) {
	case traits.Lister:
		for it := container.Iterator(); it.HasNext() == types.True; {
			if holdsObject(it.Next(), depth+1) {
				return true
			}
		}
	case traits.Mapper:
		for it := container.Iterator(); it.HasNext() == types.True; {
			if holdsObject(container.Get(it.Next()), depth+1) {
				return true
			}
		}
	}
	return false
}

// panics is a crash of the request: the client gets no answer at all.
func (r *policyRun) panics(step *report.Step) error {
	return r.Crash(step, "reflect.Set: value of type *structpb.Struct is not assignable to type *structpb.Value",
		"Up to Kubernetes "+version.ObjectsInPatchLists.Since().Previous().String()+" the API server crashes this request and closes the connection. The patch's value is a list or map with Object{} in it. Write the items as map literals, or add them one by one.")
}
