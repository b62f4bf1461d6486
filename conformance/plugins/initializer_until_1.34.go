//go:build until1.34

package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	quota "k8s.io/apiserver/pkg/quota/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/quota/v1/install"
)

// newInitializer is what every plugin is initialized with.
func newInitializer(client kubernetes.Interface, factory informers.SharedInformerFactory, stop <-chan struct{}) admission.PluginInitializer {
	return initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(), utilfeature.DefaultFeatureGate, stop, meta.NewDefaultRESTMapper(nil))
}

// newQuotas is what ResourceQuota counts.
func newQuotas(informers.SharedInformerFactory) (quota.Configuration, error) {
	return install.NewQuotaConfigurationForAdmission(), nil
}
