//go:build until1.35 && !until1.33

package main

import (
	mutatingapi "k8s.io/api/admissionregistration/v1beta1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// The API version in which the release has MutatingAdmissionPolicies.

var mutatingVersion = mutatingapi.SchemeGroupVersion

const (
	jsonPatch          = mutatingapi.PatchTypeJSONPatch
	applyConfiguration = mutatingapi.PatchTypeApplyConfiguration
)

func mutatingInformers(f informers.SharedInformerFactory) (policies, bindings cache.SharedIndexInformer) {
	api := f.Admissionregistration().V1beta1()
	return api.MutatingAdmissionPolicies().Informer(), api.MutatingAdmissionPolicyBindings().Informer()
}
