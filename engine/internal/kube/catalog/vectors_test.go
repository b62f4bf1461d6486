package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// vectorObject is an object that a real API server 1.36 sent to a webhook: defaulted and in normal
// form.
type vectorObject struct {
	where  string
	gvk    schema.GroupVersionKind
	object map[string]any
	crds   []catalog.CRD
}

// vectorObjects collects the objects from all recorded requests.
func vectorObjects(t *testing.T) []vectorObject {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "vectors", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no recorded answers in engine/testdata/vectors")
	}
	var out []vectorObject
	for _, file := range files {
		out = append(out, readVector(t, file)...)
	}
	return out
}

func readVector(t *testing.T, file string) []vectorObject {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var vector struct {
		Cluster  string `json:"cluster"`
		Requests []struct {
			Name    string `json:"name"`
			Request struct {
				Kind   schema.GroupVersionKind `json:"kind"`
				Object json.RawMessage         `json:"object"`
				Old    json.RawMessage         `json:"oldObject"`
			} `json:"request"`
		} `json:"requests"`
	}
	if err := yaml.Unmarshal(text, &vector); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	crds := clusterCRDs(t, vector.Cluster)
	var out []vectorObject
	for _, r := range vector.Requests {
		for which, raw := range map[string]json.RawMessage{"object": r.Request.Object, "oldObject": r.Request.Old} {
			var object map[string]any
			if err := utiljson.Unmarshal(raw, &object); len(raw) == 0 || err != nil || object == nil {
				continue
			}
			out = append(out, vectorObject{
				where: filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file) + " " + r.Name + " " + which,
				gvk:   r.Request.Kind, object: object, crds: crds,
			})
		}
	}
	return out
}

// TestRecordedObjectsAreNormal: normalising an object that a real server sent to a webhook does not
// change it.
func TestRecordedObjectsAreNormal(t *testing.T) {
	builtin, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, v := range vectorObjects(t) {
		c, problems := builtin.WithCRDs(v.crds)
		if len(problems) > 0 {
			t.Errorf("%s: CRDs: %v", v.where, problems)
		}
		if _, ok := c.TypeOf(v.gvk); !ok {
			t.Errorf("%s: no type for %v", v.where, v.gvk)
			continue
		}
		count[v.gvk.Kind]++
		got, found := c.Normalise(v.gvk, v.object)
		if len(found) > 0 {
			t.Errorf("%s: problems %+v", v.where, found)
		}
		for _, diff := range differences("", v.object, got) {
			t.Errorf("%s: %s", v.where, diff)
		}
	}
	t.Logf("objects by kind: %v", count)
}

// clusterCRDs extracts the CustomResourceDefinitions from a multi-document text.
func clusterCRDs(t *testing.T, text string) []catalog.CRD {
	t.Helper()
	var out []catalog.CRD
	for _, document := range splitDocuments(text) {
		data, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := utiljson.Unmarshal(data, &object); err != nil || object["kind"] != "CustomResourceDefinition" {
			continue
		}
		out = append(out, catalog.CRD{Value: object})
	}
	return out
}
