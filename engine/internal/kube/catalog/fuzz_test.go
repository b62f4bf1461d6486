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

// FuzzDefault checks that defaulting never changes its input and is idempotent.
func FuzzDefault(f *testing.F) {
	target := variants.Of(f, 300)
	target.Add([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","ports":[{"containerPort":1}]}]}}`), uint8(7))
	target.Add([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{}]}}}}`), uint8(0))
	target.Add([]byte(`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":1}],"type":"NodePort"}}`), uint8(3))
	target.Add([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"hostNetwork":true,"tolerations":[{"key":"a","operator":"Exists"}],"containers":[{"name":"a","image":"b","command":["c"],"ports":[{"containerPort":1,"protocol":"TCP"}],
		"env":[{"name":"a","value":"b"},{"name":"c","valueFrom":{"fieldRef":{"fieldPath":"d"}}}],"envFrom":[{"prefix":"e"}],"volumeMounts":[{"name":"a","mountPath":"/b"}],"resources":{"limits":{"cpu":"0.50","memory":1}},"livenessProbe":{"httpGet":{"port":80}}}]}}`), uint8(7))
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
			return // the server rejects it before it sets defaults
		}
		object, _ := c.Normalise(gvk, given)
		compareRead(t, c, gvk, given, canonical)
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

// compareRead checks that reading an object from its value and from its text gives the same, and
// that completing it leaves the value unchanged.
func compareRead(t *testing.T, c *Catalog, gvk schema.GroupVersionKind, given map[string]any, text []byte) (read bool) {
	t.Helper()
	got, ok := c.readValue(gvk, given, 1)
	if !ok {
		return false
	}
	want, problems, ok := c.Read(gvk, text)
	if !ok || len(problems) > 0 || !reflect.DeepEqual(got.Object, want) {
		t.Fatalf("%s is read as %v, not as %v (%v)", text, got.Object, want, problems)
	}
	before := runtime.DeepCopyJSON(given)
	if got, want := c.Complete(gvk, got), c.Complete(gvk, Normal{Object: want}); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s is completed to %v, not to %v", text, got, want)
	}
	if !reflect.DeepEqual(given, before) {
		t.Fatalf("completing changed %v to %v", before, given)
	}
	return true
}
