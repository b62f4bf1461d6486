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
			if got, want := kept.kind(kind), none.kind(kind); !maps.Equal(got, want) || want["kind"] != kind.Kind {
				t.Fatalf("got %v, want %v", got, want)
			}
			if got, want := kept.resource(resource), none.resource(resource); !maps.Equal(got, want) || want["resource"] != resource.Resource {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	n := 0
	kept.kept.Range(func(any, any) bool { n++; return true })
	if n != maxKindValues {
		t.Errorf("%d are kept, want %d", n, maxKindValues)
	}
}
