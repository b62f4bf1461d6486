package catalog_test

import (
	"testing"
)

// TestRecordedObjectsAreDefaulted proves that defaulting and conversion add
// nothing to what a real server has defaulted and converted.
func TestRecordedObjectsAreDefaulted(t *testing.T) {
	builtin := mustCatalog(t, "1.36")
	count := map[string]int{}
	for _, v := range vectorObjects(t) {
		c, _ := builtin.WithCRDs(v.crds)
		got := c.Roundtrip(v.gvk, c.Default(v.gvk, v.object))
		for _, diff := range differences("", v.object, got) {
			t.Errorf("%s: %s", v.where, diff)
		}
		count[v.gvk.Kind]++
	}
	t.Logf("objects by kind: %v", count)
}
