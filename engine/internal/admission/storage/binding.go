package storage

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
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
