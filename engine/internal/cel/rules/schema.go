package rules

import (
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiserver/pkg/cel/common"
)

// Adapted is a node of a schema for expressions and comparisons. It keeps what is below the node: the
// adaptor of the library makes a map of all properties each time that one of them is read.
func Adapted(node *schema.Structural) common.Schema {
	s := &adapted{Structural: model.Structural{Structural: node}}
	s.below = sync.OnceValue(func() (below children) {
		if node.Properties != nil {
			below.properties = make(map[string]common.Schema, len(node.Properties))
			for name, property := range node.Properties {
				below.properties[name] = Adapted(&property)
			}
		}
		if node.Items != nil {
			below.items = Adapted(node.Items)
		}
		if more := node.AdditionalProperties; more != nil {
			values := &adaptedValues{StructuralOrBool: model.StructuralOrBool{StructuralOrBool: more}}
			if more.Structural != nil {
				values.schema = Adapted(more.Structural)
			}
			below.additional = values
		}
		return below
	})
	s.withMeta = sync.OnceValue(func() common.Schema { return Adapted(model.WithTypeAndObjectMeta(node)) })
	return s
}

// adapted implements common.Schema.
type adapted struct {
	model.Structural
	below    func() children
	withMeta func() common.Schema
}

// children are the nodes below one; nil where there are none.
type children struct {
	properties map[string]common.Schema
	items      common.Schema
	additional common.SchemaOrBool
}

func (s *adapted) Properties() map[string]common.Schema      { return s.below().properties }
func (s *adapted) Items() common.Schema                      { return s.below().items }
func (s *adapted) AdditionalProperties() common.SchemaOrBool { return s.below().additional }
func (s *adapted) WithTypeAndObjectMeta() common.Schema      { return s.withMeta() }

// adaptedValues is the schema of the values of a map. It implements common.SchemaOrBool.
type adaptedValues struct {
	model.StructuralOrBool
	schema common.Schema
}

func (s *adaptedValues) Schema() common.Schema { return s.schema }
