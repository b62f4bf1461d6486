package catalog_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// oddKeys are possible keys of maps in custom resources.
var oddKeys = []string{"", ".", "..", "[", "[0]", "]", "0", "a.b/c", "__proto__", "metadata", "kind", "a b", `"`, `\`, "\n", "ключ", "\U0001F600", strings.Repeat("k", 300)}

// pruneText has a key in each kind of place that pruning visits.
const pruneText = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},KEY:{KEY:1},"spec":{KEY:{KEY:{}},
	"sizes":{KEY:{KEY:[{KEY:1}],"cpu":3}},"free":{KEY:{KEY:{}},"known":{KEY:"x","a":"b"}},
	"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},KEY:{KEY:2}},"anything":{KEY:{KEY:[{KEY:{}}]}},
	"rules":[{KEY:"x","action":"y"},{"target":{KEY:1}}]}}`

// FuzzPrune compares pruning with the server's own, which the engine does not link. The first input
// is a key; the second, if not empty, a whole object.
func FuzzPrune(f *testing.F) {
	target := variants.Of(f, 200)
	for _, key := range oddKeys {
		target.Add(key, "")
	}
	target.Add("a", `{"spec":{"":[[{"":null}]]}}`)
	c, structural := withSchema(f, thingSchema), structuralThing(f)
	target.Fuzz(func(t *testing.T, key, text string) {
		if text == "" {
			quoted, err := json.Marshal(key)
			if err != nil {
				t.Fatal(err)
			}
			text = strings.ReplaceAll(pruneText, "KEY", string(quoted))
		}
		var given map[string]any
		if json.Unmarshal([]byte(text), &given) != nil || given == nil {
			return
		}
		want := runtime.DeepCopyJSON(given)
		paths := pruning.PruneWithOptions(want, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		got, unknown := c.Prune(thing, given)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is pruned to %v, by the server to %v", text, got, want)
		}
		if len(unknown)+len(paths) > 0 && !reflect.DeepEqual(unknown, paths) {
			t.Fatalf("%s: unknown are %q, for the server %q", text, unknown, paths)
		}
	})
}

// structuralThing is thingSchema, read by the server's own library.
func structuralThing(f *testing.F) *structuralschema.Structural {
	f.Helper()
	raw, err := json.Marshal(object(f, thingSchema))
	if err != nil {
		f.Fatal(err)
	}
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &v1); err != nil {
		f.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		f.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		f.Fatal(err)
	}
	return structural
}
