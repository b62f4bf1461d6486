package catalog

import (
	"sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// newMerger4 merges with structured-merge-diff v4, as Kubernetes did until 1.33. The two major
// versions share no types.
func newMerger4(s *smd.Schema, root string) Merger {
	parser := typed.Parser{Schema: schema.Schema{Types: schemaForV4(s).Types}}
	kind := parser.Type(root)
	return &merger[*typed.TypedValue]{
		schema: s, root: root,
		read:  func(object any, _ bool) (*typed.TypedValue, error) { return kind.FromUnstructured(object) },
		plain: func(v *typed.TypedValue) any { return v.AsValue().Unstructured() },
	}
}

// schemaForV4 copies a schema into v4's types.
func schemaForV4(in *smd.Schema) *schema.Schema {
	out := &schema.Schema{}
	for _, t := range in.Types {
		out.Types = append(out.Types, schema.TypeDef{Name: t.Name, Atom: atomForV4(t.Atom)})
	}
	return out
}

func atomForV4(in smd.Atom) schema.Atom {
	var out schema.Atom
	if in.Scalar != nil {
		out.Scalar = new(schema.Scalar(*in.Scalar))
	}
	if in.List != nil {
		out.List = &schema.List{
			ElementType:         refForV4(in.List.ElementType),
			ElementRelationship: schema.ElementRelationship(in.List.ElementRelationship),
			Keys:                in.List.Keys,
		}
	}
	if in.Map != nil {
		out.Map = &schema.Map{
			ElementType:         refForV4(in.Map.ElementType),
			ElementRelationship: schema.ElementRelationship(in.Map.ElementRelationship),
		}
		for _, f := range in.Map.Fields {
			out.Map.Fields = append(out.Map.Fields, schema.StructField{Name: f.Name, Type: refForV4(f.Type), Default: f.Default})
		}
	}
	return out
}

func refForV4(in smd.TypeRef) schema.TypeRef {
	out := schema.TypeRef{NamedType: in.NamedType, Inlined: atomForV4(in.Inlined)}
	if in.ElementRelationship != nil {
		out.ElementRelationship = new(schema.ElementRelationship(*in.ElementRelationship))
	}
	return out
}
