package rules

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Validator holds the schema rules, in the shape of the schema.
type Validator struct {
	// Node is the schema of the values.
	Node  *schema.Structural
	Rules []Rule
	Place

	items, additional *Validator
	properties        map[string]*Validator
	order             []string // of properties
	// err says that the node's rules could not be compiled at all.
	err     error
	version version.Version
	// schema is the node as expressions see it: a whole resource has its metadata.
	schema common.Schema
}

// Place is where a node is.
type Place struct {
	// Path is the place of the node below the root of the schema, as the server
	// writes it: properties[spec].items; empty for the root.
	Path string
	// Fields is the way from the object to the values, with AnyItem for the items of
	// lists and the values of maps.
	Fields []string
}

// Validator compiles all schema rules; nil when there are none. root says
// that the values are whole resources.
func (c *Compiler) Validator(node *schema.Structural, root bool) *Validator {
	if !HasRules(node) {
		return nil
	}
	return c.validator(node, root, SelfType(node, root, c.Environments.Version()), Place{})
}

// validator is that of the node at a place.
func (c *Compiler) validator(node *schema.Structural, root bool, self *apiservercel.DeclType, at Place) *Validator {
	v := &Validator{Node: node, Place: at, properties: map[string]*Validator{}, version: c.Environments.Version(), schema: Adapted(node)}
	if root {
		v.schema = v.schema.WithTypeAndObjectMeta()
	}
	v.Rules, v.err = c.Compile(node, node.XValidations, self)
	var elements *apiservercel.DeclType
	if self != nil {
		elements = self.ElemType
	}
	if node.Items != nil {
		v.items = c.validator(node.Items, node.Items.XEmbeddedResource, elements, at.below("items", AnyItem))
	}
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		child := node.Properties[name]
		field, visible := c.fieldType(&child, name, self)
		if !visible {
			continue
		}
		if p := c.validator(&child, child.XEmbeddedResource, field, at.below("properties["+name+"]", name)); p != nil {
			v.properties[name] = p
			v.order = append(v.order, name)
		}
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Structural != nil {
		values := node.AdditionalProperties.Structural
		v.additional = c.validator(values, values.XEmbeddedResource, elements, at.below("additionalProperties", AnyItem))
	}
	if len(v.Rules) == 0 && v.err == nil && v.items == nil && v.additional == nil && len(v.properties) == 0 {
		return nil
	}
	return v
}

// fieldType is the type of a property as expressions see it. One whose name
// expressions cannot write has one of its own; one that they cannot see at all
// has no rules.
func (c *Compiler) fieldType(child *schema.Structural, name string, self *apiservercel.DeclType) (*apiservercel.DeclType, bool) {
	escaped, writable := apiservercel.Escape(name)
	if !writable {
		field := SelfType(child, child.XEmbeddedResource, c.Environments.Version())
		return field, field != nil
	}
	if self == nil {
		return nil, false
	}
	field, ok := self.Fields[escaped]
	if !ok {
		return nil, false
	}
	return field.Type, true
}

// AnyItem is the segment of Fields that stands for every item or value.
const AnyItem = "[]"

// below is the place of a node below another one.
func (p Place) below(step, segment string) Place {
	if p.Path != "" {
		step = p.Path + "." + step
	}
	return Place{Path: step, Fields: append(p.Fields[:len(p.Fields):len(p.Fields)], segment)}
}

// All calls f with every validator that has rules, from the root on.
func (v *Validator) All(f func(*Validator)) {
	if v == nil {
		return
	}
	if len(v.Rules) > 0 {
		f(v)
	}
	v.items.All(f)
	v.additional.All(f)
	for _, name := range v.order {
		v.properties[name].All(f)
	}
}

// Record is what rules were asked about, and how reports name them.
type Record struct {
	Validator *Validator
	// Object and Old are the object and the one before an update; nil for a new object.
	Object, Old map[string]any
	// RulePath is the place of a field of a rule in its document, as evaluations have it.
	RulePath func(v *Validator, index int, field string) string
}

// HasRules reports whether a schema has rules anywhere.
func HasRules(node *schema.Structural) bool {
	if node == nil {
		return false
	}
	if len(node.XValidations) > 0 || HasRules(node.Items) || node.AdditionalProperties != nil && HasRules(node.AdditionalProperties.Structural) {
		return true
	}
	for _, child := range node.Properties {
		if HasRules(&child) {
			return true
		}
	}
	return false
}
