package main

import (
	"context"
	"fmt"
	"io"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/tools/cache"
)

// webhookFactory serves the webhook configurations too. It implements informers.SharedInformerFactory.
type webhookFactory struct {
	*informerFactory
	mutatingWebhooks, validatingWebhooks syncedStore
}

func newWebhookFactory(f *informerFactory, p *policies) (*webhookFactory, error) {
	out := &webhookFactory{informerFactory: f}
	for _, c := range p.mutatingWebhooks {
		out.mutatingWebhooks.add(c)
	}
	for _, c := range p.validatingWebhooks {
		out.validatingWebhooks.add(c)
	}
	return out, errJoinStores(&out.mutatingWebhooks, &out.validatingWebhooks)
}

// A syncedStore is an objectStore for informers whose users wait for the first
// list through their event handler. It implements cache.SharedIndexInformer.
type syncedStore struct {
	*objectStore
	objects []runtime.Object
}

func (s *syncedStore) add(o runtime.Object) { s.objects = append(s.objects, o) }

func errJoinStores(stores ...*syncedStore) error {
	for _, s := range stores {
		var err error
		if s.objectStore, err = newObjectStore(schema.GroupResource{Group: v1.GroupName}, s.objects...); err != nil {
			return err
		}
	}
	return nil
}

func (s syncedStore) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return s, nil
}

func (f *webhookFactory) Admissionregistration() admissionregistration.Interface {
	return admissionregistration.New(f, "", nil)
}

func (f *webhookFactory) InformerFor(obj runtime.Object, make internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	switch obj.(type) {
	case *v1.MutatingWebhookConfiguration:
		return f.mutatingWebhooks
	case *v1.ValidatingWebhookConfiguration:
		return f.validatingWebhooks
	}
	return f.informerFactory.InformerFor(obj, make)
}

// wholeChain is the end of the server's chain, made by the server's own code
// (admission.Plugins), so that its reinvocation handler is around it: the policy
// plugins with the recorder in them, the webhook plugins from their
// constructors, and before all a plugin that gives the recorder the pass.
func wholeChain(f *informerFactory, p *policies, hooks *hookServer, rec *recorder) (admission.Interface, context.CancelFunc, error) {
	recorded, err := recordedChain(f, rec)
	if err != nil {
		return nil, nil, err
	}
	factory, err := newWebhookFactory(f, p)
	if err != nil {
		return nil, nil, err
	}
	m, err := mutating.NewMutatingWebhook(nil)
	if err != nil {
		return nil, nil, err
	}
	initializeWebhook(m, factory, hooks)
	v, err := validating.NewValidatingAdmissionWebhook(nil)
	if err != nil {
		return nil, nil, err
	}
	initializeWebhook(v, factory, hooks)
	var names []string
	plugins := admission.NewPlugins()
	for _, plugin := range []struct {
		name string
		it   admission.Interface
	}{{"Passes", passes{rec}}, {"MutatingAdmissionPolicy", recorded.mutating}, {"MutatingAdmissionWebhook", m},
		{"ValidatingAdmissionPolicy", recorded.validating}, {"ValidatingAdmissionWebhook", v}} {
		if plugin.it == nil {
			continue // a release without MutatingAdmissionPolicies
		}
		names = append(names, plugin.name)
		plugins.Register(plugin.name, func(io.Reader) (admission.Interface, error) { return plugin.it, nil })
	}
	chain, err := plugins.NewFromPlugins(names, noConfig{}, admission.PluginInitializers{}, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("the admission chain: %w", err)
	}
	return chain, recorded.stop, nil
}

// initializeWebhook gives a webhook plugin what the server gives it.
func initializeWebhook(p interface {
	SetAuthenticationInfoResolverWrapper(webhookutil.AuthenticationInfoResolverWrapper)
	SetServiceResolver(webhookutil.ServiceResolver)
}, f *webhookFactory, hooks *hookServer) {
	p.SetAuthenticationInfoResolverWrapper(func(webhookutil.AuthenticationInfoResolver) webhookutil.AuthenticationInfoResolver { return hooks })
	p.SetServiceResolver(hooks)
	switch p := p.(type) {
	case *mutating.Plugin:
		p.SetExternalKubeClientSet(client{world: f.world})
		p.SetExternalKubeInformerFactory(f)
		setAuthorizer(p, f.world.authorizer)
	case *validating.Plugin:
		p.SetExternalKubeClientSet(client{world: f.world})
		p.SetExternalKubeInformerFactory(f)
		setAuthorizer(p, f.world.authorizer)
	}
}

// noConfig implements admission.ConfigProvider.
type noConfig struct{}

func (noConfig) ConfigFor(string) (io.Reader, error) { return nil, nil }

// passes gives the recorder the phase and the pass.
// It implements admission.Interface, admission.MutationInterface and admission.ValidationInterface.
type passes struct{ rec *recorder }

func (passes) Handles(admission.Operation) bool { return true }

func (p passes) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	p.rec.phase, p.rec.pass = "mutating", 0
	if a.GetReinvocationContext().IsReinvoke() {
		p.rec.pass = 1
	}
	return nil
}

func (p passes) Validate(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	p.rec.phase, p.rec.pass = "validating", 0
	return nil
}
