//go:build !until1.34

package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/version"
)

// newInitializer is what every plugin is initialized with. From 1.35 on it knows
// the version that the server behaves as: its own.
func newInitializer(client kubernetes.Interface, factory informers.SharedInformerFactory, stop <-chan struct{}) admission.PluginInitializer {
	return initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(), utilfeature.DefaultFeatureGate,
		compatibility.NewEffectiveVersionFromString(version.DefaultKubeBinaryVersion, "", ""), stop, meta.NewDefaultRESTMapper(nil))
}
