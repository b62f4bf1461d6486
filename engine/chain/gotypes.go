package chain

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/catalog"
	"github.com/preadmit/preadmit/engine/expr"
)

// typedSince is the first minor version that gives CEL the Go values of built-in
// objects (expr.GoType).
const typedSince = 37

// TypesOf are the Go types of the variables for an object of that kind, and of a
// param; nil where the version or the kind has none.
func (c *Chain) TypesOf(kind schema.GroupVersionKind, param *schema.GroupVersionKind) expr.InputTypes {
	if c.Minor < typedSince {
		return expr.InputTypes{}
	}
	out := expr.InputTypes{Object: c.goType(kind), Request: requestType, Namespace: c.goType(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})}
	out.OldObject = out.Object
	if param != nil {
		out.Params = c.goType(*param)
	}
	return out
}

func (c *Chain) goType(kind schema.GroupVersionKind) expr.GoType {
	resource, ok := c.Catalog.ResourceForKind(kind)
	if !ok || !resource.Builtin {
		return nil
	}
	t, ok := c.Catalog.TypeOf(kind)
	if !ok {
		return nil
	}
	return goType{t}
}

// goType is a type of the catalog.
type goType struct{ *catalog.Type }

// Form implements expr.GoType.
func (t goType) Form() expr.Form {
	switch t.Kind {
	case catalog.Struct:
		return expr.Struct
	case catalog.Map:
		return expr.Map
	case catalog.List:
		return expr.List
	}
	return expr.Scalar
}

// Name implements expr.GoType.
func (t goType) Name() string { return t.Type.Name }

// Field implements expr.GoType.
func (t goType) Field(name string) expr.GoType {
	if f := t.Type.Field(name); f != nil {
		return goType{f.Type}
	}
	return nil
}

// Elem implements expr.GoType.
func (t goType) Elem() expr.GoType {
	if t.Type.Elem == nil {
		return nil
	}
	return goType{t.Type.Elem}
}

// Equal implements expr.GoType.
func (t goType) Equal(a, b any) bool { return t.SemanticEqual(a, b) }

// plainType is a Go type that the catalog does not have: those of request.
type plainType struct {
	form   expr.Form
	name   string
	fields map[string]expr.GoType
	elem   *plainType
}

// requestType is admission/v1.AdmissionRequest. Its options turn themselves into
// JSON.
var requestType = func() expr.GoType {
	strings := &plainType{form: expr.List}
	kind, resource := &plainType{form: expr.Struct, name: "v1.GroupVersionKind"}, &plainType{form: expr.Struct, name: "v1.GroupVersionResource"}
	user := &plainType{form: expr.Struct, name: "v1.UserInfo", fields: map[string]expr.GoType{"groups": strings, "extra": &plainType{form: expr.Map, elem: strings}}}
	return &plainType{form: expr.Struct, name: "v1.AdmissionRequest", fields: map[string]expr.GoType{
		"kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "userInfo": user}}
}()

// Form implements expr.GoType.
func (t *plainType) Form() expr.Form { return t.form }

// Name implements expr.GoType.
func (t *plainType) Name() string { return t.name }

// Field implements expr.GoType.
func (t *plainType) Field(name string) expr.GoType { return t.fields[name] }

// Elem implements expr.GoType.
func (t *plainType) Elem() expr.GoType {
	if t.elem == nil {
		return nil
	}
	return t.elem
}

// Equal implements expr.GoType.
func (t *plainType) Equal(a, b any) bool { return reflect.DeepEqual(a, b) }
