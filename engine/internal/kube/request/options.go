package request

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateOptions returns the server's rejection of a request's options, which it checks first
// (ValidateCreateOptions and the like in apimachinery/pkg/apis/meta/v1/validation); nil if valid.
func (r *Request) ValidateOptions() *apierrors.StatusError {
	if r.Apply != nil {
		return r.validateApplyOptions()
	}
	if len(r.Options) <= 2 && r.Options["kind"] != nil && r.Options["apiVersion"] != nil {
		return nil // nothing but the type
	}
	raw, err := json.Marshal(r.Options)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	var errs field.ErrorList
	kind := ""
	switch r.Operation {
	case Create:
		var o metav1.CreateOptions
		kind, err = "CreateOptions", json.Unmarshal(raw, &o)
		errs = validation.ValidateCreateOptions(&o)
	case Update:
		var o metav1.UpdateOptions
		kind, err = "UpdateOptions", json.Unmarshal(raw, &o)
		errs = validation.ValidateUpdateOptions(&o)
	case Delete:
		var o metav1.DeleteOptions
		kind, err = "DeleteOptions", json.Unmarshal(raw, &o)
		errs = validation.ValidateDeleteOptions(&o)
	default:
		return nil
	}
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}
