package storage

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// declared is the validation that a kind declares, without the server's comparison of it with the
// hand-written one. The comparison only feeds a log and a metric, and compares each error with each
// other: 20,000 errors take it half a minute.
type declared struct{ rest.DeclarativeValidationStrategy }

// ValidateDeclaratively implements [rest.DeclarativeValidationStrategy]. The server's function gets no
// hand-written errors, so that it has nothing to compare, and they are joined as it does
// ([rest.ValidateDeclarativelyWithMigrationChecks]).
func (d declared) ValidateDeclaratively(ctx context.Context, object, old runtime.Object, written field.ErrorList, op operation.Type, config rest.DeclarativeValidationConfig) field.ErrorList {
	enforced := d.DeclarativeValidationStrategy.ValidateDeclaratively(ctx, object, old, nil, op, config)
	beta := utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta)
	left := validate.FilterCoveredHandwrittenErrors(ctx, written.MarkFromImperative(), enforced, beta, config.NormalizationRules...)
	return append(left, enforced...)
}

// creating is the strategy of a new object.
func creating(s rest.RESTCreateStrategy) rest.RESTCreateStrategy {
	if declares, ok := s.(rest.DeclarativeValidationStrategy); ok {
		return struct {
			rest.RESTCreateStrategy
			declared
		}{s, declared{declares}}
	}
	return s
}

// updating is the strategy of an update.
func updating(s rest.RESTUpdateStrategy) rest.RESTUpdateStrategy {
	if declares, ok := s.(rest.DeclarativeValidationStrategy); ok {
		return struct {
			rest.RESTUpdateStrategy
			declared
		}{s, declared{declares}}
	}
	return s
}
