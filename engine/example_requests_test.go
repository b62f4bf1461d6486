package engine_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// FromFS reads a folder. Its files may have any names: each document goes where it
// belongs, policies and bindings here, objects of the cluster there.
func Example_folder() {
	folder := fstest.MapFS{ // or os.DirFS("deploy/policies")
		"no-latest.yaml": {Data: []byte(noLatest)},
		"shop.yaml":      {Data: []byte("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")},
	}
	files, err := scenario.FromFS(folder)
	if err != nil {
		log.Fatal(err) // a file that cannot be read
	}
	if files.Diagnostics.HasErrors() {
		log.Fatal(files.Diagnostics) // a document that has no place
	}
	cfg, diags := engine.Compile(files.Scenario, engine.Kubernetes("1.36"))
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	pod := engine.Text("{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: web, image: 'example.com/web:1'}]}}")
	r, err := cfg.Evaluate(context.Background(), pod, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Outcome.Allowed)
	// Output: true
}

// A request is text, YAML or JSON: a bare object is created by a user of no
// special rights.
func ExampleText() {
	cfg, _ := engine.Compile(scenario.Scenario{Policies: noLatest})
	pod := engine.Text(`
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: web, image: 'example.com/web:latest'}]}
`)
	r, err := cfg.Evaluate(context.Background(), pod, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Request.Operation, r.Outcome.Allowed)
	// Output: CREATE false
}

// An AdmissionRequest says who wants what. It is taken as it is: the server has
// set the defaults of its object already.
func ExampleAdmission() {
	cfg, _ := engine.Compile(scenario.Scenario{Policies: noLatest})
	r, err := cfg.Evaluate(context.Background(), engine.Admission(&admissionv1.AdmissionRequest{
		UID: "1", Operation: admissionv1.Delete, Name: "web", Namespace: "shop",
		Kind:      metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Resource:  metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
		OldObject: runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"}}`)},
	}), engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Outcome.Allowed, r.Steps[0].Reason)
	// Output: true no rule matches: resourceRules[0] wants operations CREATE, but the request is DELETE
}
