//go:build until1.34

package main

import (
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// strictCost says that the functions of the Kubernetes CEL libraries have costs
// of their own: the default of the release.
var strictCost = utilfeature.DefaultFeatureGate.Enabled(features.StrictCostEnforcementForVAP)

// newCompiler is a compiler of the expressions of one policy.
func newCompiler() *cel.CompositedCompiler {
	c, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), strictCost))
	if err != nil {
		panic(err) // the server's own environment
	}
	return c
}

func declarations(params, authorizer bool) cel.OptionalVariableDeclarations {
	return cel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: authorizer, StrictCost: strictCost}
}
