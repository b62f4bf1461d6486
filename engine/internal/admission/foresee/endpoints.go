package foresee

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Endpoint is where requests are sent to: an operation on a resource or subresource.
type Endpoint struct {
	Resource    schema.GroupVersionResource
	SubResource string
	Kind        schema.GroupVersionKind // of the object that is sent
	Operation   string
	Namespaced  bool
	// Name is one of the rule's resourceNames; empty where any name will do.
	Name string
	// Any says that the rule names neither the resource nor its group.
	Any bool
}

// maxKinds bounds the kinds that are tried for a rule which names none.
const maxKinds = 6

// usual are resources that stand for all of them where a rule has a wildcard: those that
// differ most, first. ConfigMaps have no spec, and ClusterRoles are in no namespace.
var usual = []string{"pods", "configmaps", "deployments", "namespaces", "services", "clusterroles", "secrets", "jobs", "nodes", "ingresses"}

// usualSubresources are tried where a rule has a wildcard for them.
var usualSubresources = []string{"status", "scale", "eviction", "binding", "exec", "token"}

// maxEndpoints bounds the endpoints of one policy or webhook.
const maxEndpoints = 60

// Endpoints are those that rules match, in the order of the rules; of wildcards some.
func Endpoints(kinds *catalog.Catalog, rules []v1.RuleWithOperations, names [][]string) []Endpoint {
	var out []Endpoint
	for i, r := range rules {
		name := ""
		if i < len(names) && len(names[i]) > 0 {
			name = names[i][0]
		}
		for _, e := range ofRule(kinds, &r) {
			e.Name = name
			if len(out) == maxEndpoints {
				return out
			}
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

func ofRule(kinds *catalog.Catalog, r *v1.RuleWithOperations) []Endpoint {
	var out []Endpoint
	of := map[string]int{} // the number of kinds by entry
	for _, resource := range inOrder(kinds.Kinds()) {
		if !resource.Served && resource.Builtin || !in(r.APIGroups, resource.GVR.Group) || !in(r.APIVersions, resource.GVR.Version) || !inScope(r.Scope, resource.Namespaced) {
			continue
		}
		for _, entry := range r.Resources {
			plural, sub, _ := strings.Cut(entry, "/")
			if plural != "*" && plural != resource.GVR.Resource {
				continue
			}
			if of[entry]++; plural == "*" && of[entry] > maxKinds {
				continue
			}
			for _, sub := range subresources(resource, sub, entry == "*/*") {
				out = append(out, operations(resource, sub, r.Operations, plural == "*")...)
			}
		}
	}
	return out
}

// inOrder are resources with the usual ones first.
func inOrder(list []catalog.Resource) []catalog.Resource {
	rank := func(r catalog.Resource) int {
		if i := slices.Index(usual, r.GVR.Resource); i >= 0 && r.Builtin {
			return i
		}
		if !r.Builtin {
			return len(usual)
		}
		return len(usual) + 1
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b catalog.Resource) int { return rank(a) - rank(b) })
	return out
}

func in(list []string, name string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, name)
}

func inScope(scope *v1.ScopeType, namespaced bool) bool {
	return scope == nil || *scope == v1.AllScopes || namespaced == (*scope == v1.NamespacedScope)
}

// subresources are those of a resource that an entry of a rule names; the empty one is the
// resource itself.
func subresources(r catalog.Resource, entry string, itself bool) []string {
	var out []string
	if itself || entry == "" {
		out = append(out, "")
	}
	if entry == "*" {
		for _, sub := range usualSubresources {
			if _, ok := r.Subresources[sub]; ok {
				out = append(out, sub)
			}
		}
	} else if _, ok := r.Subresources[entry]; ok && entry != "" {
		out = append(out, entry)
	}
	return out
}

// connected are the subresources that a client connects to, created those that it posts to.
// All others are updated.
var (
	connected = []string{"exec", "attach", "portforward", "proxy"}
	created   = []string{"binding", "eviction", "token"}
)

func operations(r catalog.Resource, sub string, wanted []v1.OperationType, any bool) []Endpoint {
	var out []Endpoint
	kind := r.GVK
	possible := []string{"CREATE", "UPDATE", "DELETE"}
	switch {
	case slices.Contains(connected, sub):
		possible = []string{"CONNECT"}
	case slices.Contains(created, sub):
		possible = []string{"CREATE"}
	case sub != "":
		possible = []string{"UPDATE"}
	case strings.HasSuffix(r.GVR.Resource, "reviews") || r.GVR.Resource == "bindings":
		possible = []string{"CREATE"}
	case r.GVR.Resource == "componentstatuses":
		return nil
	}
	if sub != "" && r.Subresources[sub].Kind != "" {
		kind = r.Subresources[sub]
	}
	for _, operation := range possible {
		if slices.Contains(wanted, v1.OperationAll) || slices.Contains(wanted, v1.OperationType(operation)) {
			out = append(out, Endpoint{Resource: r.GVR, SubResource: sub, Kind: kind, Operation: operation, Namespaced: r.Namespaced, Any: any})
		}
	}
	return out
}
