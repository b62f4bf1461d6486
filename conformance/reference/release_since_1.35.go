//go:build !until1.34

package main

import (
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// What is called otherwise since 1.35; release_until_1.34.go has the same for the
// releases before.

// newCompiler is a compiler of the expressions of one policy.
func newCompiler() *cel.CompositedCompiler {
	c, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err) // the server's own environment
	}
	return c
}

func declarations(params, authorizer bool) cel.OptionalVariableDeclarations {
	return cel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: authorizer}
}
