package main

import (
	"context"
	"sort"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/kubeapiserver/admission/exclusion"
)

// A chain is the two policy plugins, in the order of the server.
type chain struct {
	mutating   admission.MutationInterface
	validating admission.ValidationInterface
	stop       context.CancelFunc
}

// sortedSource is the plugins' own policy source, whose hooks are put in the
// order of their names.
type sortedSource[H generic.Hook] struct {
	generic.Source[H]
	order func([]H)
}

// Hooks implements generic.Source.
func (s sortedSource[H]) Hooks() []H {
	hooks := s.Source.Hooks()
	if hooks == nil {
		return nil
	}
	hooks = append(make([]H, 0, len(hooks)), hooks...)
	s.order(hooks)
	return hooks
}

// waitFor looks every millisecond whether the policies are compiled; the
// plugins themselves look every 100 ms.
func waitFor(synced ...func() bool) {
	for _, f := range synced {
		for i := 0; i < 5000 && !f(); i++ {
			time.Sleep(time.Millisecond)
		}
	}
}

// recordedChain builds the plugins from their parts, with the recorder's
// evaluators in them.
func recordedChain(f *informerFactory, r *recorder) (*chain, error) {
	var synced []func() bool
	m := generic.NewPlugin(
		admission.NewHandler(admission.Create, admission.Update, admission.Connect),
		func(f informers.SharedInformerFactory, _ kubernetes.Interface, d dynamic.Interface, mapper meta.RESTMapper) generic.Source[mutating.PolicyHook] {
			source := sortedSource[mutating.PolicyHook]{order: orderMutating, Source: generic.NewPolicySource(
				f.Admissionregistration().V1().MutatingAdmissionPolicies().Informer(),
				f.Admissionregistration().V1().MutatingAdmissionPolicyBindings().Informer(),
				mutating.NewMutatingAdmissionPolicyAccessor, mutating.NewMutatingAdmissionPolicyBindingAccessor,
				r.compileMutating, f, d, mapper)}
			synced = append(synced, source.HasSynced)
			return source
		},
		func(a authorizer.Authorizer, m *matching.Matcher, _ kubernetes.Interface) generic.Dispatcher[mutating.PolicyHook] {
			return mutating.NewDispatcher(a, m, f.world.converters)
		},
	)
	v := generic.NewPlugin(
		admission.NewHandler(admission.Connect, admission.Create, admission.Delete, admission.Update),
		func(f informers.SharedInformerFactory, _ kubernetes.Interface, d dynamic.Interface, mapper meta.RESTMapper) generic.Source[validating.PolicyHook] {
			source := sortedSource[validating.PolicyHook]{order: orderValidating, Source: generic.NewPolicySource(
				f.Admissionregistration().V1().ValidatingAdmissionPolicies().Informer(),
				f.Admissionregistration().V1().ValidatingAdmissionPolicyBindings().Informer(),
				validating.NewValidatingAdmissionPolicyAccessor, validating.NewValidatingAdmissionPolicyBindingAccessor,
				r.compileValidating, f, d, mapper)}
			synced = append(synced, source.HasSynced)
			return source
		},
		func(a authorizer.Authorizer, m *matching.Matcher, _ kubernetes.Interface) generic.Dispatcher[validating.PolicyHook] {
			return validating.NewDispatcher(a, generic.NewPolicyMatcher(m))
		},
	)
	ctx, stop := context.WithCancel(context.Background())
	if err := initialize(ctx, m, f); err != nil {
		stop()
		return nil, err
	}
	if err := initialize(ctx, v, f); err != nil {
		stop()
		return nil, err
	}
	waitFor(synced...)
	return &chain{mutating: &mutating.Plugin{Plugin: m}, validating: &validating.Plugin{Plugin: v}, stop: stop}, nil
}

// pluginChain is the plugins as their constructors make them. The order of
// their policies is random, so it is of use for scenarios where that does not
// matter.
func pluginChain(f *informerFactory) (*chain, error) {
	m, err := mutating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	v, err := validating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	if err := initialize(ctx, m.Plugin, f); err != nil {
		stop()
		return nil, err
	}
	if err := initialize(ctx, v.Plugin, f); err != nil {
		stop()
		return nil, err
	}
	return &chain{mutating: m, validating: v, stop: stop}, nil
}

// initialize gives a plugin what the server gives it.
func initialize[H any](ctx context.Context, p *generic.Plugin[H], f *informerFactory) error {
	p.SetExternalKubeInformerFactory(f)
	p.SetExternalKubeClientSet(client{world: f.world})
	p.SetRESTMapper(f.world.mapper)
	p.SetDynamicClient(noDynamicClient{})
	p.SetDrainedNotification(ctx.Done())
	p.SetAuthorizer(f.world.authorizer)
	p.SetExcludedAdmissionResources(exclusion.Excluded())
	p.SetEnabled(true)
	if err := p.ValidateInitialization(); err != nil {
		return err
	}
	return nil
}

func orderMutating(hooks []mutating.PolicyHook) {
	sort.Slice(hooks, func(i, j int) bool { return hooks[i].Policy.Name < hooks[j].Policy.Name })
	for _, h := range hooks {
		sortBindings(h.Bindings, func(b *v1.MutatingAdmissionPolicyBinding) string { return b.Name })
	}
}

func orderValidating(hooks []validating.PolicyHook) {
	sort.Slice(hooks, func(i, j int) bool { return hooks[i].Policy.Name < hooks[j].Policy.Name })
	for _, h := range hooks {
		sortBindings(h.Bindings, func(b *v1.ValidatingAdmissionPolicyBinding) string { return b.Name })
	}
}

func sortBindings[B runtime.Object](bindings []B, name func(B) string) {
	sort.Slice(bindings, func(i, j int) bool { return name(bindings[i]) < name(bindings[j]) })
}
