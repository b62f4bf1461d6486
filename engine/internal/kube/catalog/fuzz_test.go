package catalog

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzDefault holds that defaulting changes no input, and that what has its defaults
// gets no others.
func FuzzDefault(f *testing.F) {
	target := variants.Of(f, 300)
	target.Add([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","ports":[{"containerPort":1}]}]}}`), uint8(7))
	target.Add([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{}]}}}}`), uint8(0))
	target.Add([]byte(`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":1}],"type":"NodePort"}}`), uint8(3))
	versions := version.All()
	target.Fuzz(func(t *testing.T, raw []byte, at uint8) {
		c, err := For(versions[int(at)%len(versions)])
		if err != nil {
			t.Fatal(err)
		}
		var given map[string]any
		if utiljson.Unmarshal(raw, &given) != nil || given == nil {
			return
		}
		apiVersion, _ := given["apiVersion"].(string)
		kind, _ := given["kind"].(string)
		gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
		canonical, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.DecodeLenient(gvk, canonical); err != nil {
			return // the server refuses it before there are defaults
		}
		object, _ := c.Normalise(gvk, given)
		before := runtime.DeepCopyJSON(object)
		once := c.Default(gvk, object)
		if !reflect.DeepEqual(object, before) {
			t.Fatalf("the input was changed to %v", object)
		}
		if twice := c.Default(gvk, once); !reflect.DeepEqual(once, twice) {
			t.Fatalf("%v, then %v", once, twice)
		}
	})
}
