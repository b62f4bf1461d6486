package plugins

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// namespaceLifecycle rejects requests in a Namespace that does not exist, and
// new objects in one that is being deleted. Deletions pass.
var namespaceLifecycle = plugin{
	name:         "NamespaceLifecycle",
	operations:   []string{"CREATE", "UPDATE", "DELETE"},
	subresources: []string{"*"},
	refusesOnly:  true,
	admit: func(r *request) error {
		a := &r.Attributes
		isNamespace := a.Kind.GroupKind() == untyped.Namespace.GroupKind()
		switch {
		case a.Operation == "DELETE" && isNamespace && slices.Contains(cluster.Immortal, a.Name):
			return apierrors.NewForbidden(a.Resource.GroupResource(), a.Name, fmt.Errorf("this namespace may not be deleted"))
		case a.Namespace == "" || isNamespace:
			return r.nothing("the request is in no namespace")
		case a.Operation == "DELETE":
			return r.nothing("existing objects may be deleted in any namespace")
		case a.Operation == "UPDATE" && r.Version.Has(version.UpdatesWithoutNamespace):
			return r.nothing("existing objects may be changed in any namespace")
		case a.Resource.GroupResource() == schema.GroupResource{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}:
			return r.nothing("access reviews are never rejected")
		}
		return r.checkNamespace(a.Namespace)
	},
}

func (r *request) checkNamespace(name string) error {
	namespace, assumed, found := r.Cluster.Namespace(name)
	if !found {
		r.MissingNamespace = true
		return apierrors.NewNotFound(namespaces, name)
	}
	if assumed {
		r.NotSimulated("The scenario's cluster has no Namespace " + name + "; it is assumed to exist, with no label but kubernetes.io/metadata.name.")
	}
	if r.Attributes.Operation != "CREATE" || text(untyped.Sub(namespace, "status"), "phase") != "Terminating" {
		return r.nothing("the namespace exists and accepts the change")
	}
	status := r.Forbidden(fmt.Errorf("unable to create new content in namespace %s because it is being terminated", name))
	status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: "NamespaceTerminating", Message: fmt.Sprintf("namespace %s is being terminated", name), Field: "metadata.namespace",
	})
	return status
}
