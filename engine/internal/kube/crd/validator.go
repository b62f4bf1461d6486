package crd

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// SchemaValidator validates values as the server does.
func SchemaValidator(props *apiextensions.JSONSchemaProps, v version.Version) (validation.SchemaValidator, error) {
	strip := validation.StripUnsupportedFormatsPostProcessorForVersion(compatibility(v))
	if !v.Has(version.TypedFormats) {
		strip = func(s *spec.Schema) error {
			if s.Format != "" && len(unknownFormats(s.Format, "string", v)) > 0 {
				s.Format = ""
			}
			return nil
		}
	}
	schema := &spec.Schema{}
	if err := validation.ConvertJSONSchemaPropsWithPostProcess(props, schema, strip); err != nil {
		return nil, err
	}
	return validator(schema, v), nil
}

// DefaultValidator validates a default as the server does: with all formats that its library has,
// even those that it ignores in schemas.
func DefaultValidator(node *schema.Structural, v version.Version) validation.SchemaValidator {
	if v.Has(version.NameFormats) {
		return validator(node.ToKubeOpenAPI(), v)
	}
	node = node.DeepCopy()
	rename := func(o *schema.ValueValidation) bool {
		found := o != nil && (o.Format == "k8s-short-name" || o.Format == "k8s-long-name")
		if found {
			o.Format += unknownFormat
		}
		return found
	}
	(&schema.Visitor{
		Structural:            func(s *schema.Structural) bool { return rename(s.ValueValidation) },
		NestedValueValidation: func(s *schema.NestedValueValidation) bool { return rename(&s.ValueValidation) },
	}).Visit(node)
	return renamed{validator(node.ToKubeOpenAPI(), v)}
}

// unknownFormat renames a format so that the library does not know it. The library accepts every
// string for an unknown format, and names the format if the value is not a string.
const unknownFormat = "~"

// renamed is a validator whose errors use the schema's format names. It implements validation.SchemaValidator.
type renamed struct{ validation.SchemaValidator }

func (r renamed) Validate(value any, options ...validation.ValidationOption) *validate.Result {
	result := r.SchemaValidator.Validate(value, options...)
	for i, err := range result.Errors {
		invalid, ok := err.(*errors.Validation)
		if !ok || invalid.Code() != errors.InvalidTypeCode {
			continue
		}
		for _, format := range []string{"k8s-short-name", "k8s-long-name"} {
			if strings.Contains(invalid.Error(), " "+format+unknownFormat+":") {
				result.Errors[i] = errors.InvalidType(invalid.Name, invalid.In, format, invalid.Value)
			}
		}
	}
	return result
}

func validator(s *spec.Schema, v version.Version) validation.SchemaValidator {
	known := newGathered(s)
	if v.Has(version.TypedFormats) {
		return known
	}
	return untyped{known}
}

// untyped is a validator without the check for a number type's range, which newer library releases
// have. It implements validation.SchemaValidator.
type untyped struct{ validation.SchemaValidator }

func (u untyped) Validate(value any, options ...validation.ValidationOption) *validate.Result {
	return withoutRanges(u.SchemaValidator.Validate(value, options...))
}

func (u untyped) ValidateUpdate(value, old any, options ...validation.ValidationOption) *validate.Result {
	return withoutRanges(u.SchemaValidator.ValidateUpdate(value, old, options...))
}

// withoutRanges removes the errors of the range check, which have no type of their own.
func withoutRanges(r *validate.Result) *validate.Result {
	r.Errors = slices.DeleteFunc(r.Errors, func(err error) bool {
		return strings.HasPrefix(err.Error(), "Checked value must be of type ")
	})
	return r
}
