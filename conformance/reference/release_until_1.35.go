//go:build until1.35

package main

import (
	"context"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
)

// withVariables is the context in which the variables of the policy are
// evaluated at most once.
func withVariables(ctx context.Context, c *cel.CompositedCompiler) context.Context {
	return c.CompositionEnv.CreateContext(ctx)
}

func newValidator(validations evaluator, matcher matchconditions.Matcher, annotations, messages evaluator, fail *v1.FailurePolicyType) validating.Validator {
	return validating.NewValidator(validations, matcher, annotations, messages, fail)
}

func newValidatingPlugin() (*validating.Plugin, error) { return validating.NewPlugin(nil), nil }
