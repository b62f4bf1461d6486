package run

import (
	"fmt"
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestKindValues: what is kept is what is made, and strangers cannot make it grow.
func TestKindValues(t *testing.T) {
	var kept KindValues
	var none *KindValues
	for range 2 {
		for i := range maxKindValues + 10 {
			kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: fmt.Sprint("K", i)}
			resource := kind.GroupVersion().WithResource(fmt.Sprint("k", i))
			if got, want := kept.kind(kind), none.kind(kind); !maps.Equal(got.value, want.value) || got.text != kind.String() || want.value["kind"] != kind.Kind {
				t.Fatalf("got %v, want %v", got, want)
			}
			if got, want := kept.resource(resource), none.resource(resource); !maps.Equal(got.value, want.value) || got.text != resource.String() || want.value["resource"] != resource.Resource {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	if k, r := len(kept.kinds), len(kept.resources); k != maxKindValues || r != maxKindValues {
		t.Errorf("%d kinds and %d resources are kept, want %d", k, r, maxKindValues)
	}
}
