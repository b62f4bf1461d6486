package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"
)

// besides are the plugins that run although they are off by default.
var besides = []string{"NodeRestriction", "DenyServiceExternalIPs"}

// elsewhere are those that need policies, webhooks or more.
var elsewhere = []string{"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"}

// chain is the plugins in the server's order.
type chain []admission.Interface

// newChain makes the plugins of a server with the cluster text. configurations are the texts
// that plugins are configured with, by name; empty for none.
func newChain(ctx context.Context, cluster string, configurations map[string]string) (chain, error) {
	objects, err := stored(cluster)
	if err != nil {
		return nil, err
	}
	client := fake.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	registry := admission.NewPlugins()
	options.RegisterAllAdmissionPlugins(registry)
	lifecycle.Register(registry)
	generic := newInitializer(client, factory, ctx.Done())
	quotas, err := newQuotas(factory)
	if err != nil {
		return nil, err
	}
	var out chain
	off := options.DefaultOffAdmissionPlugins()
	for _, name := range options.AllOrderedPlugins {
		if slices.Contains(elsewhere, name) || off.Has(name) && !slices.Contains(besides, name) {
			continue
		}
		var configuration io.Reader
		if text := configurations[name]; text != "" {
			configuration = strings.NewReader(text)
		}
		p, err := registry.InitPlugin(name, configuration, initializers{generic, quotas})
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return out, nil
}

// initializers give a plugin what the server gives it. It implements admission.PluginInitializer.
type initializers struct {
	generic admission.PluginInitializer
	quotas  quota.Configuration
}

func (i initializers) Initialize(p admission.Interface) {
	i.generic.Initialize(p)
	if wants, ok := p.(initializer.WantsQuotaConfiguration); ok {
		wants.SetQuotaConfiguration(i.quotas)
	}
}

func (c chain) admit(ctx context.Context, a admission.Attributes) error {
	for _, p := range c {
		if m, ok := p.(admission.MutationInterface); ok && p.Handles(a.GetOperation()) {
			if err := m.Admit(ctx, a, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c chain) validate(ctx context.Context, a admission.Attributes) error {
	for _, p := range c {
		if v, ok := p.(admission.ValidationInterface); ok && p.Handles(a.GetOperation()) {
			if err := v.Validate(ctx, a, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored reads the cluster text: JSON documents, one a line.
func stored(text string) ([]runtime.Object, error) {
	var out []runtime.Object
	for _, line := range strings.Split(text, "\n---\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		raw, err := utilyaml.ToJSON([]byte(line))
		if err != nil {
			return nil, err
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, err
		}
		legacyscheme.Scheme.Default(object) // as the server stores it
		out = append(out, object)
	}
	// The server makes these two by itself.
	for _, class := range schedulingv1.SystemPriorityClasses() {
		legacyscheme.Scheme.Default(class)
		out = append(out, class)
	}
	return out, nil
}
