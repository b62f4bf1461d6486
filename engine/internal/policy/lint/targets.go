package lint

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// mostWorlds bounds the pairs of operation and resource that are looked at one by one.
const mostWorlds = 16

// mostSteps bounds the work for one question about one world.
const mostSteps = 30_000

// target is what rules match: an operation on a resource. Without a resource it is any.
type target struct {
	operation string
	resource  *catalog.Resource
	sub       string
}

// operations are all that a rule may name.
var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// targets are what rules match. Resources that are not known stand for any.
func (c *checker) targets(rules []v1.NamedRuleWithOperations) []target {
	var out []target
	add := func(t target) {
		if !slices.ContainsFunc(out, func(o target) bool {
			return o.operation == t.operation && o.sub == t.sub && (o.resource == nil) == (t.resource == nil) && (o.resource == nil || o.resource.GVR == t.resource.GVR)
		}) {
			out = append(out, t)
		}
	}
	for i := range rules {
		of, all := c.ofRule(&rules[i].RuleWithOperations)
		for _, operation := range expanded(rules[i].Operations) {
			for _, t := range of {
				if likely(operation, t.sub) {
					t.operation = operation
					add(t)
				}
			}
			if !all {
				add(target{operation: operation})
			}
		}
	}
	return out
}

func expanded(list []v1.OperationType) []string {
	var out []string
	for _, o := range list {
		if o == v1.OperationAll {
			return operations
		}
		out = append(out, string(o))
	}
	return out
}

// ofRule are the resources that a rule names; all is false where it may match others too.
func (c *checker) ofRule(rule *v1.RuleWithOperations) (out []target, all bool) {
	all = !slices.Contains(rule.APIGroups, "*")
	for _, entry := range rule.Resources {
		name, sub, _ := strings.Cut(entry, "/")
		if name == "*" {
			all = false
			continue
		}
		found := false
		for _, r := range c.kinds() {
			if r.GVR.Resource != name || !holds(rule.APIGroups, r.GVR.Group) || !holds(rule.APIVersions, r.GVR.Version) || !r.Served && r.Builtin || !inScope(rule.Scope, r) {
				continue
			}
			found = true
			if sub == "" || sub == "*" {
				out = append(out, target{resource: &r})
			}
			for of := range r.Subresources {
				if sub == of || sub == "*" {
					out = append(out, target{resource: &r, sub: of})
				}
			}
		}
		all = all && found
	}
	return out, all
}

func (c *checker) kinds() []catalog.Resource {
	if c.resources == nil {
		c.resources = c.Catalog.Kinds()
	}
	return c.resources
}

func holds(list []string, item string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, item)
}

// inScope reports whether a rule's scope has a resource. Namespaces count as those of a cluster.
func inScope(scope *v1.ScopeType, r catalog.Resource) bool {
	if scope == nil || *scope == v1.AllScopes {
		return true
	}
	return r.Namespaced == (*scope == v1.NamespacedScope)
}

// likely reports whether a server has requests with an operation for a subresource.
func likely(operation, sub string) bool {
	switch sub {
	case "":
		return operation != "CONNECT"
	case "exec", "attach", "portforward", "proxy":
		return operation == "CONNECT"
	case "binding", "eviction", "token":
		return operation == "CREATE"
	case "log":
		return false
	}
	return operation == "UPDATE"
}

// worlds are the requests that a policy matches, and a binding if there is one; none where no
// question can be asked about them.
func (p *policy) worlds(b *binding) []*outcomes.World {
	if b != nil {
		return p.worldsOf(b)
	}
	if p.every == nil {
		p.every = p.worldsOf(nil)
	}
	return p.every
}

func (p *policy) worldsOf(b *binding) []*outcomes.World {
	list := p.targets(p.match.ResourceRules)
	if len(p.match.ResourceRules) == 0 && !p.webhook {
		list = nil
		for _, operation := range operations {
			list = append(list, target{operation: operation})
		}
	}
	if b != nil && b.match != nil && len(b.match.ResourceRules) > 0 {
		var both []target
		for _, t := range list {
			if p.matchedBy(t, b.match.ResourceRules) {
				both = append(both, t)
			}
		}
		list = both
	}
	if len(list) > mostWorlds {
		list = withoutResources(list)
	}
	var out []*outcomes.World
	for _, t := range list {
		out = append(out, p.world(t, b))
	}
	return out
}

// withoutResources asks about all resources of an operation at once.
func withoutResources(list []target) []target {
	var out []target
	for _, t := range list {
		t.resource, t.sub = nil, ""
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (p *policy) matchedBy(t target, rules []v1.NamedRuleWithOperations) bool {
	return slices.ContainsFunc(rules, func(rule v1.NamedRuleWithOperations) bool {
		if !slices.Contains(expanded(rule.Operations), t.operation) {
			return false
		}
		if t.resource == nil {
			return true
		}
		same := append([]schema.GroupVersionResource{t.resource.GVR}, p.Catalog.Equivalents(t.resource.GVR, t.sub)...)
		return slices.ContainsFunc(same, func(r schema.GroupVersionResource) bool {
			return holds(rule.APIGroups, r.Group) && holds(rule.APIVersions, r.Version) && namesResource(rule.Resources, r.Resource, t.sub)
		})
	})
}

// namesResource compares as the server does.
func namesResource(list []string, resource, sub string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		name, of, _ := strings.Cut(entry, "/")
		return (name == "*" || name == resource) && (of == "*" || of == sub)
	})
}

// world is what is known of the requests of a target.
func (p *policy) world(t target, b *binding) *outcomes.World {
	w := &outcomes.World{Operation: t.operation, Resource: t.resource, Sub: t.sub, Variables: p.named, Texts: map[string]outcomes.TextSet{}}
	if configMap, ok := p.Catalog.TypeOf(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}); ok {
		w.Metadata = configMap.At("metadata")
	}
	if k := p.paramKind; k != nil {
		w.Params, _ = p.Catalog.TypeOf(schema.FromAPIVersionAndKind(k.APIVersion, k.Kind))
	}
	if t.resource != nil {
		if gvk, ok := p.Catalog.KindFor(t.resource.GVR, t.sub); ok {
			w.Object, _ = p.Catalog.TypeOf(gvk)
		}
		w.Loose = !t.resource.Builtin
	}
	matches := []*v1.MatchResources{&p.match}
	if b != nil && b.match != nil {
		matches = append(matches, b.match)
	}
	p.selected(w, matches)
	return w
}

// selected says what selectors tell about texts of the request.
func (p *policy) selected(w *outcomes.World, matches []*v1.MatchResources) {
	for _, m := range matches {
		if m.NamespaceSelector != nil && w.Resource != nil && w.Resource.Namespaced {
			for key, of := range requirements(m.NamespaceSelector) {
				name := "namespaceObject.metadata.labels." + key
				if key == "kubernetes.io/metadata.name" {
					name = "request.namespace"
				}
				of.join(w.Texts, name)
			}
		}
		object := map[string]string{"CREATE": "object", "DELETE": "oldObject"}[w.Operation]
		if m.ObjectSelector == nil || object == "" || w.Sub != "" {
			continue // one of the two objects of an update is enough
		}
		for key, of := range requirements(m.ObjectSelector) {
			of.join(w.Texts, object+".metadata.labels."+key)
		}
	}
}
