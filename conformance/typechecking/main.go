// Command typechecking records what the API server's type checker says of the
// policies on standard input: the warnings that kube-controller-manager writes
// into status.typeChecking. The output is a golden file of engine/typecheck:
//
//	go run . < ../../engine/typecheck/testdata/policies.yaml > ../../engine/typecheck/testdata/server.json
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	v1 "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

func main() {
	if err := record(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// typeNumber is the random number that the server adds to the names of types.
var typeNumber = regexp.MustCompile(`([A-Z][A-Za-z]+)\d+(\.[a-z@]|[,)'])`)

func record(in io.Reader, out io.Writer) error {
	checker, err := newChecker()
	if err != nil {
		return err
	}
	warnings := map[string]map[string]string{}
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		var policy v1.ValidatingAdmissionPolicy
		err := decoder.Decode(&policy)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		found := map[string]string{}
		for _, w := range checker.Check(&policy) {
			found[w.FieldRef] = typeNumber.ReplaceAllString(w.Warning, "$1$2")
		}
		warnings[policy.Name] = found
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(warnings)
}

// newChecker is the checker of kube-controller-manager, with a mapper that
// knows the built-in resources instead of discovery.
func newChecker() (*validating.TypeChecker, error) {
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), apiextensions.AddToScheme(types)); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for gvk := range types.AllKnownTypes() {
		mapper.Add(gvk, meta.RESTScopeNamespace)
	}
	return &validating.TypeChecker{
		SchemaResolver: resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, types),
		RestMapper:     mapper,
	}, nil
}
