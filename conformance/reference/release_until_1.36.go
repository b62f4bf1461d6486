//go:build !since1.37

package main

import (
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/client-go/discovery"
)

type (
	admissionAuthorizer = authorizer.Authorizer
	discoveryInterface  = discovery.DiscoveryInterface
)

func setAuthorizer(plugin any, a authorizer.Authorizer) {
	plugin.(interface{ SetAuthorizer(authorizer.Authorizer) }).SetAuthorizer(a)
}

// unionAuthorizer asks the group system:masters first, then RBAC.
func unionAuthorizer(rbac authorizer.Authorizer) authorizer.Authorizer {
	return union.New(authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup), rbac)
}
