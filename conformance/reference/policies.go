package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"

	"github.com/preadmit/preadmit/conformance/wire"
)

// strategies decide what happens when a document is created. They get no
// authorizer: the scenario's policies are installed by an administrator.
var strategies = withMutating(map[string]rest.RESTCreateStrategy{
	"ValidatingAdmissionPolicy":        validatingadmissionpolicy.NewStrategy(nil, noResolver),
	"ValidatingAdmissionPolicyBinding": validatingadmissionpolicybinding.NewStrategy(nil, nil, noResolver),
	"ValidatingWebhookConfiguration":   validatingwebhookconfiguration.Strategy,
	"MutatingWebhookConfiguration":     mutatingwebhookconfiguration.Strategy,
})

func withMutating(all map[string]rest.RESTCreateStrategy) map[string]rest.RESTCreateStrategy {
	maps.Copy(all, mutatingStrategies)
	return all
}

// strictCodecs report unknown and duplicate fields.
var strictCodecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

// noResolver must be there; it is asked only on behalf of an authorizer.
var noResolver = resolver.ResourceResolverFunc(func(gvk schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	return schema.GroupVersionResource{}, fmt.Errorf("nobody should ask for %v", gvk)
})

// The policies of a scenario that the server accepts.
type policies struct {
	validating         []runtime.Object
	validatingBindings []runtime.Object
	mutating           []runtime.Object
	mutatingBindings   []runtime.Object
	// The webhook configurations, which only Case.Webhooks uses.
	mutatingWebhooks   []*v1.MutatingWebhookConfiguration
	validatingWebhooks []*v1.ValidatingWebhookConfiguration
	answers            []wire.Install
}

// installPolicies creates the documents one after the other, as a client does.
func installPolicies(text string) (*policies, error) {
	docs, err := documents(text)
	if err != nil {
		return nil, err
	}
	p := &policies{}
	names := map[string]bool{}
	for _, d := range docs {
		if strategies[d.GVK.Kind] == nil {
			return nil, fmt.Errorf("%v is not a policy", d.GVK)
		}
		answer := wire.Install{Kind: d.GVK.Kind, Name: d.Name}
		obj, warnings, err := create(d)
		answer.Warnings = warnings
		if key := d.GVK.Kind + "/" + d.Name; err == nil && names[key] && d.Name != "" {
			err = fmt.Errorf("%s is there twice", key)
		} else {
			names[key] = true
		}
		var status apierrors.APIStatus
		switch {
		case errors.As(err, &status):
			s := status.Status()
			answer.Code, answer.Reason, answer.Message = int(s.Code), string(s.Reason), s.Message
		case err != nil:
			return nil, err
		default:
			p.add(obj)
		}
		if answer.Message != "" || len(answer.Warnings) > 0 {
			p.answers = append(p.answers, answer)
		}
	}
	return p, nil
}

// create decodes, defaults, converts and validates one document, and gives it
// back in the version in which the plugins read it.
func create(d document) (runtime.Object, []string, error) {
	recorder := &warningRecorder{}
	ctx := warning.WithWarningRecorder(genericapirequest.WithNamespace(context.Background(), ""), recorder)
	resource, _ := meta.UnsafeGuessKindToResource(d.GVK)
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: d.GVK.Group, APIVersion: d.GVK.Version,
		Resource: resource.Resource,
	})
	internal := schema.GroupVersion{Group: d.GVK.Group, Version: runtime.APIVersionInternal}
	obj, _, err := strictCodecs.UniversalDecoder(internal).Decode(d.JSON, nil, nil)
	if strict, ok := runtime.AsStrictDecodingError(err); ok && obj != nil {
		for _, e := range strict.Errors() { // fieldValidation=Warn, the server's default
			recorder.AddWarning("", e.Error())
		}
		err = nil
	}
	if err != nil {
		// The text is that of the request handler (endpoints/handlers).
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", d.GVK.Kind, d.GVK.Version, d.GVK.Kind, err))
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil, err
	}
	rest.FillObjectMetaSystemFields(m)
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(m.GetGenerateName() + "xxxxx")
	}
	m.SetUID("00000000-0000-0000-0000-000000000000")
	if err := rest.BeforeCreate(strategies[d.GVK.Kind], ctx, obj); err != nil {
		return nil, recorder.warnings, err
	}
	out, err := legacyscheme.Scheme.ConvertToVersion(obj, storedVersion(d.GVK.Kind))
	return out, recorder.warnings, err
}

func (p *policies) add(obj runtime.Object) {
	switch o := obj.(type) {
	case *v1.MutatingWebhookConfiguration:
		p.mutatingWebhooks = append(p.mutatingWebhooks, o)
	case *v1.ValidatingWebhookConfiguration:
		p.validatingWebhooks = append(p.validatingWebhooks, o)
	case *v1.ValidatingAdmissionPolicy:
		p.validating = append(p.validating, obj)
	case *v1.ValidatingAdmissionPolicyBinding:
		p.validatingBindings = append(p.validatingBindings, obj)
	default:
		p.addMutating(obj)
	}
}

// informerFactory serves the policies and the cluster to the plugins.
func (p *policies) informerFactory(w *world) (*informerFactory, error) {
	f := &informerFactory{world: w}
	for _, s := range []struct {
		store   **objectStore
		objects []runtime.Object
	}{
		{&f.validating, p.validating}, {&f.validatingBindings, p.validatingBindings},
		{&f.mutating, p.mutating}, {&f.mutatingBindings, p.mutatingBindings},
	} {
		store, err := newObjectStore(schema.GroupResource{Group: v1.GroupName}, s.objects...)
		if err != nil {
			return nil, err
		}
		*s.store = store
	}
	return f, nil
}

// A warningRecorder keeps the warnings that a client would get.
type warningRecorder struct{ warnings []string }

// AddWarning implements warning.Recorder. The server drops duplicates.
func (r *warningRecorder) AddWarning(_, text string) {
	for _, w := range r.warnings {
		if w == text {
			return
		}
	}
	r.warnings = append(r.warnings, text)
}
