package storage

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
)

// scaling is what the server does with a Scale before the validating phase: it only compares the
// replicas (scaleUpdatedObjectInfo in pkg/registry/apps). The request lacks the scaled object, so
// that object's strategy does not run.
type scaling struct{ runtime.ObjectTyper }

var scale rest.RESTUpdateStrategy = scaling{legacyscheme.Scheme}

// NamespaceScoped implements [rest.RESTUpdateStrategy], as the methods below do.
func (scaling) NamespaceScoped() bool { return true }

// AllowCreateOnUpdate is false: scaling creates nothing.
func (scaling) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is true: no resource version is required.
func (scaling) AllowUnconditionalUpdate(context.Context) bool { return true }

// Canonicalize changes nothing.
func (scaling) Canonicalize(runtime.Object) {}

func (scaling) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string { return nil }

// PrepareForUpdate copies the stored object's metadata, which a Scale does not change.
func (scaling) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	sent, stored := object.(*autoscaling.Scale), old.(*autoscaling.Scale)
	managed := sent.ManagedFields
	stored.DeepCopy().ObjectMeta.DeepCopyInto(&sent.ObjectMeta)
	sent.ManagedFields = managed
}

func (scaling) ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList {
	return autoscalingvalidation.ValidateScaleUpdate(ctx, object.(*autoscaling.Scale), old.(*autoscaling.Scale), legacyscheme.Scheme, scaleKind{})
}

// scaleKind is every resource's Scale kind. It implements rest.GroupVersionKindProvider.
type scaleKind struct{}

func (scaleKind) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
}
