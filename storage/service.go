package storage

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// addressed returns the rejection of a Service whose addresses contradict each other. Its storage
// checks that before the strategy runs (initIPFamilyFields in pkg/registry/core/service/storage).
// old is nil for a new one.
func addressed(object, old runtime.Object) error {
	service, ok := object.(*core.Service)
	if !ok || service.Spec.Type == core.ServiceTypeExternalName {
		return nil
	}
	stored, _ := old.(*core.Service)
	if errs := corevalidation.ValidateServiceClusterIPsRelatedFields(service, stored); len(errs) > 0 {
		return apierrors.NewInvalid(core.Kind("Service"), service.Name, errs)
	}
	return nil
}
