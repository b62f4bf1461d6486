package check

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Style selects whose view of a type counts.
type Style int

const (
	// Server is the view of the API server's type checker: that of the
	// published OpenAPI schema (semantics §10). Times and bytes have types that
	// their values do not have when an expression runs, quantities have none.
	Server Style = iota
	// Runtime is what expressions meet when they run: times, quantities and
	// bytes are strings, and whatever has no schema may be anything.
	Runtime
)

// Place is a type with its path from a root variable.
type Place struct {
	// Type is nil at the places of policy variables and of the hand-made types
	// of request and namespaceObject.
	Type *catalog.Type
	// Name is the name of the CEL type: "object.spec.containers.@idx".
	Name string
}

// provider resolves the struct types below its roots only when the compiler needs
// them: a Pod has two thousand fields, and an expression names three. As on the
// server, a type's name is its path, because the type checker treats types at
// different paths as different. The provider below it resolves everything else.
// It implements types.Provider and types.Adapter.
type provider struct {
	types.Provider
	types.Adapter

	style Style
	known map[string]known
	// variables are the fields of the variables type.
	variables map[string]*cel.Type
}

// known is a named struct type.
type known struct {
	typ *catalog.Type
	// inside lists the named types around this one; a type within itself is an
	// empty object to the server.
	inside []string
}

// declare returns the type of a root variable; nil means dyn.
func (p *provider) declare(name string, t *catalog.Type) {
	if t != nil {
		p.known[name] = known{typ: t}
	}
}

func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := p.known[name]; ok || name == variablesType {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	k, ok := p.known[name]
	if !ok {
		return p.Provider.FindStructFieldNames(name)
	}
	return k.typ.FieldNames(), true
}

func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name == variablesType {
		t, ok := p.variables[field]
		return &types.FieldType{Type: t}, ok
	}
	k, ok := p.known[name]
	if !ok {
		return p.Provider.FindStructFieldType(name, field)
	}
	t := p.field(k, name, field)
	return &types.FieldType{Type: t}, t != nil
}

// field returns a field's type, or nil if there is no such field.
func (p *provider) field(k known, name, field string) *cel.Type {
	key := field
	if p.style == Server {
		// The server's field names are escaped; keywords may be written as they
		// are too (semantics §12).
		if plain, ok := apiservercel.Unescape(field); ok {
			key = plain
		}
		if _, ok := apiservercel.Escape(key); !ok {
			return nil
		}
		if strings.ContainsAny(key, "-./") && key == field {
			return nil
		}
	}
	f := k.typ.Field(key)
	if f == nil {
		if p.style == Runtime && k.typ.Open {
			return types.DynType
		}
		return nil
	}
	inside := k.inside
	if k.typ.ID != "" {
		inside = append(slices.Clip(inside), k.typ.ID)
	}
	return p.celType(f.Type, name+"."+field, inside)
}

// celType converts a type; nil means that the server declares no such field.
func (p *provider) celType(t *catalog.Type, name string, inside []string) *cel.Type {
	switch t.Kind {
	case catalog.Struct:
		if p.style == Server && t.ID != "" && slices.Contains(inside, t.ID) {
			t = emptyObject
		}
		p.known[name] = known{typ: t, inside: inside}
		return types.NewObjectType(name)
	case catalog.Map:
		if p.style == Server && t.Elem.Kind == catalog.Any {
			// A schema of type object that says nothing more.
			p.known[name] = known{typ: emptyObject}
			return types.NewObjectType(name)
		}
		if elem := p.celType(t.Elem, name+".@elem", inside); elem != nil {
			return types.NewMapType(types.StringType, elem)
		}
	case catalog.List:
		if elem := p.celType(t.Elem, name+".@idx", inside); elem != nil {
			return types.NewListType(elem)
		}
	case catalog.String:
		return p.text(t)
	case catalog.Boolean:
		return types.BoolType
	case catalog.Integer:
		return types.IntType
	case catalog.Number:
		return types.DoubleType
	case catalog.Bytes:
		if p.style == Runtime {
			return types.StringType // base64
		}
		return types.BytesType
	default:
		return p.special(t, name)
	}
	return nil
}

// text returns a string's type by its format, which only the server considers.
func (p *provider) text(t *catalog.Type) *cel.Type {
	if p.style == Server {
		switch t.Format {
		case "byte":
			return types.BytesType
		case "duration":
			return types.DurationType
		case "date", "date-time":
			return types.TimestampType
		}
	}
	return types.StringType
}

// emptyObject is a struct whose schema declares no properties.
var emptyObject = &catalog.Type{Kind: catalog.Struct}

// special converts the types that are neither structs nor plain scalars.
func (p *provider) special(t *catalog.Type, name string) *cel.Type {
	if p.style == Runtime {
		switch t.ID {
		case "meta/v1.Time", "meta/v1.MicroTime", "resource.Quantity":
			return types.StringType
		}
		return types.DynType
	}
	switch t.ID {
	case "meta/v1.Time", "meta/v1.MicroTime":
		return types.TimestampType
	case "intstr.IntOrString":
		return types.DynType
	case "runtime.RawExtension", "meta/v1.FieldsV1":
		p.known[name] = known{typ: emptyObject}
		return types.NewObjectType(name)
	}
	// Quantities and raw JSON have a schema without a type: not declared.
	return nil
}

func (p *provider) NativeToValue(value any) ref.Val { return p.Adapter.NativeToValue(value) }
