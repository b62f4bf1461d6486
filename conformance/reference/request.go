package main

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func readRequest(text string) (*admissionv1.AdmissionRequest, error) {
	var review struct {
		Kind    string
		Request *admissionv1.AdmissionRequest
	}
	if err := yaml.Unmarshal([]byte(text), &review); err != nil {
		return nil, err
	}
	if review.Request != nil {
		return review.Request, nil
	}
	request := &admissionv1.AdmissionRequest{}
	if err := yaml.Unmarshal([]byte(text), request); err != nil {
		return nil, err
	}
	if request.Operation == "" {
		return nil, fmt.Errorf("not an AdmissionReview and not an AdmissionRequest")
	}
	return request, nil
}

// endpoint is the kind that the request was sent in, not the one that a
// webhook asked for.
func endpoint(r *admissionv1.AdmissionRequest) (schema.GroupVersionKind, schema.GroupVersionResource, string) {
	gvk, gvr, sub := schema.GroupVersionKind(r.Kind), schema.GroupVersionResource(r.Resource), r.SubResource
	if r.RequestKind != nil {
		gvk = schema.GroupVersionKind(*r.RequestKind)
	}
	if r.RequestResource != nil {
		gvr, sub = schema.GroupVersionResource(*r.RequestResource), r.RequestSubResource
	}
	return gvk, gvr, sub
}

// internalObject decodes an object of the request into the form in which the
// server admits it: the internal version of a built-in kind, unstructured for
// a custom one. An object that was captured from a server has its defaults; one
// that comes from a client gets them here.
func (w *world) internalObject(data []byte, defaulting bool) (runtime.Object, error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	var head metav1.TypeMeta
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	return w.internalAs(head.GroupVersionKind(), data, defaulting)
}

// internalAs reads JSON as an object of that kind, whatever it says itself: a
// patch may have changed the kind of a custom resource.
func (w *world) internalAs(gvk schema.GroupVersionKind, data []byte, defaulting bool) (runtime.Object, error) {
	if c, ok := w.custom[gvk.GroupKind()]; ok {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(data); err != nil {
			return nil, err
		}
		if defaulting {
			c.admit(u)
		}
		return u, nil
	}
	external, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	if err := decodeInto(data, external); err != nil {
		return nil, err
	}
	if defaulting {
		legacyscheme.Scheme.Default(external)
	}
	internal, err := legacyscheme.Scheme.New(schema.GroupVersionKind{Group: gvk.Group, Version: runtime.APIVersionInternal, Kind: gvk.Kind})
	if err != nil {
		return nil, err
	}
	return internal, legacyscheme.Scheme.Convert(external, internal, nil)
}

// externalObject is the object as JSON in the version of the request.
func (w *world) externalObject(obj runtime.Object, gvk schema.GroupVersionKind) (map[string]any, error) {
	if obj == nil {
		return nil, nil
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u.DeepCopy().Object, nil
	}
	external, err := admission.ConvertToGVK(obj, gvk, w.objectInterfaces(gvk))
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(external)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return u.Object, nil
}

// options decodes the options of the operation.
func options(raw runtime.RawExtension) (runtime.Object, error) {
	if len(raw.Raw) == 0 || string(raw.Raw) == "null" {
		return nil, nil
	}
	var head metav1.TypeMeta
	if err := json.Unmarshal(raw.Raw, &head); err != nil {
		return nil, err
	}
	var out runtime.Object
	switch head.Kind {
	case "CreateOptions":
		out = &metav1.CreateOptions{}
	case "UpdateOptions":
		out = &metav1.UpdateOptions{}
	case "PatchOptions":
		out = &metav1.PatchOptions{}
	case "DeleteOptions":
		out = &metav1.DeleteOptions{}
	default:
		return nil, fmt.Errorf("options of kind %q", head.Kind)
	}
	return out, json.Unmarshal(raw.Raw, out)
}

func (w *world) attributes(r *admissionv1.AdmissionRequest, object, old runtime.Object) (*recordingAttributes, error) {
	gvk, gvr, sub := endpoint(r)
	opts, err := options(r.Options)
	if err != nil {
		return nil, err
	}
	extra := map[string][]string{}
	for k, v := range r.UserInfo.Extra {
		extra[k] = v
	}
	info := &user.DefaultInfo{Name: r.UserInfo.Username, UID: r.UserInfo.UID, Groups: r.UserInfo.Groups, Extra: extra}
	a := admission.NewAttributesRecord(object, old, gvk, r.Namespace, r.Name, gvr, sub,
		admission.Operation(r.Operation), opts, r.DryRun != nil && *r.DryRun, info)
	return &recordingAttributes{Attributes: a, annotations: map[string]string{}}, nil
}

// recordingAttributes keep the audit annotations that plugins add; the
// server's own keep them where only its audit decorator can read them. It implements admission.Attributes.
type recordingAttributes struct {
	admission.Attributes
	annotations map[string]string
}

func (a *recordingAttributes) AddAnnotation(key, value string) error {
	if err := a.Attributes.AddAnnotation(key, value); err != nil {
		return err // it exists with another value: the first one stays
	}
	a.annotations[key] = value
	return nil
}
