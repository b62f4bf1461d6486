//go:build until1.35 && !until1.34

package main

import (
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/quota/v1/install"
)

// newQuotas is what ResourceQuota counts.
func newQuotas(factory informers.SharedInformerFactory) (quota.Configuration, error) {
	return install.NewQuotaConfigurationForAdmission(factory), nil
}
