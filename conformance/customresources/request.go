package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/preadmit/preadmit/conformance/wire"
)

// review has an AdmissionReview's used fields.
type review struct {
	Request struct {
		Kind                         struct{ Group, Version, Kind string }
		Resource                     struct{ Group, Version, Resource string }
		SubResource, Name, Namespace string
		Operation                    string
		Object, OldObject            json.RawMessage
	}
}

// answer creates the definition and, if accepted, sends it the request.
func answer(c wire.Case) (wire.Answer, error) {
	var q review
	if c.Request != "" {
		if err := json.Unmarshal([]byte(c.Request), &q); err != nil {
			return wire.Answer{}, err
		}
	}
	if q.Request.Kind.Kind == "CustomResourceDefinition" {
		return updated(&q)
	}
	definition, stored, _ := strings.Cut(c.Cluster, "\n---\n")
	crd, created, err := installed(definition)
	if err != nil {
		return wire.Answer{}, err
	}
	out := wire.Answer{Install: []wire.Install{*created}}
	if crd == nil || c.Request == "" {
		return out, nil
	}
	r, err := newResource(crd, q.Request.Resource.Version)
	if err != nil {
		return out, err
	}
	warnings := &recorder{}
	if q.Request.SubResource == "scale" {
		q.Request.OldObject = json.RawMessage(stored) // the reviews contain Scales
	}
	object, err := r.send(&q, warnings)
	out.Warnings = warnings.texts
	if err == nil {
		out.Allowed, out.Object = true, object.Object
		return out, nil
	}
	return out, refuse(&out, err)
}

// refuse writes an error into the response.
func refuse(out *wire.Answer, err error) error {
	status := &apierrors.StatusError{}
	if !errors.As(err, &status) {
		return fmt.Errorf("an error without a status: %w", err)
	}
	s := status.ErrStatus
	out.Code, out.Reason, out.Message = int(s.Code), string(s.Reason), s.Message
	if s.Details != nil {
		for _, cause := range s.Details.Causes {
			out.Causes = append(out.Causes, cause.Field+": "+cause.Message)
		}
	}
	return nil
}

// send creates or updates an object.
func (r *resource) send(q *review, warnings *recorder) (*unstructured.Unstructured, error) {
	ctx := requestContext(q.Request.Namespace, warnings, &genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: r.kind.Group, APIVersion: r.kind.Version,
		Resource: q.Request.Resource.Resource, Subresource: q.Request.SubResource, Namespace: q.Request.Namespace})
	old, err := r.read(q.Request.OldObject, true)
	if err != nil {
		return nil, err
	}
	if q.Request.SubResource == "scale" {
		return r.sendScale(q, old, warnings)
	}
	object, err := r.read(q.Request.Object, false)
	if err != nil {
		// As in transformDecodeError.
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", r.kind.Kind, r.kind.Version, r.kind.Kind, err))
	}
	if q.Request.Operation == "CREATE" {
		rest.FillObjectMetaSystemFields(object)
		return object, rest.BeforeCreate(r.main, ctx, object)
	}
	use := rest.RESTUpdateStrategy(r.main)
	if q.Request.SubResource == "status" {
		use = r.status
	}
	return object, rest.BeforeUpdate(use, ctx, object, old)
}

// sendScale sets the stored object's replicas, and updates the whole object
// (scaleUpdatedObjectInfo).
func (r *resource) sendScale(q *review, old *unstructured.Unstructured, warnings *recorder) (*unstructured.Unstructured, error) {
	var scale struct{ Spec struct{ Replicas int64 } }
	if err := json.Unmarshal(q.Request.Object, &scale); err != nil {
		return nil, err
	}
	object := old.DeepCopy()
	if err := unstructured.SetNestedField(object.Object, scale.Spec.Replicas, strings.Split(strings.TrimPrefix(r.scale.SpecReplicasPath, "."), ".")...); err != nil {
		return nil, err
	}
	ctx := requestContext(q.Request.Namespace, warnings, &genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: r.kind.Group, APIVersion: r.kind.Version, Resource: q.Request.Resource.Resource, Subresource: "scale", Namespace: q.Request.Namespace})
	return object, rest.BeforeUpdate(r.main, ctx, object, old)
}

// read returns an object as the server's decoder does: pruned, with coerced metadata and defaults
// (unstructuredSchemaCoercer and unstructuredDefaulter).
func (r *resource) read(raw []byte, stored bool) (*unstructured.Unstructured, error) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(raw, &u.Object); err != nil {
		return nil, err
	}
	meta, found, err := objectmeta.GetObjectMeta(u.Object, stored)
	if err != nil {
		return nil, err
	}
	kind, version := u.GetKind(), u.GetAPIVersion()
	if !r.open {
		pruning.Prune(u.Object, r.structural, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, r.structural)
	}
	if err := objectmeta.Coerce(nil, u.Object, r.structural, false, stored); err != nil {
		return nil, err
	}
	u.SetKind(kind)
	u.SetAPIVersion(version)
	if found {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, err
		}
	}
	defaulting.Default(u.Object, r.structural)
	return u, nil
}
