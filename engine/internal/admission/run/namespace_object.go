package run

import (
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Namespace returns the namespaceObject of the request; nil for cluster-scoped
// resources and for Namespaces themselves. A namespace that does not exist is
// the server's error, which no failure policy softens (semantics §5.4).
func (c *Chain) Namespace() (map[string]any, *apierrors.StatusError) {
	name := c.Attributes.Namespace
	if c.Attributes.Kind == untyped.Namespace || name == "" {
		return nil, nil
	}
	if c.namespace != nil {
		return c.namespace, nil // each policy asks
	}
	ns, assumed, found := c.Cluster.Namespace(name)
	if !found {
		c.MissingNamespace = true
		resource := "namespaces"
		if !c.Version.Has(version.NamespaceFromAPI) {
			resource = "namespace"
		}
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name)
	}
	if assumed {
		c.NotSimulated("The scenario's cluster has no Namespace " + name + "; it is assumed to exist, with no label but kubernetes.io/metadata.name.")
	}
	c.namespace = exposedNamespace(ns)
	return c.namespace, nil
}

// exposedNamespace leaves out what expressions do not see.
func exposedNamespace(ns map[string]any) map[string]any {
	out := maps.Clone(ns)
	delete(out, "apiVersion")
	delete(out, "kind")
	if meta, ok := ns["metadata"].(map[string]any); ok {
		kept := maps.Clone(meta)
		for _, hidden := range []string{"ownerReferences", "managedFields", "selfLink"} {
			delete(kept, hidden)
		}
		out["metadata"] = kept
	}
	return out
}
