//go:build !until1.31

package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// What is called otherwise since 1.32; release_until_1.31.go has the same for the
// releases before. MutatingAdmissionPolicies exist since 1.32: mutating.go.

// An evaluator evaluates a list of expressions.
type evaluator = cel.ConditionEvaluator

var newEvaluator = cel.NewCondition

type sourceFactory[H generic.Hook] = func(informers.SharedInformerFactory, kubernetes.Interface, dynamic.Interface, meta.RESTMapper) generic.Source[H]

func newPolicyPlugin[H generic.Hook](handler *admission.Handler, source sourceFactory[H], dispatcher func(admissionAuthorizer, *matching.Matcher) generic.Dispatcher[H]) *generic.Plugin[H] {
	return generic.NewPlugin(handler, source,
		func(a admissionAuthorizer, m *matching.Matcher, _ kubernetes.Interface) generic.Dispatcher[H] {
			return dispatcher(a, m)
		})
}
