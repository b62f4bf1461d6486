package storage

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/wording"
)

// validation is the last step of a strategy's validation, which collects its errors. The server's
// code compares the errors from its two validations with each other, looks for duplicates and joins
// all of them, each time in quadratic time. So it only gets the first one, and answer adds the
// others. It implements rest.DeclarativeValidationStrategy.
type validation struct {
	request registry.Request
	// declares is nil for a kind without declarative validation.
	declares rest.DeclarativeValidationStrategy
	errs     field.ErrorList
}

// of returns a strategy's validation of a request.
func of(strategy any, q registry.Request) *validation {
	declares, _ := strategy.(rest.DeclarativeValidationStrategy)
	if !wording.Declares(q.Kubernetes) {
		declares = nil
	}
	return &validation{request: q, declares: declares}
}

func (v *validation) DeclarativeValidationConfig(ctx context.Context, object, old runtime.Object) rest.DeclarativeValidationConfig {
	if v.declares == nil {
		return rest.DeclarativeValidationConfig{}
	}
	return v.declares.DeclarativeValidationConfig(ctx, object, old)
}

// ValidateDeclaratively implements [rest.DeclarativeValidationStrategy]. It passes no hand-written
// errors to the server's function, which would compare them with its own for a log and a metric.
// They are joined as [rest.ValidateDeclarativelyWithMigrationChecks] does.
func (v *validation) ValidateDeclaratively(ctx context.Context, object, old runtime.Object, written field.ErrorList, op operation.Type, config rest.DeclarativeValidationConfig) field.ErrorList {
	v.errs = wording.Errors(v.request, written)
	if v.declares != nil {
		enforced := v.declares.ValidateDeclaratively(ctx, object, old, nil, op, config)
		beta := utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta)
		left := validate.FilterCoveredHandwrittenErrors(ctx, written.MarkFromImperative(), enforced, beta, config.NormalizationRules...)
		v.errs = append(left, enforced...)
	}
	return v.errs[:min(len(v.errs), 1)]
}

// answer gives the server's rejection for the first error ([apierrors.NewInvalid]) all errors, in the
// release's words.
func (v *validation) answer(status *apierrors.StatusError) {
	if len(v.errs) == 0 || status.ErrStatus.Reason != metav1.StatusReasonInvalid {
		return
	}
	head := strings.TrimSuffix(status.ErrStatus.Message, v.errs[0].Error())
	var all string
	status.ErrStatus.Details.Causes, all = wording.Answer(v.request.Kubernetes, v.errs)
	status.ErrStatus.Message = head + all
}

type creating struct {
	rest.RESTCreateStrategy
	*validation
}

// updating is a strategy, of the object or of a subresource, with its validation.
type updating struct {
	rest.RESTUpdateStrategy
	*validation
}
