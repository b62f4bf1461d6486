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
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/kubeapiserver/admission/exclusion"
)

// A chain is the two policy plugins, in the order of the server. Releases without
// MutatingAdmissionPolicies have only the second.
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
	ctx, stop := context.WithCancel(context.Background())
	m, mutatingSynced, err := recordedMutating(ctx, f, r)
	if err != nil {
		stop()
		return nil, err
	}
	// One after the other: in 1.32 all compilers of mutations share the types of
	// the one that was made last, also those of variables.
	waitFor(mutatingSynced)
	v, validatingSynced, err := recordedValidating(ctx, f, r)
	if err != nil {
		stop()
		return nil, err
	}
	waitFor(validatingSynced)
	return &chain{mutating: m, validating: v, stop: stop}, nil
}

func recordedValidating(ctx context.Context, f *informerFactory, r *recorder) (admission.ValidationInterface, func() bool, error) {
	var synced func() bool
	p := newPolicyPlugin(
		admission.NewHandler(admission.Connect, admission.Create, admission.Delete, admission.Update),
		func(f informers.SharedInformerFactory, _ kubernetes.Interface, d dynamic.Interface, mapper meta.RESTMapper) generic.Source[validating.PolicyHook] {
			source := sortedSource[validating.PolicyHook]{order: orderValidating, Source: generic.NewPolicySource(
				f.Admissionregistration().V1().ValidatingAdmissionPolicies().Informer(),
				f.Admissionregistration().V1().ValidatingAdmissionPolicyBindings().Informer(),
				validating.NewValidatingAdmissionPolicyAccessor, validating.NewValidatingAdmissionPolicyBindingAccessor,
				r.compileValidating, f, d, mapper)}
			synced = source.HasSynced
			return source
		},
		func(a admissionAuthorizer, m *matching.Matcher) generic.Dispatcher[validating.PolicyHook] {
			return validating.NewDispatcher(a, generic.NewPolicyMatcher(m))
		},
	)
	err := initialize(ctx, p, f)
	return &validating.Plugin{Plugin: p}, synced, err
}

// pluginChain is the plugins as their constructors make them. The order of
// their policies is random, so it is of use for scenarios where that does not
// matter.
func pluginChain(f *informerFactory) (*chain, error) {
	ctx, stop := context.WithCancel(context.Background())
	m, err := constructedMutating(ctx, f)
	if err != nil {
		stop()
		return nil, err
	}
	v, err := newValidatingPlugin()
	if err == nil {
		err = initialize(ctx, v.Plugin, f)
	}
	if err != nil {
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
	p.SetDynamicClient(dynamicClient{})
	p.SetDrainedNotification(ctx.Done())
	setAuthorizer(p, f.world.authorizer)
	p.SetExcludedAdmissionResources(exclusion.Excluded())
	p.SetEnabled(true)
	if err := p.ValidateInitialization(); err != nil {
		return err
	}
	return nil
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
