package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxBody is the size of the largest body that a server reads.
const maxBody = 3 << 20

// tooLarge is the answer to a body that a server does not read to its end.
func (e *Evaluation) tooLarge(r *request.Request, bytes int) *apierrors.StatusError {
	if e.AdmissionOnly() || e.Form.Captured || r.Object == nil || bytes < maxBody/4 {
		return nil
	}
	if untyped.Within(r.Object, maxBody) {
		return nil
	}
	if body, err := json.Marshal(r.Object); err != nil || len(body) <= maxBody {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
}

// existing finds the object that a request names in the cluster text. known says that the request is about
// an object with a name and a resource that is served.
func (e *Evaluation) existing(q *match.Request) (object cluster.Object, found, known bool) {
	resource, known := e.Catalog.ResourceFor(q.Resource)
	if !known || q.Name == "" {
		return object, false, false
	}
	namespace := ""
	if resource.Namespaced {
		namespace = q.Namespace
	}
	object, found = e.Cluster.Get(resource.GVK.GroupKind(), namespace, q.Name)
	return object, found, true
}

// wholeObject are the subresources that are read and written as the object itself.
var wholeObject = []string{"", "status", "ephemeralcontainers", "resize", "approval", "finalize"}

// createdByPut reports whether an update of an object that does not exist creates it.
func createdByPut(kind schema.GroupKind) bool {
	switch kind.Group {
	case "":
		return slices.Contains([]string{"Endpoints", "Event", "LimitRange", "Service"}, kind.Kind)
	case "rbac.authorization.k8s.io", "coordination.k8s.io", "events.k8s.io", "node.k8s.io":
		return true
	}
	return false
}

// readStored gives a request that brings no old object the one of the cluster text. It is the server's
// answer where a complete text has none.
func (e *Evaluation) readStored(r *request.Request) *apierrors.StatusError {
	if r.OldObject != nil || r.Operation != request.Update && r.Operation != request.Delete {
		return nil
	}
	stored, found, known := e.existing(&r.Request)
	switch {
	case !known:
		return nil
	case !found && e.Cluster.Complete() && !e.AdmissionOnly() && (r.SubResource != "" || r.Operation == request.Delete || !createdByPut(r.Kind.GroupKind())):
		return apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	case !found || !slices.Contains(wholeObject, r.SubResource):
		return nil
	}
	old := runtime.DeepCopyJSON(stored.Value)
	if metadata := untyped.Sub(old, "metadata"); metadata["uid"] == untyped.ZeroUID { // which the text does not have
		maps.DeleteFunc(metadata, func(field string, _ any) bool {
			return slices.Contains([]string{"uid", "creationTimestamp", "resourceVersion"}, field)
		})
	}
	old, err := e.Catalog.Convert(old, stored.GVK, r.Kind)
	if err != nil {
		return nil // the kind is not the resource's, and another check reports that
	}
	r.OldObject, e.Form.Captured = old, false
	e.Report.Request.Derived = append(e.Report.Request.Derived, "The old object is the one in the cluster.")
	e.Report.Diagnostics = slices.DeleteFunc(e.Report.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.NoOldObject })
	return nil
}

// store writes the object, which a server does last. A complete cluster text shows that a new one exists.
func (e *Evaluation) store(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	stored, found, known := e.existing(&a.Request)
	if e.AdmissionOnly() {
		return nil, nil
	}
	if status := (&storage.Storage{Chain: c, Registered: e.Registered}).TooLarge(e.Form.Applied); status != nil {
		return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage", Reason: "the object is too large for etcd"}, status)
	}
	if !known || !found || !e.Cluster.Complete() || a.Operation != request.Create || a.SubResource != "" {
		return nil, nil
	}
	status := apierrors.NewAlreadyExists(a.Resource.GroupResource(), a.Name)
	if untyped.Sub(stored.Value, "metadata")["deletionTimestamp"] != nil {
		status.ErrStatus.Message = "object is being deleted: " + status.ErrStatus.Message
	}
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage", Reason: "the cluster has the object already"}, status)
}
