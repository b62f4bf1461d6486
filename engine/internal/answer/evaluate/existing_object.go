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
	if atMost(r.Object, maxBody) >= 0 {
		return nil
	}
	if body, err := json.Marshal(r.Object); err != nil || len(body) <= maxBody {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
}

// atMost returns how much of a room of bytes a value's JSON leaves at least. It writes nothing, which
// would take a quarter of the time of a large object's evaluation.
func atMost(value any, room int) int {
	switch v := value.(type) {
	case map[string]any:
		room -= 2
		for key, item := range v {
			if room = atMost(item, room-4-len(key)-escapes(key)); room < 0 {
				return room
			}
		}
	case []any:
		room -= 2
		for _, item := range v {
			if room = atMost(item, room-1); room < 0 {
				return room
			}
		}
	case string:
		room -= 2 + len(v) + escapes(v)
	default:
		room -= maxNumber
	}
	return room
}

// maxNumber is the length of the longest number in JSON.
const maxNumber = 25

// escapes returns how many bytes escapes add at most to a text in JSON, where a character has up to six.
func escapes(text string) int {
	n := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			n += 5
		}
	}
	return n
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

// create stores a new object, which a server does last. A complete cluster text shows that it exists.
func (e *Evaluation) create(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	stored, found, known := e.existing(&a.Request)
	if !known || !found || !e.Cluster.Complete() || e.AdmissionOnly() || a.Operation != request.Create || a.SubResource != "" {
		return nil, nil
	}
	status := apierrors.NewAlreadyExists(a.Resource.GroupResource(), a.Name)
	if untyped.Sub(stored.Value, "metadata")["deletionTimestamp"] != nil {
		status.ErrStatus.Message = "object is being deleted: " + status.ErrStatus.Message
	}
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage", Reason: "the cluster has the object already"}, status)
}
