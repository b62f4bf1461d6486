package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/preadmit/preadmit/conformance/wire"
)

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	return s
}()

var codecs = serializer.NewCodecFactory(scheme)

// recorder records each warning once, in order. It implements warning.Recorder.
type recorder struct {
	sync.Mutex
	texts []string
}

func (r *recorder) AddWarning(_, text string) {
	r.Lock()
	defer r.Unlock()
	if !slices.Contains(r.texts, text) {
		r.texts = append(r.texts, text)
	}
}

func requestContext(namespace string, warnings *recorder, info *genericapirequest.RequestInfo) context.Context {
	ctx := genericapirequest.WithNamespace(genericapirequest.NewContext(), namespace)
	return genericapirequest.WithRequestInfo(warning.WithWarningRecorder(ctx, warnings), info)
}

// installed creates a definition as the server does. It returns nil if the definition is rejected.
func installed(text string) (*v1.CustomResourceDefinition, *wire.Install, error) {
	kind := v1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	object, _, err := codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode([]byte(text), &kind, nil)
	if err != nil {
		return nil, &wire.Install{Message: err.Error(), Code: 400}, nil
	}
	crd := object.(*apiextensions.CustomResourceDefinition)
	answer := &wire.Install{Kind: kind.Kind, Name: crd.Name}
	warnings := &recorder{}
	ctx := requestContext("", warnings, &genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: v1.GroupName, APIVersion: "v1", Resource: "customresourcedefinitions", Verb: "create"})
	rest.FillObjectMetaSystemFields(crd)
	err = rest.BeforeCreate(customresourcedefinition.NewStrategy(scheme), ctx, crd)
	answer.Warnings = warnings.texts
	if err != nil {
		status := &apierrors.StatusError{}
		if !errors.As(err, &status) {
			return nil, nil, fmt.Errorf("an error without a status: %w", err)
		}
		answer.Code, answer.Reason, answer.Message = int(status.ErrStatus.Code), string(status.ErrStatus.Reason), status.ErrStatus.Message
		return nil, answer, nil
	}
	external, err := scheme.ConvertToVersion(crd, schema.GroupVersion{Group: v1.GroupName, Version: "v1"})
	if err != nil {
		return nil, nil, err
	}
	return external.(*v1.CustomResourceDefinition), answer, nil
}

// updated replaces a stored definition as the server does.
func updated(q *review) (wire.Answer, error) {
	kind := v1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	read := func(raw []byte) (*apiextensions.CustomResourceDefinition, error) {
		object, _, err := codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode(raw, &kind, nil)
		if err != nil {
			return nil, err
		}
		return object.(*apiextensions.CustomResourceDefinition), nil
	}
	old, err := read(q.Request.OldObject)
	if err != nil {
		return wire.Answer{}, err
	}
	crd, err := read(q.Request.Object)
	if err != nil {
		return wire.Answer{}, err
	}
	warnings := &recorder{}
	ctx := requestContext("", warnings, &genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: v1.GroupName, APIVersion: "v1", Resource: "customresourcedefinitions", Verb: "update"})
	err = rest.BeforeUpdate(customresourcedefinition.NewStrategy(scheme), ctx, crd, old)
	out := wire.Answer{Warnings: warnings.texts}
	if err != nil {
		return out, refuse(&out, err)
	}
	external, err := scheme.ConvertToVersion(crd, v1.SchemeGroupVersion)
	if err != nil {
		return out, err
	}
	out.Allowed = true
	out.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(external)
	return out, err
}
