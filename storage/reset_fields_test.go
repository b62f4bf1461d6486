package storage

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/preadmit/preadmit/engine/registry"
)

// TestResetFields: registry.ResetFields says what the strategies say, in every version.
func TestResetFields(t *testing.T) {
	compared := 0
	for resource, of := range kinds {
		strategies := map[string]any{"": of.object}
		for name, strategy := range of.subresources {
			strategies[name] = strategy
		}
		for name, strategy := range strategies {
			resets, ok := strategy.(rest.ResetFieldsStrategy)
			if !ok || name != "" && name != "status" && name != "approval" {
				continue
			}
			for version, set := range resets.GetResetFields() {
				compared++
				var want []string
				set.Iterate(func(p fieldpath.Path) { want = append(want, strings.TrimPrefix(p.String(), ".")) })
				slices.Sort(want)
				if got := registry.ResetFields(resource, name, true); !slices.Equal(got, want) {
					t.Errorf("%v %q, %s: %v, but the strategy resets %v", resource, name, version, got, want)
				}
			}
		}
	}
	if compared < 40 {
		t.Errorf("compared only %d", compared)
	}
}
