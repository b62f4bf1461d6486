package definition

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// rootFields are the fields of the root of a schema that are allowed beside a
// status subresource, as the server lists them.
var rootFields = []string{"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum", "MaxLength", "MinLength", "Pattern",
	"MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"}

// schemaOf checks the schema of a version, or the one that all versions share;
// name is the version's, of the latter the first one's.
func (v *validator) schemaOf(validation *apiextensions.CustomResourceValidation, status bool, path *field.Path, name string) {
	if validation == nil || validation.OpenAPIV3Schema == nil {
		return
	}
	before := len(v.errs)
	props, path := validation.OpenAPIV3Schema, path.Child("openAPIV3Schema")
	if status {
		v.root(props, path)
	}
	if props.Nullable {
		v.add(field.Forbidden(path.Child("nullable"), "nullable cannot be true at the root"))
	}
	var total *totalCost
	var rules *ruleNode
	var node *schema.Structural
	var structuralErr error
	structural := v.structural()
	if structural {
		node, structuralErr = schema.NewStructural(props)
	}
	if structural && structuralErr == nil {
		errs := schema.ValidateStructural(path, node)
		if len(errs) == 0 {
			errs = v.defaults(path, node)
		}
		v.add(sorted(errs)...)
		if len(errs) == 0 {
			total = &totalCost{path: path, keep: v.keep}
			rules = v.rootNode(props, total)
			rules.dear = v.before != nil && v.before.unchanged[name]
		}
	}
	n := &nodeErrors{}
	v.node(props, path, place{allowDefaults: true}, true, rules, n)
	v.add(n.schema...)
	v.add(n.rules...)
	if len(v.errs) == before && structuralErr != nil {
		v.invalid(path, "", structuralErr.Error())
	}
	if total != nil {
		v.add(total.errors(path)...)
	}
	if len(v.errs) == before {
		if _, err := crd.SchemaValidator(props, v.version); err != nil {
			v.invalid(path, "", fmt.Sprintf("error building validator: %v", err))
		}
	}
}

// sorted brings errors, which come in the random order of maps, into one that
// is the same every time.
func sorted(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return errs
}

func (v *validator) root(props *apiextensions.JSONSchemaProps, path *field.Path) {
	value := reflect.ValueOf(props).Elem()
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		switch {
		case value.Field(i).IsZero():
		case name == "Type" && props.Type != "object":
			v.invalid(path.Child("type"), props.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)
			return
		case !slices.Contains(rootFields, name):
			v.invalid(path, *props, fmt.Sprintf("only %v fields are allowed at the root of the schema if the status subresource is enabled", rootFields))
			return
		}
	}
}

// place is what the nodes around a node say about it.
type place struct {
	allowDefaults bool
	noDefaults    string // why
	insideMeta    bool
	// uncorrelated is the outermost node whose values cannot be found again
	// after an update; nil when there is none.
	uncorrelated *field.Path
}

func (c place) withoutDefaults(why string) place {
	c.allowDefaults, c.noDefaults = false, why
	return c
}

func (c place) uncorrelatedAt(path *field.Path) place {
	if c.uncorrelated == nil {
		c.uncorrelated = path
	}
	return c
}

// nodeErrors are the errors of a node and those below. Rules are only compiled
// while the schema below has no errors.
type nodeErrors struct{ schema, rules field.ErrorList }

func (n *nodeErrors) add(errs ...*field.Error) { n.schema = append(n.schema, errs...) }

func (n *nodeErrors) merge(other *nodeErrors) {
	n.schema = append(n.schema, other.schema...)
	n.rules = append(n.rules, other.rules...)
}

var metaFields = map[string]bool{"metadata": true, "kind": true, "apiVersion": true}

// node checks a schema and those in it.
func (v *validator) node(s *apiextensions.JSONSchemaProps, path *field.Path, in place, root bool, rules *ruleNode, n *nodeErrors) {
	if s == nil {
		return
	}
	below := func(child *apiextensions.JSONSchemaProps, path *field.Path, in place, rules *ruleNode) {
		of := &nodeErrors{}
		v.node(child, path, in, false, rules, of)
		n.merge(of)
	}
	v.keywords(s, path, in, n)
	if s.UniqueItems {
		n.add(field.Forbidden(path.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if a := s.AdditionalProperties; a != nil {
		if len(s.Properties) != 0 && (!a.Allows || a.Schema != nil) {
			n.add(field.Forbidden(path.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
		}
		inside := in
		if in.insideMeta {
			inside = in.withoutDefaults("inside additionalProperties applying to object metadata")
		}
		below(a.Schema, path.Child("additionalProperties"), inside, rules.values(a.Schema))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child, inside := s.Properties[name], in
		if !cel.MapIsCorrelatable(s.XMapType) {
			inside = inside.uncorrelatedAt(path)
		}
		if (root || s.XEmbeddedResource) && metaFields[name] {
			inside.insideMeta = true
			if root {
				inside = inside.withoutDefaults("in top-level " + name)
			}
		}
		below(&child, path.Child("properties").Key(name), inside, rules.property(&child, name))
	}
	below(s.Not, path.Child("not"), in, nil)
	for _, list := range []struct {
		name    string
		schemas []apiextensions.JSONSchemaProps
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range list.schemas {
			below(&list.schemas[i], path.Child(list.name).Index(i), in, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Definitions)) {
		child := s.Definitions[name]
		below(&child, path.Child("definitions").Key(name), in, nil)
	}
	if s.Items != nil {
		inside := in
		if s.XListType == nil || *s.XListType != "map" {
			inside = in.uncorrelatedAt(path)
		}
		below(s.Items.Schema, path.Child("items"), inside, rules.items(s.Items.Schema))
		for i := range s.Items.JSONSchemas {
			below(&s.Items.JSONSchemas[i], path.Child("items").Index(i), inside, rules.items(&s.Items.JSONSchemas[i]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		below(s.Dependencies[name].Schema, path.Child("dependencies").Key(name), in, nil)
	}
	n.add(v.topology(s, path)...)
	n.add(ruleFields(s, path)...)
	if len(n.schema) == 0 && len(s.XValidations) > 0 && rules != nil {
		v.rules(s, path, in, rules, n)
	}
}

var types = []string{"array", "boolean", "integer", "number", "object", "string"}

// keywords checks which keywords of OpenAPI are used.
func (v *validator) keywords(s *apiextensions.JSONSchemaProps, path *field.Path, in place, n *nodeErrors) {
	forbid := func(used bool, name, detail string) {
		if used {
			n.add(field.Forbidden(path.Child(name), detail))
		}
	}
	if s.Type != "" && !slices.Contains(types, s.Type) && (v.before == nil || !v.before.unknownTypes) {
		n.add(field.NotSupported(path.Child("type"), s.Type, types))
	}
	forbid(s.Default != nil && !in.allowDefaults, "default", strings.TrimSpace("must not be set "+in.noDefaults))
	forbid(s.ID != "", "id", "id is not supported")
	forbid(s.AdditionalItems != nil, "additionalItems", "additionalItems is not supported")
	forbid(len(s.PatternProperties) != 0, "patternProperties", "patternProperties is not supported")
	forbid(len(s.Definitions) != 0, "definitions", "definitions is not supported")
	forbid(s.Dependencies != nil, "dependencies", "dependencies is not supported")
	forbid(s.Ref != nil, "$ref", "$ref is not supported")
	forbid(s.Type == "null", "type", "type cannot be set to null, use nullable as an alternative")
	forbid(s.Items != nil && len(s.Items.JSONSchemas) != 0, "items", "items must be a schema object and not an array")
	forbid(in.insideMeta && s.XEmbeddedResource, "x-kubernetes-embedded-resource", "must not be used inside of resource meta")
}

var lineBreaks = lazy.Regexp{Text: `[\n\r]+`}

var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

// ruleFields checks the fields of rules beside their expressions.
func ruleFields(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	for i, rule := range s.XValidations {
		at := path.Child("x-kubernetes-validations").Index(i)
		text, message := strings.TrimSpace(rule.Rule), strings.TrimSpace(rule.Message)
		switch {
		case text == "":
			errs = append(errs, field.Required(at.Child("rule"), "rule is not specified"))
		case rule.Message != "" && message == "":
			errs = append(errs, field.Invalid(at.Child("message"), rule.Message, "must be non-empty if specified"))
		case lineBreaks.MatchString(message):
			errs = append(errs, field.Invalid(at.Child("message"), rule.Message, "must not contain line breaks"))
		case lineBreaks.MatchString(text) && message == "":
			errs = append(errs, field.Required(at.Child("message"), "message must be specified if rule contains line breaks"))
		}
		if rule.MessageExpression != "" && strings.TrimSpace(rule.MessageExpression) == "" {
			errs = append(errs, field.Required(at.Child("messageExpression"), "messageExpression must be non-empty if specified"))
		}
		if rule.Reason != nil && !slices.Contains(reasons, string(*rule.Reason)) {
			errs = append(errs, field.NotSupported(at.Child("reason"), *rule.Reason, reasons))
		}
		if rule.FieldPath == "" {
			continue
		}
		if strings.TrimSpace(rule.FieldPath) == "" {
			errs = append(errs, field.Invalid(at.Child("fieldPath"), rule.FieldPath, "must be non-empty if specified"))
		}
		if lineBreaks.MatchString(rule.FieldPath) {
			errs = append(errs, field.Invalid(at.Child("fieldPath"), rule.FieldPath, "must not contain line breaks"))
		}
		if node, err := schema.NewStructural(s); err == nil {
			if _, _, err := cel.ValidFieldPath(rule.FieldPath, node); err != nil {
				errs = append(errs, field.Invalid(at.Child("fieldPath"), rule.FieldPath, "must be a valid path"))
			}
		}
	}
	return errs
}
