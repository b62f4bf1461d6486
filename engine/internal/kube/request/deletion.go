package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// BeforeDelete does what the server does before a deletion's admission: it compares the
// preconditions and computes a Pod's grace period for the options. ended says that the object is
// already being deleted without a shorter period in the request, so the server responds without
// admission (Store.Delete of k8s.io/apiserver).
func (r *Request) BeforeDelete(v version.Version) (ended bool, status *apierrors.StatusError) {
	if r.Operation != Delete || r.SubResource != "" || r.OldObject == nil {
		return false, nil
	}
	raw, err := json.Marshal(r.Options)
	var options metav1.DeleteOptions
	if err == nil {
		err = json.Unmarshal(raw, &options)
	}
	if err != nil {
		return false, apierrors.NewBadRequest(err.Error())
	}
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(r.OldObject)}
	stated(&options, object)
	switch r.Kind.GroupKind() {
	case schema.GroupKind{Kind: "Namespace"}: // deleting one with finalizers again does nothing
		finalizers, _, _ := unstructured.NestedSlice(object.Object, "spec", "finalizers") // in another form, there are none
		return object.GetDeletionTimestamp() != nil && len(finalizers) > 0, r.held(object, options.Preconditions, "Precondition")
	case schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:
		word := "Precondition"
		if v.Has(version.DefinitionPreconditions) {
			word = "precondition"
		}
		return false, r.held(object, options.Preconditions, word)
	}
	graceful := schema.GroupVersionKind{Version: "v1", Kind: "Pod"} == r.Kind
	var strategy rest.RESTDeleteStrategy = typer{r.Kind}
	if graceful {
		strategy = podDeletion{typer{r.Kind}}
	}
	_, ended, err = rest.BeforeDelete(strategy, context.Background(), object, &options)
	if err != nil && !errors.As(err, &status) {
		return false, apierrors.NewInternalError(err)
	}
	if graceful && status == nil && options.GracePeriodSeconds != nil {
		with := with(r.Options)
		with["gracePeriodSeconds"] = *options.GracePeriodSeconds
		r.Options = with
	}
	return ended, status
}

// stated drops preconditions about fields that a manifest does not have.
func stated(options *metav1.DeleteOptions, object *unstructured.Unstructured) {
	if p := options.Preconditions; p != nil {
		if object.GetUID() == "" {
			p.UID = nil
		}
		if object.GetResourceVersion() == "" {
			p.ResourceVersion = nil
		}
	}
}

// held compares the preconditions as the storage of namespaces and definitions does, each with its
// own message prefix.
func (r *Request) held(object *unstructured.Unstructured, p *metav1.Preconditions, word string) *apierrors.StatusError {
	conflict := func(what, want, have string) *apierrors.StatusError {
		return apierrors.NewConflict(r.Resource.GroupResource(), r.Name, fmt.Errorf("%s failed: %s in precondition: %s, %s in object meta: %s", word, what, want, what, have))
	}
	switch {
	case p != nil && p.UID != nil && *p.UID != object.GetUID():
		return conflict("UID", string(*p.UID), string(object.GetUID()))
	case p != nil && p.ResourceVersion != nil && *p.ResourceVersion != object.GetResourceVersion():
		return conflict("ResourceVersion", *p.ResourceVersion, object.GetResourceVersion())
	}
	return nil
}

// typer returns the kind of a request's object. It implements runtime.ObjectTyper.
type typer struct{ kind schema.GroupVersionKind }

func (t typer) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{t.kind}, false, nil
}

func (t typer) Recognizes(kind schema.GroupVersionKind) bool { return kind == t.kind }

// podDeletion is the strategy for Pods, the only kind with a grace period.
type podDeletion struct{ typer }

// CheckGracefulDelete implements [rest.RESTGracefulDeleteStrategy] as podStrategy in
// pkg/registry/core/pod does.
func (podDeletion) CheckGracefulDelete(_ context.Context, object runtime.Object, options *metav1.DeleteOptions) bool {
	pod, ok := object.(*unstructured.Unstructured)
	if !ok {
		return false
	}
	spec, _ := pod.Object["spec"].(map[string]any)
	status, _ := pod.Object["status"].(map[string]any)
	period, _ := spec["terminationGracePeriodSeconds"].(int64)
	if options.GracePeriodSeconds != nil {
		period = *options.GracePeriodSeconds
	}
	node, _ := spec["nodeName"].(string)
	switch {
	case node == "", status["phase"] == "Failed", status["phase"] == "Succeeded":
		period = 0
	case period < 0:
		period = 1
	}
	options.GracePeriodSeconds = &period
	return true
}
