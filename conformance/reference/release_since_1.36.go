//go:build !until1.35

package main

import (
	"context"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/client-go/tools/cache"
)

// What is called otherwise since 1.36; release_until_1.35.go has the same for the
// releases before.

// withVariables is the context in which the variables of the policy are
// evaluated at most once.
func withVariables(ctx context.Context, c *cel.CompositedCompiler) context.Context {
	return c.CreateContext(ctx)
}

func newValidator(validations evaluator, matcher matchconditions.Matcher, annotations, messages evaluator, fail *v1.FailurePolicyType) validating.Validator {
	return validating.NewValidator(validations, matcher, annotations, messages, fail, nil)
}

func newMutator(matcher matchconditions.Matcher, patchers []patch.Patcher, c *cel.CompositedCompiler) mutating.PolicyEvaluator {
	return mutating.PolicyEvaluator{Matcher: matcher, Mutators: patchers, CompositedCompiler: c}
}

func newValidatingPlugin() (*validating.Plugin, error) { return validating.NewPlugin(nil) }

func newMutatingPlugin() (*mutating.Plugin, error) { return mutating.NewPlugin(nil) }

// HasSyncedChecker implements cache.ResourceEventHandlerRegistration; nobody
// asks for it.
func (s syncedStore) HasSyncedChecker() cache.DoneChecker { return nil }
