//go:build since1.37

package main

import (
	"fmt"

	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/discovery"
	"k8s.io/kubernetes/pkg/kubeapiserver/admission/exclusion"
)

// What is called otherwise since 1.37; release_until_1.36.go has the same for the
// releases before.

type (
	admissionAuthorizer = authorizer.UnconditionalAuthorizer
	discoveryInterface  = discovery.DiscoveryInterfaces
)

// setAuthorizer gives a plugin the authorizer, and what else the server gives
// every plugin of this release.
func setAuthorizer(plugin any, a authorizer.Authorizer) {
	plugin.(interface {
		SetUnconditionalAuthorizer(authorizer.UnconditionalAuthorizer)
	}).SetUnconditionalAuthorizer(a)
	if p, ok := plugin.(interface {
		initializer.WantsExcludedAdmissionResources
		initializer.WantsFeatures
	}); ok {
		p.SetExcludedAdmissionResources(exclusion.Excluded())
		p.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
}

// unionAuthorizer asks the group system:masters first, then RBAC.
func unionAuthorizer(rbac authorizer.Authorizer) authorizer.Authorizer {
	a, err := union.New(
		union.NamedAuthorizer{AuthorizerName: "privileged", Authorizer: authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)},
		union.NamedAuthorizer{AuthorizerName: "rbac", Authorizer: rbac},
	)
	if err != nil {
		panic(fmt.Sprintf("two authorizers with two names: %v", err))
	}
	return a
}
