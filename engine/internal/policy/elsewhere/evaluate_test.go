package elsewhere

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  devices:
  - {name: small, capacity: {memory: {value: 4Gi}}, attributes: {model: {string: a}, fw: {version: 0.9.0}, other.io/x: {int: 1}}}
  - {name: large, capacity: {memory: {value: 40Gi}}, attributes: {model: {string: b}, fw: {version: 2.1.0}}}
`

func TestEvaluate(t *testing.T) {
	request := Input{User: map[string]any{"username": "jane", "groups": []string{"dev"}},
		Review: map[string]any{"user": "jane", "resourceAttributes": map[string]any{"namespace": "shop", "verb": "create"}}}
	for name, c := range map[string]struct {
		document string
		in       Input
		want     string
	}{
		"an attribute":               {class("device.attributes['gpu.example.com'].model == 'b'"), Input{}, "the selector selects 1 of 2 devices: large It costs at most 5 of 1000000."},
		"a version":                  {class("device.attributes['gpu.example.com'].fw.isGreaterThan(semver('1.0.0'))"), Input{}, "the selector selects 1 of 2 devices: large It costs at most 6 of 1000000."},
		"a capacity":                 {class("device.capacity['gpu.example.com'].memory.isLessThan(quantity('5Gi'))"), Input{}, "the selector selects 1 of 2 devices: small It costs at most 6 of 1000000."},
		"an attribute of a domain":   {class("device.attributes['other.io'].?x.orValue(0) == 1"), Input{}, "the selector selects 1 of 2 devices: small It costs at most 6 of 1000000."},
		"an attribute that fails":    {class("device.attributes['other.io'].x == 1"), Input{}, "the selector selects 1 of 2 devices: small It costs at most 5 of 1000000. It fails for large: no such key: x. A selector that fails for a device keeps the claim from being allocated."},
		"a review":                   {authorization("request.resourceAttributes.namespace == 'shop'"), request, "for this request the expression evaluates to true"},
		"a review without a field":   {authorization("has(request.nonResourceAttributes)"), request, "for this request the expression evaluates to false"},
		"a review without a request": {authorization("request.user == 'jane'"), Input{}, "not evaluated: there is no request The expression compiles. With a request, it is evaluated for the request's user and resource."},
	} {
		docs, problems := scenario.ParseDocuments(diag.Cluster, slice+"---\n"+c.document)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		in := c.in
		in.Devices = Devices(docs[0])
		found, err := New(version.MustParse("1.37")).Evaluate(docs[1], in)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if got := strings.TrimSpace(found[0].Summary + " " + found[0].Detail); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func class(expression string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n  - cel:\n      expression: \"" + expression + "\"\n"
}

func authorization(expression string) string {
	return "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: Webhook\n  name: a\n  webhook:\n    matchConditions:\n    - expression: \"" + expression + "\"\n"
}
