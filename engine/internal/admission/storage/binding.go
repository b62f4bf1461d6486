package storage

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// unboundable is the refusal of a Binding whose target is no node (ValidatePodBinding, which the
// storage of bindings answers as an error without a status of its own).
func unboundable(binding map[string]any) *apierrors.StatusError {
	target, at := untyped.Sub(binding, "target"), field.NewPath("target")
	var errs field.ErrorList
	kind, name := text(target["kind"]), text(target["name"])
	if kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(at.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	if name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	} else if kind == "" || kind == "Node" {
		for _, message := range apivalidation.NameIsDNSSubdomain(name, false) {
			errs = append(errs, field.Invalid(at.Child("name"), name, message))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return failed(errs.ToAggregate().Error())
}

// Bind is the rejection of a Binding after admission: the Pod is not there, is another one, or may get no
// node (BindingREST.assignPod). It is nil for other requests, and where the cluster text has no such Pod
// and may lack it.
func (e *Storage) Bind() *apierrors.StatusError {
	a := &e.Attributes
	if a.Operation != "CREATE" || a.SubResource != "binding" || a.Resource != podResource {
		return nil
	}
	stored, found := e.Cluster.Get(podKind, a.Namespace, a.Name)
	if !found {
		return e.absent(podResource.GroupResource(), a.Name)
	}
	want, have, node := metadataString(a.Object, "uid"), metadataString(stored.Value, "uid"), text(untyped.Sub(stored.Value, "spec")["nodeName"])
	why := ""
	switch {
	case want != "" && have != untyped.ZeroUID && want != have:
		return e.conflict(e.otherUID(want, have))
	case untyped.Sub(stored.Value, "metadata")["deletionTimestamp"] != nil:
		why = fmt.Sprintf("pod %s is being deleted, cannot be assigned to a host", a.Name)
	case node != "":
		why = fmt.Sprintf("pod %v is already assigned to node %q", a.Name, node)
	case len(untyped.Items(stored.Value, "spec", "schedulingGates")) > 0:
		why = fmt.Sprintf("pod %v has non-empty .spec.schedulingGates", a.Name)
	default:
		return nil
	}
	return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, a.Name, errors.New(why))
}

// absent is the answer where an object is not there: nil unless the cluster text is complete.
func (e *Storage) absent(resource schema.GroupResource, name string) *apierrors.StatusError {
	if !e.Cluster.Complete() {
		return nil
	}
	return apierrors.NewNotFound(resource, name)
}
