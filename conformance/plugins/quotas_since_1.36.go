//go:build !until1.35

package main

import (
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/quota/v1/install"
)

// newQuotas is what ResourceQuota counts. From 1.36 on it depends on which APIs
// are served.
func newQuotas(factory informers.SharedInformerFactory) (quota.Configuration, error) {
	return install.NewQuotaConfigurationForAdmission(factory, controlplane.DefaultAPIResourceConfigSource())
}
