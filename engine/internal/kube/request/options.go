package request

import (
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateOptions is the server's rejection of the options of a request, before it looks at
// anything else (ValidateCreateOptions and its like in apimachinery/pkg/apis/meta/v1/validation),
// and of a deletion whose preconditions do not hold (rest.BeforeDelete). It is nil otherwise.
func (r *Request) ValidateOptions() *apierrors.StatusError {
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
		if errs = validation.ValidateDeleteOptions(&o); err == nil && len(errs) == 0 {
			return r.preconditions(o.Preconditions)
		}
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

// preconditions compares those of a deletion with the object that is there.
func (r *Request) preconditions(p *metav1.Preconditions) *apierrors.StatusError {
	metadata, _ := r.OldObject["metadata"].(map[string]any)
	if p == nil || metadata == nil {
		return nil
	}
	uid, _ := metadata["uid"].(string)
	version, _ := metadata["resourceVersion"].(string)
	text := ""
	switch {
	case p.UID != nil && uid != "" && string(*p.UID) != uid:
		text = fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, uid)
	case p.ResourceVersion != nil && version != "" && *p.ResourceVersion != version:
		text = fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, version)
	default:
		return nil
	}
	return apierrors.NewConflict(schema.GroupResource{}, r.Name, errors.New(text))
}

// Graceful gives the deletion of a Pod the grace period that the server works out before it asks
// admission (podStrategy.CheckGracefulDelete).
func (r *Request) Graceful() {
	if r.Operation != Delete || r.SubResource != "" || r.Kind.Group != "" || r.Kind.Kind != "Pod" || r.OldObject == nil {
		return
	}
	spec, _ := r.OldObject["spec"].(map[string]any)
	status, _ := r.OldObject["status"].(map[string]any)
	period, given := r.Options["gracePeriodSeconds"].(int64)
	if !given {
		period, _ = spec["terminationGracePeriodSeconds"].(int64)
	}
	node, _ := spec["nodeName"].(string)
	switch {
	case node == "", status["phase"] == "Failed", status["phase"] == "Succeeded":
		period = 0
	case period < 0:
		period = 1
	}
	options := with(r.Options)
	options["gracePeriodSeconds"] = period
	r.Options = options
}
