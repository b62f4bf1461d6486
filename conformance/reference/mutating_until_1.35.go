//go:build until1.35 && !until1.31

package main

import (
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
)

func newMutator(matcher matchconditions.Matcher, patchers []patch.Patcher, c *cel.CompositedCompiler) mutating.PolicyEvaluator {
	return mutating.PolicyEvaluator{Matcher: matcher, Mutators: patchers, CompositionEnv: c.CompositionEnv}
}

func newMutatingPlugin() (*mutating.Plugin, error) { return mutating.NewPlugin(nil), nil }
