// Package storage is the API server's own code for objects of built-in kinds: its registry's
// strategies, which prepare, validate and warn (k8s.io/kubernetes/pkg/registry). The engine uses it
// as a [registry.Registry].
package storage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	_ "time/tzdata" // time zones for CronJobs, as in kube-apiserver (cmd/kube-apiserver/apiserver.go)

	"google.golang.org/protobuf/encoding/protowire"
	autoscaling "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/capabilities"

	"github.com/preadmit/preadmit/engine/registry"
)

// New returns the registry. It is safe for concurrent use. Only one release's strategies run at a
// time, because the server's feature gates are global.
func New() registry.Registry {
	// Clusters with their own network or storage enable this (--allow-privileged). Without it no
	// Pod may be privileged.
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	return strategies{}
}

// strategies implements registry.Registry.
type strategies struct{}

func (strategies) Knows(kind schema.GroupVersionKind, resource schema.GroupResource, subResource string) bool {
	if reviews[resource] != nil {
		return subResource == "" && legacyscheme.Scheme.Recognizes(kind)
	}
	of, known := kinds[resource]
	return known && (subResource == "" || of.subresources[subResource] != nil) && legacyscheme.Scheme.Recognizes(kind)
}

func (strategies) Before(q registry.Request) (answer registry.Answer, err error) {
	read := q.Object
	if q.Decoded != nil {
		read = q.Decoded
	}
	release, leave := enter(q.Kubernetes) // defaults depend on gates, too
	defer leave()
	versioned, object, err := decode(q.Kind, read)
	if err != nil {
		return answer, err
	}
	var warnings recorder
	ctx := warning.WithWarningRecorder(requestContext(q), &warnings)
	var checked *validation
	if q.Create {
		checked, err = create(ctx, q, object)
	} else {
		checked, err = update(ctx, q, object)
	}
	answer = registry.Answer{Release: release, Warnings: warnings.texts}
	if err != nil && !errors.As(err, &answer.Status) {
		return answer, err
	}
	if answer.Status != nil {
		checked.answer(answer.Status)
	}
	after, err := legacyscheme.Scheme.UnsafeConvertToVersion(object, q.Kind.GroupVersion())
	if answer.Status != nil && err != nil {
		return answer, nil // an invalid object may not convert to another version
	}
	if err != nil {
		return answer, err
	}
	if answer.Object, err = written(q.Object, versioned, after); err == nil {
		answer.Bytes = stored(q.Kind, after)
	}
	return answer, err
}

// stored returns the length in which an object is stored (the serializer for protocol buffers of
// k8s.io/apimachinery), 0 where that code is not linked. It removes the object's managed fields.
func stored(kind schema.GroupVersionKind, object runtime.Object) int {
	message, ok := object.(interface{ Size() int })
	accessor, err := meta.Accessor(object)
	if !ok || err != nil {
		return 0
	}
	accessor.SetManagedFields(nil)
	accessor.SetResourceVersion("")
	field := func(n int) int { return 1 + protowire.SizeBytes(n) }
	return len("k8s\x00") + field(field(len(kind.GroupVersion().String()))+field(len(kind.Kind))) + field(message.Size()) + 2*field(0)
}

// create lets the strategy of a kind prepare a new object, or its review validate one.
func create(ctx context.Context, q registry.Request, object runtime.Object) (*validation, error) {
	if review := reviews[q.Resource.GroupResource()]; review != nil {
		return review.validate(ctx, q, object)
	}
	strategy := kinds[q.Resource.GroupResource()].object
	checked := of(strategy, q)
	if err := addressed(object, nil); err != nil {
		return checked, err
	}
	return checked, rest.BeforeCreate(creating{strategy, checked}, ctx, object)
}

// update lets the strategy of an object, or its subresource, replace the stored one.
func update(ctx context.Context, q registry.Request, object runtime.Object) (*validation, error) {
	_, old, err := decode(q.Kind, q.Old)
	if err != nil {
		return nil, err
	}
	if err := complete(object, old); err != nil {
		return nil, err
	}
	var strategy rest.RESTUpdateStrategy = kinds[q.Resource.GroupResource()].object
	if q.SubResource != "" {
		strategy = kinds[q.Resource.GroupResource()].subresources[q.SubResource]
	}
	checked := of(strategy, q)
	if q.SubResource == "" {
		if err := addressed(object, old); err != nil {
			return checked, err
		}
	}
	return checked, rest.BeforeUpdate(updating{strategy, checked}, ctx, object, old)
}

// decode returns a versioned object and its internal form.
func decode(kind schema.GroupVersionKind, object map[string]any) (versioned, internal runtime.Object, err error) {
	if versioned, err = read(object, func() (runtime.Object, error) { return legacyscheme.Scheme.New(kind) }); err != nil {
		return nil, nil, fmt.Errorf("the %s cannot be read: %w", kind.Kind, err)
	}
	// A handwritten review lacks defaults that every request to a server has. They are only for
	// validation: what both forms of an object share is not in the result.
	if autoscaler, ok := versioned.(*autoscaling.HorizontalPodAutoscaler); !ok || !givenEmpty(autoscaler) {
		legacyscheme.Scheme.Default(versioned)
	}
	internal, err = legacyscheme.Scheme.ConvertToVersion(versioned, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	return versioned, internal, err
}

// givenEmpty restores an autoscaler's empty lists of policies: they are missing although everything
// else has its defaults. It returns false for an object without defaults. These are the only lists
// whose default depends on nil and that validation checks. They were empty when the server decoded
// them, which JSON omits.
func givenEmpty(autoscaler *autoscaling.HorizontalPodAutoscaler) bool {
	filled := autoscaler.DeepCopy()
	if filled.Spec.Behavior == nil {
		return false
	}
	for _, rules := range []*autoscaling.HPAScalingRules{filled.Spec.Behavior.ScaleUp, filled.Spec.Behavior.ScaleDown} {
		if rules != nil && rules.Policies == nil {
			rules.Policies = []autoscaling.HPAScalingPolicy{}
		}
	}
	defaulted := filled.DeepCopy()
	legacyscheme.Scheme.Default(defaulted)
	if !reflect.DeepEqual(filled, defaulted) {
		return false
	}
	*autoscaler = *filled
	return true
}

// complete adds to both objects of an update what storage has and a manifest may lack: the
// namespace, a uid and a version (Store.Update of apiserver/pkg/registry/generic).
func complete(object, old runtime.Object) error {
	is, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	was, err := meta.Accessor(old)
	if err != nil {
		return err
	}
	if was.GetNamespace() == "" && is.GetNamespace() != "" {
		was.SetNamespace(is.GetNamespace())
	}
	if was.GetUID() == "" {
		was.SetUID(types.UID("00000000-0000-0000-0000-000000000000"))
		if is.GetUID() != "" {
			was.SetUID(is.GetUID())
		}
	}
	if was.GetResourceVersion() == "" {
		was.SetResourceVersion("1")
	}
	if is.GetResourceVersion() == "" {
		is.SetResourceVersion(was.GetResourceVersion())
	}
	return nil
}

// requestContext has what strategies read about the request.
func requestContext(q registry.Request) context.Context {
	verb := "update"
	if q.Create {
		verb = "create"
	}
	ctx := withLabels(genericrequest.WithNamespace(context.Background(), q.Namespace), q.NamespaceLabels)
	if q.User != nil {
		ctx = genericrequest.WithUser(ctx, q.User)
	}
	return genericrequest.WithRequestInfo(ctx, &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIPrefix: prefix(q.Resource.Group), APIGroup: q.Resource.Group, APIVersion: q.Resource.Version,
		Namespace: q.Namespace, Resource: q.Resource.Resource, Subresource: q.SubResource, Name: q.Name,
	})
}

func prefix(group string) string {
	if group == "" {
		return "api"
	}
	return "apis"
}

// recorder records each warning once, as a client receives them. It implements warning.Recorder.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) {
	for _, known := range r.texts {
		if known == text {
			return
		}
	}
	r.texts = append(r.texts, strings.TrimSpace(text))
}
