package storage

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/registry"
)

// The engine's list of this package's resources is the actual one.
func TestResources(t *testing.T) {
	for resource, of := range kinds {
		for _, sub := range append(slices.Collect(maps.Keys(of.subresources)), "") {
			if !registry.Has(resource, sub) {
				t.Errorf("registry.Has knows nothing of %v/%s", resource, sub)
			}
		}
		for _, sub := range []string{"status", "scale", "finalize", "approval", "resize", "ephemeralcontainers"} {
			if registry.Has(resource, sub) != (of.subresources[sub] != nil) {
				t.Errorf("registry.Has says %t of %v/%s", registry.Has(resource, sub), resource, sub)
			}
		}
	}
	for resource := range reviews {
		if !registry.Has(resource, "") || registry.Has(resource, "status") {
			t.Errorf("registry.Has does not know that %v is reviewed", resource)
		}
	}
	for resource := range registry.Resources() {
		if _, known := kinds[resource]; !known && reviews[resource] == nil {
			t.Errorf("there is no code for %v", resource)
		}
	}
	if registry.Has(schema.GroupResource{Resource: "bindings"}, "") {
		t.Error("there is code for bindings")
	}
}
