package eval

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
)

// Inputs are the values of the variables. Objects are unstructured; nil means
// null.
type Inputs struct {
	Object, OldObject, Params, Request, Namespace map[string]any
	// Types are the Go types of those that the server does not turn into maps.
	Types InputTypes
	// Authorizers are those of the variables, bound when not nil (semantics §7.4: not
	// for audit annotations and messages).
	Authorizers Authorizers
	// Values, when it is not nil, has the CEL values of the objects, the request and the namespace if
	// an expression before has seen the same ones.
	Values *Values
	// Quietly runs a function whose checks of the authorizer are repetitions,
	// not to be recorded; nil where nothing records.
	Quietly func(func())
}

// Authorizers make the values of authorizer and authorizer.requestResource when an
// expression asks for them: few do.
type Authorizers interface {
	Authorizer() ref.Val
	RequestResource() ref.Val
}

// InputTypes are the Go types of the variables; nil for a variable that is a map.
type InputTypes struct{ Object, OldObject, Params, Request, Namespace GoType }

// activation resolves the variables of semantics §1.2. The authorizer is
// unknown, not null, where it is not bound. It implements interpreter.Activation.
type activation struct {
	object, oldObject, params, request, namespace ref.Val
	authorizers                                   Authorizers
	// authorizer and requestResource are theirs, once an expression has asked.
	authorizer, requestResource ref.Val
	variables                   ref.Val
	asked                       asked
}

var _ interpreter.Activation = (*activation)(nil)

func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case plugincel.ObjectVarName:
		return a.object, true
	case plugincel.OldObjectVarName:
		a.asked.oldObject = true
		return a.oldObject, true
	case plugincel.ParamsVarName:
		return a.params, true
	case plugincel.RequestVarName:
		a.asked.request = true
		return a.request, true
	case plugincel.NamespaceVarName:
		a.asked.namespace = true
		return a.namespace, true
	case plugincel.AuthorizerVarName:
		if a.authorizers != nil && a.authorizer == nil {
			a.authorizer = a.authorizers.Authorizer()
		}
		return a.authorizer, a.authorizer != nil
	case plugincel.RequestResourceAuthorizerVarName:
		if a.authorizers != nil && a.requestResource == nil {
			a.requestResource = a.authorizers.RequestResource()
		}
		return a.requestResource, a.requestResource != nil
	case plugincel.VariableVarName:
		return a.variables, true
	}
	return nil, false
}

func (a *activation) Parent() cel.Activation { return nil }
