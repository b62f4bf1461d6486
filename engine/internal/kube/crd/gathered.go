package crd

import (
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// gathered is a validator that collects the errors of list items and map values itself. The library
// merges them into the errors of the list, the enclosing object and so on, and compares each with
// all others at every level. It implements validation.SchemaValidator.
type gathered struct {
	validation.SchemaValidator
	schema *spec.Schema
	// items are the schemas of items and values outside of conditions such as anyOf or not.
	items map[*spec.Schema]bool
}

func newGathered(s *spec.Schema) gathered {
	g := gathered{validation.NewSchemaValidatorFromOpenAPI(s), s, map[*spec.Schema]bool{}}
	g.find(s)
	return g
}

// find finds the item schemas below a schema. It skips allOf and the like.
func (g gathered) find(s *spec.Schema) {
	if s == nil {
		return
	}
	for i := range s.Properties {
		property := s.Properties[i]
		g.find(&property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		g.items[s.Items.Schema] = true
		g.find(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		g.items[s.AdditionalProperties.Schema] = true
		g.find(s.AdditionalProperties.Schema)
	}
}

func (g gathered) Validate(value any, _ ...validation.ValidationOption) *validate.Result {
	run := &gathering{items: g.items, lists: map[string]*listErrors{}}
	result := validate.NewSchemaValidator(g.schema, nil, "", strfmt.Default, run.option).Validate(value)
	if len(run.lists) > 0 {
		result.Errors = expanded(nil, map[string]bool{}, result.Errors)
	}
	return result
}

// expanded adds errors. It inserts the items' errors at their list, each text once.
func expanded(out []error, seen map[string]bool, errs []error) []error {
	for _, err := range errs {
		if list, ok := err.(*listErrors); ok {
			out = expanded(out, seen, list.errs)
		} else if text := err.Error(); !seen[text] {
			seen[text] = true
			out = append(out, err)
		}
	}
	return out
}

// listErrors represents all item errors of a list or map. The library only sees the first.
type listErrors struct {
	path string
	errs []error
}

// Error implements error. The library compares its text with others.
func (l *listErrors) Error() string { return l.path }

// gathering is one validation.
type gathering struct {
	items map[*spec.Schema]bool
	lists map[string]*listErrors // by path
}

// option makes the library request item validators here.
func (g *gathering) option(o *validate.SchemaValidatorOptions) {
	o.NewValidatorForIndex = func(_ int, s *spec.Schema, root any, path string, formats strfmt.Registry, options ...validate.Option) validate.ValueValidator {
		return g.validator(s, root, path, path[:max(strings.LastIndexByte(path, '['), 0)], formats, options)
	}
	o.NewValidatorForField = func(field string, s *spec.Schema, root any, path string, formats strfmt.Registry, options ...validate.Option) validate.ValueValidator {
		return g.validator(s, root, path, strings.TrimSuffix(path, "."+field), formats, options)
	}
}

func (g *gathering) validator(s *spec.Schema, root any, path, list string, formats strfmt.Registry, options []validate.Option) validate.ValueValidator {
	// The library does not pass the option on.
	made := validate.NewSchemaValidator(s, root, path, formats, append(options, g.option)...)
	if g.items[s] {
		return item{made, g, list}
	}
	return made
}

// item validates a value and collects its errors. It implements validate.ValueValidator.
type item struct {
	*validate.SchemaValidator
	run  *gathering
	list string
}

func (i item) Validate(value any) *validate.Result {
	result := i.SchemaValidator.Validate(value)
	if len(result.Errors) == 0 {
		return result
	}
	if list := i.run.lists[i.list]; list != nil {
		list.errs = append(list.errs, result.Errors...)
		result.Errors = nil
		return result
	}
	list := &listErrors{i.list, result.Errors}
	i.run.lists[i.list] = list
	result.Errors = []error{list}
	return result
}
