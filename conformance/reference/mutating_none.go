//go:build until1.31

package main

import (
	"context"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/tools/cache"
)

// The release has no MutatingAdmissionPolicies: mutating.go without them.

var mutatingStrategies map[string]rest.RESTCreateStrategy

func (p *policies) addMutating(runtime.Object) {}

func storedVersion(string) schema.GroupVersion { return v1.SchemeGroupVersion }

func (f *informerFactory) mutatingInformer(runtime.Object) cache.SharedIndexInformer { return nil }

func recordedMutating(context.Context, *informerFactory, *recorder) (admission.MutationInterface, func() bool, error) {
	return nil, func() bool { return true }, nil
}

func constructedMutating(context.Context, *informerFactory) (admission.MutationInterface, error) {
	return nil, nil
}
