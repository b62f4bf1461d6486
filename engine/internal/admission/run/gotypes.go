package run

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TypesOf are the Go types of the variables for an object of that kind, and of a
// param; nil where the version or the kind has none.
func (c *Chain) TypesOf(kind schema.GroupVersionKind, param *schema.GroupVersionKind) eval.InputTypes {
	if !c.Version.Has(version.TypedInputs) {
		return eval.InputTypes{}
	}
	if c.typed.kind != kind || c.typed.types.Request == nil {
		out := eval.InputTypes{Object: c.goType(kind), Request: requestType, Namespace: c.goType(untyped.Namespace)}
		out.OldObject = out.Object
		c.typed = typedKind{kind, out}
	}
	out := c.typed.types
	if param != nil {
		out.Params = c.goType(*param)
	}
	return out
}

// typedKind are the types of the variables for objects of the kind that was asked for last.
type typedKind struct {
	kind  schema.GroupVersionKind
	types eval.InputTypes
}

func (c *Chain) goType(kind schema.GroupVersionKind) eval.GoType {
	if !c.Catalog.Typed(kind) {
		return nil
	}
	t, ok := c.Catalog.TypeOf(kind)
	if !ok {
		return nil
	}
	return goType{t}
}

// goType implements eval.GoType.
type goType struct{ *catalog.Type }

func (t goType) Form() eval.Form {
	switch t.Kind {
	case catalog.Struct:
		return eval.Struct
	case catalog.Map:
		return eval.Map
	case catalog.List:
		return eval.List
	}
	return eval.Scalar
}

func (t goType) Name() string { return t.Type.Name }

func (t goType) Field(name string) eval.GoType {
	if f := t.Type.Field(name); f != nil {
		return goType{f.Type}
	}
	return nil
}

func (t goType) Elem() eval.GoType {
	if t.Type.Elem == nil {
		return nil
	}
	return goType{t.Type.Elem}
}

func (t goType) Equal(a, b any) bool { return t.SemanticEqual(a, b) }

// plainType is a Go type that the catalog does not have: those of request. It implements eval.GoType.
type plainType struct {
	form   eval.Form
	name   string
	fields map[string]eval.GoType
	elem   *plainType
}

// requestType is admission/v1.AdmissionRequest. Its options turn themselves into
// JSON.
var requestType = func() eval.GoType {
	strings := &plainType{form: eval.List}
	kind, resource := &plainType{form: eval.Struct, name: "v1.GroupVersionKind"}, &plainType{form: eval.Struct, name: "v1.GroupVersionResource"}
	user := &plainType{form: eval.Struct, name: "v1.UserInfo", fields: map[string]eval.GoType{"groups": strings, "extra": &plainType{form: eval.Map, elem: strings}}}
	return &plainType{form: eval.Struct, name: "v1.AdmissionRequest", fields: map[string]eval.GoType{
		"kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "userInfo": user}}
}()

func (t *plainType) Form() eval.Form               { return t.form }
func (t *plainType) Name() string                  { return t.name }
func (t *plainType) Field(name string) eval.GoType { return t.fields[name] }

func (t *plainType) Elem() eval.GoType {
	if t.elem == nil {
		return nil
	}
	return t.elem
}

func (t *plainType) Equal(a, b any) bool { return reflect.DeepEqual(a, b) }
