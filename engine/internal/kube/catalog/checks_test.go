package catalog_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestChecks reads the checks of every kind of every version: each leads through
// fields that the kind has.
func TestChecks(t *testing.T) {
	found := 0
	for _, v := range version.All() {
		c, err := catalog.For(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range c.Kinds() {
			if !resource.Builtin {
				continue
			}
			for _, check := range c.Checks(resource.GVK).List {
				found++
				typ, _ := c.TypeOf(resource.GVK)
				for _, step := range check.Path {
					f := typ.Field(step.Field)
					if f == nil {
						t.Fatalf("%s, %s: %v leads to no field", v, resource.GVK, check.Path)
					}
					typ = f.Type
					for range step.Lists {
						if typ.Kind != catalog.List {
							t.Fatalf("%s, %s: %v: %s is no list", v, resource.GVK, check.Path, step.Field)
						}
						typ = typ.Elem
					}
				}
				if check.Name == catalog.Enum && len(check.Values) == 0 {
					t.Errorf("%s, %s: %v allows no value", v, resource.GVK, check.Path)
				}
			}
		}
	}
	if found < 500 {
		t.Errorf("%d checks", found)
	}
}

// TestChecksOfPods: what is known of a release whose server was asked.
func TestChecksOfPods(t *testing.T) {
	c, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range c.Checks(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}).List {
		if check.Name == catalog.Enum && len(check.Path) == 2 && check.Path[1].Field == "restartPolicy" {
			if got := strings.Join(check.Values, " "); got != "Always OnFailure Never" {
				t.Errorf("restartPolicy may be %s", got)
			}
			return
		}
	}
	t.Error("nothing is known about restartPolicy")
}
