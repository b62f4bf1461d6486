package engine_test

import (
	"context"
	"fmt"
	"log"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

const noLatest = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.containers.all(c, !c.image.endsWith(':latest'))
    message: name a version of the image
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-latest}
spec: {policyName: no-latest, validationActions: [Deny]}
`

// Compile once, evaluate many: as a webhook would, with the requests of
// AdmissionReviews.
func ExampleCompile() {
	cfg, diags := engine.Compile(scenario.Scenario{Policies: noLatest}, engine.Kubernetes("1.37"))
	if diags.HasErrors() {
		log.Fatal(diags) // a policy that the server would refuse, an unknown version
	}
	for _, image := range []string{"example.com/web:1", "example.com/web:latest"} {
		review := &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
			UID: "1", Operation: admissionv1.Create, Name: "web", Namespace: "shop",
			Kind:     metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			UserInfo: authenticationv1.UserInfo{Username: "jane"},
			Object:   runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"name":"web","image":%q}]}}`, image)},
		}}
		r, err := cfg.Evaluate(context.Background(), engine.Review(review), engine.Options{})
		if err != nil {
			log.Fatal(err) // the context ended
		}
		fmt.Println(image, r.Outcome.Code, r.Outcome.Message == "")
	}
	// Output:
	// example.com/web:1 201 true
	// example.com/web:latest 422 false
}

// A policy that the server would reject is an error of Compile. A list of
// diagnostics is an error value.
func ExampleCompile_refused() {
	_, diags := engine.Compile(scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: broken}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.containers.all(c, c.image
`})
	if err := diags.Err(); err != nil {
		fmt.Println(diags.Errors()[0].Code)
	}
	// Output: cel-compile
}

// An object in unstructured form is a request too: that it is created.
func ExampleConfiguration_Evaluate() {
	cfg, diags := engine.Compile(scenario.Scenario{Policies: noLatest})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	pod := map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "web", "image": "example.com/web:latest"}}},
	}
	r, err := cfg.Evaluate(context.Background(), engine.Object(pod), engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Outcome.Code)
	for _, step := range r.Steps { // of plugins, policies and webhooks, in the server's order
		for _, v := range step.Validations {
			fmt.Printf("%v, cost %d: %s\n", v.Result, v.Cost, v.Expression)
		}
	}
	// Output:
	// 422
	// false, cost 11: object.spec.containers.all(c, !c.image.endsWith(':latest'))
}

// Apply gives the configuration as it is after a request.
func ExampleConfiguration_Apply() {
	cfg, _ := engine.Compile(scenario.Scenario{})
	namespace := engine.Text("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
	r, after, err := cfg.Apply(context.Background(), namespace, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Outcome.Allowed, after != cfg)
	// Output: true true
}
