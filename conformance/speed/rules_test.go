package speed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

// definition has a schema with defaults and rules, one of them for each item of a list.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shops, singular: shop, kind: Shop, listKind: ShopList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [owner]
            x-kubernetes-validations:
            - {rule: "self.replicas <= self.limit", message: at most limit replicas}
            - {rule: "self.owner.startsWith('team-')", message: owner is a team}
            properties:
              owner: {type: string, maxLength: 63}
              replicas: {type: integer, minimum: 0, default: 1}
              limit: {type: integer, default: 10}
              ports:
                type: array
                maxItems: 16
                items:
                  type: object
                  required: [name, port]
                  x-kubernetes-validations: [{rule: "self.port > 1024 || self.name == 'web'"}]
                  properties:
                    name: {type: string, maxLength: 16}
                    port: {type: integer}
`

// customServer is what kube-apiserver does with the creation of a custom resource, from its own packages:
// as its handler makes them for a definition.
type customServer struct {
	strategy   rest.RESTCreateStrategy
	structural *structuralschema.Structural
}

func newCustomServer(tb testing.TB) *customServer {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(definition), &crd); err != nil {
		tb.Fatal(err)
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(crd.Spec.Versions[0].Schema, internal, nil); err != nil {
		tb.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		tb.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		tb.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"}
	return &customServer{structural: structural, strategy: customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), true, kind, validator, nil, structural, nil, nil, nil)}
}

// create is the request of a review, up to the object that would be stored.
func (s *customServer) create(tb testing.TB, text []byte) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil {
		tb.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(review.Request.Object.Raw, &object.Object); err != nil {
		tb.Fatal(err)
	}
	pruning.Prune(object.Object, s.structural, true)
	defaulting.Default(object.Object, s.structural)
	ctx := genericrequest.WithRequestInfo(genericrequest.WithNamespace(context.Background(), review.Request.Namespace), &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: "example.com", APIVersion: "v1", Resource: "shops", Namespace: review.Request.Namespace})
	rest.FillObjectMetaSystemFields(object)
	if err := rest.BeforeCreate(s.strategy, ctx, object); err != nil {
		tb.Fatal(err)
	}
}

// shops are reviews of custom resources with the defaults of their definition, as a server sends them.
func shops(tb testing.TB) [][]byte {
	var out [][]byte
	for _, text := range reviews(tb) {
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal(text, &review); err != nil {
			tb.Fatal(err)
		}
		q := review.Request
		q.Kind.Group, q.Kind.Kind, q.Resource.Group, q.Resource.Resource = "example.com", "Shop", "example.com", "shops"
		q.RequestKind, q.RequestResource = &q.Kind, &q.Resource
		q.Object.Raw = fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":%q,"namespace":"shop"},"spec":{"owner":"team-web","replicas":3,"limit":10,"ports":[%s{"name":"web","port":80}]}}`,
			q.Name, strings.Repeat(`{"name":"metrics","port":9090},`, 3))
		made, err := json.Marshal(review)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, made)
	}
	return out
}

// BenchmarkRules is the creation of a custom resource, by the server's own code and by the engine, in
// turns: BenchmarkPolicies says how. The server's side prunes and defaults the object, and runs its
// strategy, with schema, list types and rules.
func BenchmarkRules(b *testing.B) {
	engine.Use(storage.New())
	texts := shops(b)
	side := newCustomServer(b)
	cfg, problems := engine.New().Compile(scenario.Scenario{Cluster: definition + "---" + namespace})
	if err := problems.Err(); err != nil {
		b.Fatal(err)
	}
	run := func(o engine.Options) func(int) {
		return func(i int) {
			r, err := cfg.Evaluate(context.Background(), engine.Text(string(texts[i%different])), o)
			if err != nil || !r.Outcome.Allowed || len(r.Steps) == 0 {
				b.Fatalf("the benchmark measures something else: %+v, %v", r, err)
			}
		}
	}
	inTurns(b, []turn{
		{"server", func(i int) { side.create(b, texts[i%different]) }},
		{"engine", run(engine.Options{})},
		{"brief", run(engine.Options{Brief: true})},
	})
}
