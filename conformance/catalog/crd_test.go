package catalog

import (
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	ours "github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

var (
	schemaCount = flag.Int("schemas", 1500, "how many random schemas to compare")
	seed        = flag.Uint64("seed", 1, "seed of the generators")
)

var thing = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}

// customKind is a CRD in the server's and in our form.
type customKind struct {
	schema     map[string]any
	structural *structural.Structural
	converter  managedfields.TypeConverter
	ours       *ours.Catalog
}

// TestCustomKinds compares all operations on objects of custom kinds.
func TestCustomKinds(t *testing.T) {
	g := newSchemaGenerator(*seed)
	objects, refused := 0, 0
	for range *schemaCount {
		kind := newCustomKind(t, g.root())
		for range 4 {
			object := g.object(kind.schema, 5)
			object["apiVersion"], object["kind"], object["metadata"] = "example.com/v1", "Thing", map[string]any{"name": "n"}
			if g.oneIn(5) {
				object["undeclared"] = int64(1)
			}
			live := kind.compareObject(t, object)
			if kind.compareMerge(t, live, g.object(kind.schema, 3)) {
				refused++
			}
			objects++
			if t.Failed() {
				t.Fatalf("schema %s\nobject %s", text(kind.schema), text(object))
			}
		}
	}
	t.Logf("%d schemas, %d objects, %d patches that do not fit: all alike", *schemaCount, objects, refused)
}

func newCustomKind(t *testing.T, root map[string]any) *customKind {
	t.Helper()
	value := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names":    map[string]any{"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root}}},
		},
	}
	var crd apiextensionsv1.CustomResourceDefinition
	check(t, json.Unmarshal([]byte(text(value)), &crd))
	internal := &apiextensions.JSONSchemaProps{}
	check(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil))
	k := &customKind{schema: root}
	var err error
	k.structural, err = structural.NewStructural(internal)
	check(t, err)
	if errs := structural.ValidateStructural(nil, k.structural); len(errs) > 0 {
		t.Fatalf("the generator made a schema that is not structural: %v", errs)
	}
	check(t, defaulting.PruneDefaults(k.structural))
	published, err := builder.BuildOpenAPIV3(&crd, "v1", builder.Options{})
	check(t, err)
	var api spec3.OpenAPI
	check(t, json.Unmarshal([]byte(text(published)), &api)) // as a client receives it
	k.converter, err = managedfields.NewTypeConverter(api.Components.Schemas, false)
	check(t, err)
	builtin, err := ours.For(version.Newest())
	check(t, err)
	c, problems := builtin.WithCRDs([]ours.CRD{{Value: value}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	k.ours = c
	return k
}

// compareObject prunes, defaults and decodes. It returns the decoded and defaulted object.
func (k *customKind) compareObject(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	want := runtime.DeepCopyJSON(object)
	wantPaths := pruning.PruneWithOptions(want, k.structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	got, gotPaths := k.ours.Prune(thing, object)
	same(t, "pruned", want, got)
	slices.Sort(wantPaths)
	if strings.Join(wantPaths, ",") != strings.Join(gotPaths, ",") {
		t.Errorf("unknown fields: %v, want %v", gotPaths, wantPaths)
	}

	want = runtime.DeepCopyJSON(object)
	defaulting.Default(want, k.structural)
	same(t, "defaulted", want, k.ours.Default(thing, object))

	want = runtime.DeepCopyJSON(object)
	pruning.Prune(want, k.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(want, k.structural)
	err := objectmeta.Coerce(nil, want, k.structural, false, false)
	got, _ = k.ours.Normalise(thing, object)
	if err == nil {
		same(t, "decoded", want, got)
	}
	return k.ours.Default(thing, got)
}

// compareMerge reports whether the patch was rejected.
func (k *customKind) compareMerge(t *testing.T, live, patch map[string]any) bool {
	t.Helper()
	merger, ok := k.ours.SMD(thing)
	if !ok {
		t.Fatal("no merger")
	}
	got, gotErr := merger.Merge(live, patch)
	return compareMerged(t, got, gotErr, patch, func() (map[string]any, error) {
		return serverMerge(k.converter, runtime.DeepCopyJSON(live), runtime.DeepCopyJSON(patch), typed.AllowDuplicates)
	})
}

// compareMerged compares a merge result with the server's, and reports whether it is an error. If a
// map has several mistakes, the server names a random one, so compareMerged repeats the merge until
// it names ours.
func compareMerged(t *testing.T, got map[string]any, gotErr error, patch map[string]any, server func() (map[string]any, error)) bool {
	t.Helper()
	want, wantErr := server()
	for i := 0; i < 60 && !sameError(gotErr, wantErr); i++ {
		want, wantErr = server()
	}
	if !sameError(gotErr, wantErr) {
		t.Errorf("patch %s\n got %v\nwant %v", text(patch), gotErr, wantErr)
	}
	if wantErr == nil {
		same(t, "merged", want, got)
	}
	return wantErr != nil
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s:\n got %s\nwant %s", what, text(got), text(want))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text returns a value as JSON.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the value came from JSON
	}
	return string(data)
}

// fromJSON reads an object into unstructured form.
func fromJSON(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	check(t, utiljson.Unmarshal(data, &out))
	return out
}
