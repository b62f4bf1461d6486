package run

import (
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// Inputs are the values that expressions of one invocation see. kind is the
// kind that matched; resource is what request.resource shows.
func (c *Chain) Inputs(object map[string]any, kind schema.GroupVersionKind, resource schema.GroupVersionResource) (eval.Inputs, error) {
	old, err := c.Versioned(c.Attributes.OldObject, kind)
	if err != nil {
		return eval.Inputs{}, err
	}
	in := eval.Inputs{Object: object, OldObject: old, Request: c.requestValue(kind, resource), Types: c.TypesOf(kind, nil), Quietly: c.quietly}
	if c.Authorizer != nil {
		in.Authorizers = authorizers{c}
	}
	return in, nil
}

// authorizers are the values that ask the chain's authorizer. It implements eval.Authorizers.
type authorizers struct{ chain *Chain }

func (a authorizers) Authorizer() ref.Val {
	return library.NewAuthorizerVal(a.chain.Attributes.User, a.chain.Authorizer)
}

func (a authorizers) RequestResource() ref.Val {
	return library.NewResourceAuthorizerVal(a.chain.Attributes.User, a.chain.Authorizer, requestResource{&a.chain.Attributes})
}

// ConditionInputs are Inputs for match conditions: they see the request's own
// resource and never a namespace (semantics §1.2, §1.3).
func (c *Chain) ConditionInputs(object map[string]any, kind schema.GroupVersionKind) (eval.Inputs, error) {
	return c.Inputs(object, kind, c.Attributes.Resource)
}

// shownRequest is the variable request, and what it depends on that is not the same for
// all expressions of a request: its name may come with storage.
type shownRequest struct {
	kind     schema.GroupVersionKind
	resource schema.GroupVersionResource
	name     string
	value    map[string]any
}

// requestValue is the variable request. Policies that match the same share it.
func (c *Chain) requestValue(kind schema.GroupVersionKind, resource schema.GroupVersionResource) map[string]any {
	if s := &c.shown; s.value == nil || s.kind != kind || s.resource != resource || s.name != c.Attributes.Name {
		*s = shownRequest{kind, resource, c.Attributes.Name, c.makeRequest(kind, resource)}
	}
	return c.shown.value
}

// makeRequest makes the variable request. Empty strings are left out as in the
// JSON of an AdmissionRequest (semantics §1.3).
func (c *Chain) makeRequest(kind schema.GroupVersionKind, resource schema.GroupVersionResource) map[string]any {
	a := &c.Attributes
	seenKind, seenResource := c.KindValues.kind(kind).value, c.KindValues.resource(resource).value
	ownKind, ownResource := seenKind, seenResource
	if kind != a.Kind {
		ownKind = c.KindValues.kind(a.Kind).value
	}
	if resource != a.Resource {
		ownResource = c.KindValues.resource(a.Resource).value
	}
	request := make(map[string]any, 12)
	request["kind"], request["resource"] = seenKind, seenResource
	request["requestKind"], request["requestResource"] = ownKind, ownResource
	request["operation"], request["dryRun"], request["userInfo"] = a.Operation, a.DryRun, c.userValue()
	given := func(key, value string) {
		if value != "" {
			request[key] = value
		}
	}
	given("subResource", a.SubResource)
	given("requestSubResource", a.SubResource)
	given("name", a.Name)
	given("namespace", a.Namespace)
	// A CONNECT has no options: null, as a raw extension is never left out.
	request["options"] = nil
	if a.Options != nil {
		request["options"] = a.Options
	}
	return request
}

func (c *Chain) userValue() map[string]any {
	u := c.Attributes.User
	out := map[string]any{}
	if u.Name != "" {
		out["username"] = u.Name
	}
	if u.UID != "" {
		out["uid"] = u.UID
	}
	if len(u.Groups) > 0 {
		out["groups"] = list(u.Groups)
	}
	if len(u.Extra) > 0 {
		extra := map[string]any{}
		for k, v := range u.Extra {
			extra[k] = list(v)
		}
		out["extra"] = extra
	}
	return out
}

func list(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// requestResource is what authorizer.requestResource asks about. It implements library.Resource.
type requestResource struct{ *Attributes }

func (r requestResource) GetName() string                          { return r.Name }
func (r requestResource) GetNamespace() string                     { return r.Namespace }
func (r requestResource) GetResource() schema.GroupVersionResource { return r.Resource }
func (r requestResource) GetSubresource() string                   { return r.SubResource }
