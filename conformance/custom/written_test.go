package custom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/wire"
)

// written is one YAML document of testdata: a test case that was written by hand, where
// the other tests of this package generate theirs.
type written struct {
	Name string `json:"name"`
	// Schema is the schema of the definition's only version. Spec has further fields of
	// the definition's spec, or other values for those that definition sets. A document
	// with neither of the two uses the definition of the document before it.
	Schema, Spec object
	// Metadata has fields of the definition's metadata besides its name, or another name.
	Metadata object
	// Object has the fields of the object that is created, besides those that every
	// object has, or none. With Old, that object is updated instead.
	Object, Old object
	// Subresource is the one that the request goes to: status, or none.
	Subresource string
}

// definition is the CustomResourceDefinition of a document with a schema or a spec.
func (w *written) definition() object {
	version := object{"name": "v1", "served": true, "storage": true}
	if w.Schema != nil {
		version["schema"] = object{"openAPIV3Schema": w.Schema}
	}
	spec := object{"group": "example.com", "scope": "Namespaced", "names": object{"plural": "things", "kind": "Thing"}, "versions": []any{version}}
	for name, value := range w.Spec {
		if name == "version" {
			for name, value := range value.(object) {
				version[name] = value
			}
			continue
		}
		spec[name] = value
	}
	metadata := object{"name": "things.example.com"}
	for name, value := range w.Metadata {
		metadata[name] = value
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}
}

// request is the AdmissionReview for the document's object, of the kind that the
// definition defines.
func (w *written) request(definition object) string {
	spec := definition["spec"].(object)
	names, _ := spec["names"].(object)
	version := "v1"
	if versions, _ := spec["versions"].([]any); len(versions) > 0 {
		version = fmt.Sprint(versions[0].(object)["name"])
	}
	group := fmt.Sprint(spec["group"])
	kind := object{"group": group, "version": version, "kind": names["kind"]}
	resource := object{"group": group, "version": version, "resource": names["plural"]}
	q := object{"uid": "1", "dryRun": true, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "operation": "CREATE",
		"name": "x", "userInfo": object{"username": "jane", "groups": []any{"system:authenticated"}}}
	whole := func(o object) object {
		metadata := object{"name": "x"}
		if spec["scope"] == "Namespaced" {
			metadata["namespace"], q["namespace"] = "default", "default"
		}
		out := object{"apiVersion": group + "/" + version, "kind": names["kind"], "metadata": metadata}
		for name, value := range o {
			out[name] = value
		}
		return out
	}
	q["object"] = whole(w.Object)
	if w.Old != nil {
		q["operation"], q["oldObject"] = "UPDATE", whole(w.Old)
		for _, o := range []string{"object", "oldObject"} {
			m := q[o].(object)["metadata"].(object)
			m["uid"], m["resourceVersion"], m["generation"] = "2", "1", 1
		}
	}
	if w.Subresource != "" {
		q["subResource"], q["requestSubResource"] = w.Subresource, w.Subresource
	}
	return review(q)
}

// writtenCases reads the documents of testdata, by file and name.
func writtenCases(t *testing.T) map[string]wire.Case {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]wire.Case{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var definition object
		for _, document := range strings.Split(string(raw), "\n---\n") {
			var w written
			if err := yaml.Unmarshal([]byte(document), &w); err != nil {
				t.Fatalf("%s: %v\n%s", file, err, document)
			}
			if w.Schema != nil || w.Spec != nil {
				definition = w.definition()
			}
			id := filepath.Base(file) + ": " + w.Name
			if out[id].ID != "" {
				t.Errorf("%s is there twice", id)
			}
			out[id] = wire.Case{ID: id, Cluster: text(definition), Request: w.request(definition), Defaulting: true}
		}
	}
	return out
}

// TestWritten compares the engine with the server's code on the cases of testdata. In
// definitions.yaml each definition has one mistake. In functions.yaml each rule calls a
// function of CEL, with values for which it is true, false, or an error.
func TestWritten(t *testing.T) {
	server, _, _, err := differential.BuildCommand(t.Context(), "../customresources", "../build", "customresources", "k8s.io/apiextensions-apiserver", *version)
	if err != nil {
		t.Fatal(err)
	}
	cases := writtenCases(t)
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, c := range cases {
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	out, err := differential.Answered(t.Context(), server, &in)
	if err != nil {
		t.Fatal(err)
	}
	again := func(c wire.Case) []wire.Answer { return repeated(t, server, c) }
	counts := map[string]int{}
	for line := range bytes.Lines(out) {
		var want wire.Answer
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		counts["answers"]++
		if differences := compare(t, cases[want.ID], want, counts); len(differences) > 0 && !oneOf(t, cases[want.ID], again) {
			t.Errorf("%s:\n%s", want.ID, strings.Join(differences, "\n"))
		}
	}
	if counts["answers"] != len(cases) {
		t.Errorf("%d of %d cases were answered", counts["answers"], len(cases))
	}
	t.Log(counts)
}
