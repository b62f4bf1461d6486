package catalog

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	ours "github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog/catalogtest"
	"github.com/preadmit/preadmit/engine/internal/version"
)

var mergeCount = flag.Int("merges", 30, "how many patches to compare per built-in kind and release")

// kubernetesReleases are the compared releases, as in conformance/reference. The module
// k8s.io/kubernetes has the OpenAPI documents that its server publishes, and the roles that it
// creates.
var kubernetesReleases = map[string]string{
	"1.30": "v1.30.14", "1.31": "v1.31.14", "1.32": "v1.32.13", "1.33": "v1.33.13",
	"1.34": "v1.34.10", "1.35": "v1.35.4", "1.36": "v1.36.3", "1.37": "v1.37.0",
}

// TestBuiltinKinds merges random patches into random objects of every built-in kind in every
// release, with the catalog and with the converter that the server builds from its own OpenAPI
// documents.
func TestBuiltinKinds(t *testing.T) {
	for _, v := range version.All() {
		minor := v.String()
		t.Run(minor, func(t *testing.T) {
			c, err := ours.For(v)
			check(t, err)
			documents := openAPIDocuments(t, kubernetesReleases[minor])
			kinds, refused, merged := 0, 0, 0
			for _, r := range c.Kinds() {
				document, ok := documents[r.GVK.GroupVersion()]
				if !ok {
					if r.Served && r.GVK.Group != "apiregistration.k8s.io" {
						t.Errorf("%s publishes no document for %v", minor, r.GVK.GroupVersion())
					}
					continue
				}
				if !r.Served && !publishes(document.converter(t), r.GVK) {
					continue // the catalog keeps this kind to read old policies
				}
				kinds++
				bad := compareBuiltinMerges(t, c, minor, r.GVK, document.converter(t))
				refused, merged = refused+bad, merged+*mergeCount-bad
				if t.Failed() {
					return
				}
			}
			if kinds < 70 {
				t.Errorf("only %d kinds", kinds)
			}
			t.Logf("%d kinds: %d patches merged, %d refused, all alike", kinds, merged, refused)
		})
	}
}

// publishes reports whether the document has a schema for the kind.
func publishes(converter managedfields.TypeConverter, gvk schema.GroupVersionKind) bool {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	_, err := converter.ObjectToTyped(object)
	return err == nil
}

// compareBuiltinMerges returns the number of rejected patches.
func compareBuiltinMerges(t *testing.T, c *ours.Catalog, minor string, gvk schema.GroupVersionKind, converter managedfields.TypeConverter) int {
	t.Helper()
	typ, ok := c.TypeOf(gvk)
	merger, hasMerger := c.SMD(gvk)
	if !ok || !hasMerger {
		t.Fatalf("%v is not in the catalog", gvk)
	}
	var options []typed.ValidationOptions
	if minor >= "1.35" {
		options = append(options, typed.AllowDuplicates)
	}
	objects, patches := catalogtest.New(*seed), catalogtest.New(*seed+1)
	refused := 0
	for i := range *mergeCount {
		patches.Mistakes = []int{0, 0, 10}[i%3]
		live, err := c.FromUnstructured(gvk, objects.Object(gvk, typ))
		check(t, err)
		patch := patches.Object(gvk, typ)
		if i%2 == 0 {
			withoutAtomics(typ, patch)
		}
		got, gotErr := merger.Merge(live, patch)
		if minor < "1.34" && gotErr != nil && strings.Contains(gotErr.Error(), "omits key field") {
			continue // structured-merge-diff v4 requires all keys; the server here is v6
		}
		if compareMerged(t, got, gotErr, patch, func() (map[string]any, error) {
			return serverMerge(converter, runtime.DeepCopyJSON(live), runtime.DeepCopyJSON(patch), options...)
		}) {
			refused++
		}
		if t.Failed() {
			t.Fatalf("%v\nlive %s", gvk, text(live))
		}
	}
	return refused
}

// withoutAtomics removes what patches must not contain, so that some can be merged.
func withoutAtomics(t *ours.Type, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if t.Kind != ours.Struct {
				withoutAtomics(t.Elem, value)
				continue
			}
			f := t.Field(name)
			if f == nil {
				continue
			}
			atomic := f.Type.Kind == ours.List && f.ListType != "map" && f.ListType != "set" ||
				f.MapType == "atomic" || f.MapType == "" && f.Type.MapType == "atomic" || value == nil
			if atomic {
				delete(v, name)
			} else {
				withoutAtomics(f.Type, value)
			}
		}
	case []any:
		if t.Elem != nil {
			for _, item := range v {
				withoutAtomics(t.Elem, item)
			}
		}
	}
}

// openAPIDocument is a group version's document, read on demand.
type openAPIDocument struct {
	file  string
	ready managedfields.TypeConverter
}

// kubernetesFolder is a release's folder in the module cache.
func kubernetesFolder(t *testing.T, version string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes@"+version).Output()
	check(t, err)
	var module struct{ Dir string }
	check(t, json.Unmarshal(out, &module))
	return module.Dir
}

// openAPIDocuments finds a release's documents by group version.
func openAPIDocuments(t *testing.T, version string) map[schema.GroupVersion]*openAPIDocument {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(kubernetesFolder(t, version), "api", "openapi-spec", "v3", "*_openapi.json"))
	check(t, err)
	documents := map[schema.GroupVersion]*openAPIDocument{}
	for _, file := range files {
		// api__v1_openapi.json, apis__apps__v1_openapi.json
		parts := strings.Split(strings.TrimSuffix(filepath.Base(file), "_openapi.json"), "__")
		switch len(parts) {
		case 2:
			if parts[0] == "api" {
				documents[schema.GroupVersion{Version: parts[1]}] = &openAPIDocument{file: file}
			}
		case 3:
			documents[schema.GroupVersion{Group: parts[1], Version: parts[2]}] = &openAPIDocument{file: file}
		}
	}
	return documents
}

func (d *openAPIDocument) converter(t *testing.T) managedfields.TypeConverter {
	t.Helper()
	if d.ready == nil {
		data, err := os.ReadFile(d.file)
		check(t, err)
		var api spec3.OpenAPI
		check(t, json.Unmarshal(data, &api))
		d.ready, err = managedfields.NewTypeConverter(api.Components.Schemas, false)
		check(t, err)
	}
	return d.ready
}
