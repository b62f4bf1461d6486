package collect

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/source"
)

const rbacGroup = "rbac.authorization.k8s.io"

var (
	roles               = schema.GroupKind{Group: rbacGroup, Kind: "Role"}
	clusterRoles        = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRole"}
	roleBindings        = schema.GroupKind{Group: rbacGroup, Kind: "RoleBinding"}
	clusterRoleBindings = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRoleBinding"}
)

// rights adds the user's roles and their bindings. Only expressions with an authorizer need those
// outside the request's namespace, and only expressions about a service account need those of
// others.
func (c *collector) rights(r Request) {
	everywhere, anybody := false, false
	for _, o := range c.out.policies {
		everywhere = everywhere || Mentions(o, "authorizer")
		anybody = anybody || Mentions(o, "authorizer.serviceAccount(")
	}
	concerns := func(binding source.Object) bool { return anybody || binds(binding, r) }
	for _, b := range c.from.List(c.ctx, clusterRoleBindings, "", "") {
		if concerns(b) {
			c.bound(b)
		}
	}
	if r.Namespace == "" && !everywhere {
		return
	}
	namespace := r.Namespace
	if everywhere {
		namespace = ""
	}
	for _, b := range c.from.List(c.ctx, roleBindings, namespace, "") {
		if concerns(b) {
			c.bound(b)
		}
	}
}

// bound adds a binding and its role.
func (c *collector) bound(b source.Object) {
	c.add(b)
	u := unstructured.Unstructured{Object: b}
	ref, _, _ := unstructured.NestedStringMap(b, "roleRef")
	if ref["kind"] == "Role" {
		c.add(c.from.Get(c.ctx, roles, u.GetNamespace(), ref["name"]))
		return
	}
	c.add(c.from.Get(c.ctx, clusterRoles, "", ref["name"]))
}

// binds reports whether the request's user is one of a binding's subjects.
func binds(binding source.Object, r Request) bool {
	subjects, _, _ := unstructured.NestedSlice(binding, "subjects")
	return slices.ContainsFunc(subjects, func(item any) bool {
		s, _ := item.(map[string]any)
		name, _ := s["name"].(string)
		switch s["kind"] {
		case "User":
			return name == r.User.Username
		case "Group":
			return slices.Contains(r.User.Groups, name)
		case "ServiceAccount":
			namespace, _ := s["namespace"].(string)
			return r.User.Username == "system:serviceaccount:"+namespace+":"+name
		}
		return false
	})
}

// Mentions reports whether any string in a value contains a part.
func Mentions(value any, part string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, part)
	case map[string]any:
		for _, item := range v {
			if Mentions(item, part) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return Mentions(item, part) })
	}
	return false
}
