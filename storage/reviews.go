package storage

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/authentication"
	"k8s.io/kubernetes/pkg/apis/authorization"
	authorizationvalidation "k8s.io/kubernetes/pkg/apis/authorization/validation"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/wording"
)

// review returns the errors of an object that the server answers and does not store, or its rejection:
// what Create of the kind does before validating admission (pkg/registry/authorization and
// pkg/registry/authentication).
type review func(context.Context, runtime.Object) (field.ErrorList, error)

// validate rejects an object with errors.
func (r review) validate(ctx context.Context, q registry.Request, object runtime.Object) (*validation, error) {
	errs, err := r(ctx, object)
	checked := &validation{request: q, errs: wording.Errors(q, errs)}
	if err == nil && len(checked.errs) > 0 {
		err = apierrors.NewInvalid(schema.GroupKind{Group: q.Kind.Group}, "", checked.errs[:1])
	}
	return checked, err
}

// accessReview is the review of a kind with a function that validates it.
func accessReview[T runtime.Object](validate func(context.Context, *runtime.Scheme, T) field.ErrorList) review {
	return func(ctx context.Context, object runtime.Object) (field.ErrorList, error) {
		return validate(ctx, legacyscheme.Scheme, object.(T)), nil
	}
}

// reviews are those that the server makes, by group and resource.
var reviews = map[schema.GroupResource]review{
	{Group: authorization.GroupName, Resource: "subjectaccessreviews"}:      accessReview(authorizationvalidation.ValidateSubjectAccessReviewCreate),
	{Group: authorization.GroupName, Resource: "selfsubjectaccessreviews"}:  accessReview(authorizationvalidation.ValidateSelfSubjectAccessReviewCreate),
	{Group: authorization.GroupName, Resource: "localsubjectaccessreviews"}: accessReview(authorizationvalidation.ValidateLocalSubjectAccessReviewCreate),
	{Group: authorization.GroupName, Resource: "selfsubjectrulesreviews"}: func(_ context.Context, object runtime.Object) (field.ErrorList, error) {
		if object.(*authorization.SelfSubjectRulesReview).Spec.Namespace == "" {
			return nil, apierrors.NewBadRequest("no namespace on request")
		}
		return nil, nil
	},
	{Group: authentication.GroupName, Resource: "tokenreviews"}: func(_ context.Context, object runtime.Object) (field.ErrorList, error) {
		if object.(*authentication.TokenReview).Spec.Token == "" {
			return nil, apierrors.NewBadRequest("token is required for TokenReview in authentication")
		}
		return nil, nil
	},
	{Group: authentication.GroupName, Resource: "selfsubjectreviews"}: func(context.Context, runtime.Object) (field.ErrorList, error) { return nil, nil },
}
