package crd

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

// nested has nested lists and maps, some below anyOf, oneOf, allOf and not.
const nested = `
type: object
properties:
  list:
    type: array
    minItems: 1
    maxItems: 3
    items:
      type: object
      required: [name]
      properties:
        name: {type: string, maxLength: 3}
        map:
          type: object
          additionalProperties: {type: array, items: {type: integer, maximum: 5, not: {enum: [3]}}}
  either:
    type: array
    items: {type: object, additionalProperties: {type: string}}
    anyOf:
    - {items: {type: object, required: [a]}}
    - {items: {type: object, additionalProperties: {type: string, maxLength: 1}}}
  one:
    type: array
    oneOf:
    - {items: {type: string, maxLength: 2}}
    - {items: {type: string, minLength: 2}}
    allOf:
    - {items: {type: string, pattern: '^a'}}
    not: {items: {type: string, enum: [aa]}}
    items: {type: string}
`

func texts(r *validate.Result) []string {
	var out []string
	for _, err := range r.Errors {
		out = append(out, err.Error())
	}
	return out
}

// TestGathered: the errors equal the library's own.
func TestGathered(t *testing.T) {
	var s spec.Schema
	if err := yaml.Unmarshal([]byte(nested), &s); err != nil {
		t.Fatal(err)
	}
	failing := 0
	for _, text := range []string{
		`{}`, `[]`, `{list: []}`, `{list: 1}`, `{list: [{}, {}, {}, {}]}`,
		`{list: [{name: long}, {name: long}, {name: 1, map: {a: [9, 3, 9], b: x}}]}`,
		`{list: [{name: a, map: {a: [1, 6], b: [7, 8, 3]}}, 5]}`,
		`{either: [{a: xx}, {a: y}]}`, `{either: [{b: xx}, {b: yy}]}`, `{either: [{b: x}, {a: 1}]}`, `{either: [1, 2]}`,
		`{one: [a, aaa]}`, `{one: [aa]}`, `{one: [aaa, abc]}`, `{one: [b, c]}`, `{one: [bbb, 1]}`, `{one: []}`,
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		got, want := texts(newGathered(&s).Validate(value)), texts(validation.NewSchemaValidatorFromOpenAPI(&s).Validate(value))
		if strings.Contains(text, "name:") || strings.Contains(text, "map:") { // fields are unordered
			slices.Sort(got)
			slices.Sort(want)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
		if len(want) > 0 {
			failing++
		}
	}
	if failing < 10 {
		t.Errorf("%d values have errors", failing)
	}
}

// TestErrorsOfItemsGrowLinearly: the library compares one error per list, however many its items
// have.
func TestErrorsOfItemsGrowLinearly(t *testing.T) {
	var s spec.Schema
	if err := yaml.Unmarshal([]byte(`{type: object, properties: {a: {type: object, properties: {list: {type: array, items: {type: object, required: [name]}}}}}}`), &s); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 100, 1000} {
		list := make([]any, n)
		for i := range list {
			list[i] = map[string]any{}
		}
		value := map[string]any{"a": map[string]any{"list": list}}
		v := newGathered(&s)
		run := &gathering{items: v.items, lists: map[string]*listErrors{}}
		if result := validate.NewSchemaValidator(&s, nil, "", strfmt.Default, run.option).Validate(value); len(result.Errors) != 1 {
			t.Errorf("%d items: the library compares %d errors", n, len(result.Errors))
		}
		if got := len(v.Validate(value).Errors); got != n {
			t.Errorf("%d items have %d errors", n, got)
		}
	}
}
