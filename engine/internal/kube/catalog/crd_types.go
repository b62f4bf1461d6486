package catalog

import (
	"encoding/json"
	"slices"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// This file translates structural schemas: into types, for completion and
// checks, and into structured-merge-diff schemas.

// rootType returns the type of a CRD version's objects: the schema's properties and the fields that
// every object has.
func (c *Catalog) rootType(v *customVersion) *Type {
	node := v.schema
	if node == nil {
		node = &schemaNode{}
	}
	return c.structType(node, true)
}

// structType reads its fields on first use, as built-in types do.
func (b *builtin) structType(n *schemaNode, object bool) *Type {
	return &Type{Kind: Struct, MapType: n.mapType, Open: n.preserve, read: func(t *Type) {
		if object {
			t.fields = append(t.fields,
				&Field{Name: "apiVersion", Type: scalars["string"], OmitEmpty: true},
				&Field{Name: "kind", Type: scalars["string"], OmitEmpty: true},
				&Field{Name: "metadata", Type: b.named("meta/v1.ObjectMeta"), OmitEmpty: true})
		}
		for _, name := range n.order {
			if object && metaFields[name] {
				continue
			}
			child := n.properties[name]
			t.fields = append(t.fields, &Field{
				Name: name, Type: b.schemaType(child), Pointer: true, OmitEmpty: true,
				ListType: child.listType, ListMapKeys: child.listMapKeys, MapType: child.mapType,
				Default: child.def, HasDefault: child.def != nil, Description: child.description,
				Required: slices.Contains(n.required, name),
			})
		}
	}}
}

// schemaType is the type of a schema's values.
func (b *builtin) schemaType(n *schemaNode) *Type {
	switch {
	case n.intOrString:
		return b.named("intstr.IntOrString")
	case n.typ == "object" && (len(n.properties) > 0 || n.embedded):
		return b.structType(n, n.embedded)
	case n.typ == "object" && n.additional != nil:
		return &Type{Kind: Map, Elem: b.schemaType(n.additional), MapType: n.mapType, MaxSize: n.maxSize}
	case n.typ == "object":
		return &Type{Kind: Map, Elem: &Type{Kind: Any}, MapType: n.mapType, MaxSize: n.maxSize}
	case n.typ == "array" && n.items != nil:
		return &Type{Kind: List, Elem: b.schemaType(n.items), MaxSize: n.maxSize}
	}
	kinds := map[string]Kind{"string": String, "boolean": Boolean, "integer": Integer, "number": Number}
	if kind, ok := kinds[n.typ]; ok {
		return &Type{Kind: kind, Enum: n.enum, Format: n.format, MaxSize: n.maxSize}
	}
	return &Type{Kind: Any}
}

// crdRoot describes a CRD version's objects as the server's published schema does: it adds
// apiVersion, kind and metadata.
func (b *schemaBuilder) crdRoot(v *customVersion, meta *Type) smd.Atom {
	if v.schema == nil {
		return smd.Atom{Map: &smd.Map{ElementType: smd.TypeRef{NamedType: &deducedName}}}
	}
	return b.nodeAtom(v.schema, v.schema.preserve, true, meta)
}

// nodeAtom describes a schema's values. preserve says that this schema or an enclosing one keeps
// unknown fields. The server's conversion never turns it off again further down.
func (b *schemaBuilder) nodeAtom(n *schemaNode, preserve, object bool, meta *Type) smd.Atom {
	switch n.typ {
	case "object":
		return smd.Atom{Map: b.nodeMap(n, preserve, object, meta)}
	case "array":
		return smd.Atom{List: b.nodeList(n, preserve, meta)}
	case "integer", "number":
		return smd.Atom{Scalar: new(smd.Numeric)}
	case "boolean":
		return smd.Atom{Scalar: new(smd.Boolean)}
	case "string":
		if n.format == "" || n.format == "byte" {
			return smd.Atom{Scalar: new(smd.String)}
		}
		return smd.Atom{Scalar: new(smd.Scalar("untyped"))}
	case "":
		return smd.Atom{Scalar: new(smd.Scalar("untyped")), List: b.nodeList(n, preserve, meta), Map: b.nodeMap(n, preserve, object, meta)}
	}
	return smd.Atom{Scalar: new(smd.Scalar("untyped"))}
}

func (b *schemaBuilder) nodeMap(n *schemaNode, preserve, object bool, meta *Type) *smd.Map {
	out := &smd.Map{ElementRelationship: relationship(n.mapType)}
	if object || n.embedded {
		text := smd.TypeRef{Inlined: smd.Atom{Scalar: new(smd.String)}}
		out.Fields = append(out.Fields,
			smd.StructField{Name: "apiVersion", Type: text},
			smd.StructField{Name: "kind", Type: text},
			smd.StructField{Name: "metadata", Type: b.ref(meta, "")})
	}
	for _, name := range n.order {
		if (object || n.embedded) && metaFields[name] {
			continue
		}
		child := n.properties[name]
		out.Fields = append(out.Fields, smd.StructField{Name: name, Type: b.nodeRef(child, preserve, meta), Default: asJSON(child.def)})
	}
	switch {
	case n.additional != nil:
		out.ElementType = b.nodeRef(n.additional, preserve, meta)
	case n.anyAdditional, !n.hasAdditional && (preserve || len(out.Fields) == 0):
		out.ElementType = smd.TypeRef{NamedType: &deducedName}
	}
	return out
}

func (b *schemaBuilder) nodeList(n *schemaNode, preserve bool, meta *Type) *smd.List {
	out := &smd.List{ElementType: smd.TypeRef{NamedType: &untypedName}, ElementRelationship: smd.Atomic}
	if n.items != nil {
		out.ElementType = b.nodeRef(n.items, preserve, meta)
	}
	switch n.listType {
	case "set":
		out.ElementRelationship = smd.Associative
	case "map":
		out.ElementRelationship, out.Keys = smd.Associative, n.listMapKeys
	}
	return out
}

func (b *schemaBuilder) nodeRef(n *schemaNode, preserve bool, meta *Type) smd.TypeRef {
	return smd.TypeRef{Inlined: b.nodeAtom(n, preserve || n.preserve, false, meta), Nullable: n.nullable}
}

// asJSON returns a default as in the schema's published JSON: all numbers are floats.
func asJSON(v any) any {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return v
	}
	return out
}
