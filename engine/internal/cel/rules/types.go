package rules

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// SelfType describes the values of a node for expressions; nil when expressions
// cannot see them. root says that the node is a whole resource.
func SelfType(node *schema.Structural, root bool, v version.Version) *apiservercel.DeclType {
	if !v.Has(version.NameLengthsInEstimates) {
		node = withMeta(node, root)
	}
	return model.SchemaDeclType(node, root)
}

// withMeta declares what every resource has, without limits of length: the
// server's own declaration leaves alone what is there.
func withMeta(s *schema.Structural, root bool) *schema.Structural {
	if s == nil {
		return nil
	}
	out := *s
	if s.Items != nil {
		out.Items = withMeta(s.Items, s.Items.XEmbeddedResource)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		values := s.AdditionalProperties.Structural
		out.AdditionalProperties = &schema.StructuralOrBool{Structural: withMeta(values, values.XEmbeddedResource), Bool: s.AdditionalProperties.Bool}
	}
	if s.Properties != nil {
		out.Properties = make(map[string]schema.Structural, len(s.Properties)+3)
		for name, child := range s.Properties {
			out.Properties[name] = *withMeta(&child, child.XEmbeddedResource)
		}
	}
	if root && !declaresMeta(s) {
		if out.Properties == nil {
			out.Properties = map[string]schema.Structural{}
		}
		text := schema.Structural{Generic: schema.Generic{Type: "string"}}
		out.Properties["apiVersion"], out.Properties["kind"] = text, text
		out.Properties["metadata"] = schema.Structural{Generic: schema.Generic{Type: "object"},
			Properties: map[string]schema.Structural{"name": text, "generateName": text}}
	}
	return &out
}

func declaresMeta(s *schema.Structural) bool {
	metadata := s.Properties["metadata"]
	return s.Properties["kind"].Type == "string" && s.Properties["apiVersion"].Type == "string" && metadata.Type == "object" &&
		metadata.Properties["name"].Type == "string" && metadata.Properties["generateName"].Type == "string"
}
