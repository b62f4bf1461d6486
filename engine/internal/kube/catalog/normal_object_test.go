package catalog_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog/catalogtest"
)

// TestReadValue reads random objects of all kinds from values and from JSON, and completes both.
// Shared lists must not change.
func TestReadValue(t *testing.T) {
	read, all, shared := 0, 0, 0
	for _, minor := range []string{"1.30", "1.37"} {
		c := mustCatalog(t, minor)
		random := catalogtest.New(16)
		for _, r := range c.Kinds() {
			kind, known := c.TypeOf(r.GVK)
			if !known {
				continue
			}
			for range 12 {
				text, err := json.Marshal(random.Object(r.GVK, kind))
				if err != nil {
					t.Fatal(err)
				}
				given := object(t, string(text))
				if text, err = json.Marshal(given); err != nil {
					t.Fatal(err)
				}
				before := runtime.DeepCopyJSON(given)
				for _, long := range []int{1, 1000} {
					all++
					got, ok := catalog.ReadValueLong(c, r.GVK, given, long)
					if !ok {
						continue
					}
					read++
					want, problems, ok := c.Read(r.GVK, text)
					if !ok || len(problems) > 0 || !reflect.DeepEqual(got.Object, want) {
						t.Fatalf("%s in %s is read with %v and %v: %v", text, minor, ok, problems, differences("", want, got.Object))
					}
					shared += catalog.Given(got)
					completed := c.Complete(r.GVK, got)
					for _, diff := range differences("", c.Complete(r.GVK, catalog.Normal{Object: want}), completed) {
						t.Errorf("%s in %s, completed: %s", text, minor, diff)
					}
					if !reflect.DeepEqual(given, before) {
						t.Fatalf("%s in %s: completing has changed it to %v", text, minor, given)
					}
				}
			}
		}
	}
	if t.Logf("%d of %d are read, with %d lists that stay", read, all, shared); read < all/10 || shared < 20 {
		t.Errorf("only %d of %d are read, with %d lists that stay", read, all, shared)
	}
}
