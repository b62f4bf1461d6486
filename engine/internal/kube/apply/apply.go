// Package apply merges an applied configuration into the stored object, with the field manager that
// the API server uses for server-side apply.
package apply

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/registry"
)

// Request is a server-side apply.
type Request struct {
	Catalog     *catalog.Catalog
	Kind        schema.GroupVersionKind
	Resource    schema.GroupResource
	SubResource string
	// Live is the stored object in its normal form, with defaults; nil if there is none.
	Live map[string]any
	// Config is the applied configuration.
	Config map[string]any
	// Manager is the name of the field manager. With Force it takes fields over from others.
	Manager string
	Force   bool
	// Now is the time of the new entries in metadata.managedFields, in RFC 3339.
	Now string
}

// Merge returns the object with the applied fields, without those that the manager no longer applies
// and nobody else owns, and with its managed fields. The status is the server's rejection. It changes
// neither object.
func Merge(r Request) (map[string]any, *apierrors.StatusError) {
	kinds := &kinds{catalog: r.Catalog}
	manager, err := managedfields.NewDefaultCRDFieldManager(kinds, kinds, kinds, kinds, r.Kind, r.Kind.GroupVersion(), r.SubResource, r.resetFields())
	if err != nil {
		return nil, refusal(err)
	}
	live := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(r.Live)}
	if r.Live == nil {
		live.Object = kinds.empty(r.Kind)
	}
	before := live.GetManagedFields()
	merged, err := manager.Apply(live, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(r.Config)}, r.Manager, r.Force)
	if err != nil {
		return nil, refusal(err)
	}
	out := merged.(*unstructured.Unstructured)
	if err := setTimes(out, before, r.Now); err != nil {
		return nil, refusal(err)
	}
	return out.Object, nil
}

// refusal is what the server answers to an error: its handlers turn one without a status into 500.
func refusal(err error) *apierrors.StatusError {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}}
	}
	if status.ErrStatus.Details != nil {
		// The server lists the managers in random order.
		slices.SortStableFunc(status.ErrStatus.Details.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Message, b.Message) })
	}
	return status
}

// setTimes gives the entries that this request has written its time. The field manager reads the clock.
func setTimes(object *unstructured.Unstructured, before []metav1.ManagedFieldsEntry, now string) error {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return err
	}
	entries := object.GetManagedFields()
	for i := range entries {
		kept := slices.ContainsFunc(before, func(e metav1.ManagedFieldsEntry) bool { return entries[i].Time.Equal(e.Time) })
		if entries[i].Time != nil && !kept {
			entries[i].Time = &metav1.Time{Time: at}
		}
	}
	object.SetManagedFields(entries)
	return nil
}

// resetFields are the fields that nobody comes to own through the resource, because its strategy resets
// them.
func (r Request) resetFields() map[fieldpath.APIVersion]fieldpath.Filter {
	resource, known := r.Catalog.ResourceForKind(r.Kind)
	_, hasStatus := resource.Subresources["status"]
	if !known || !hasStatus {
		return nil
	}
	set := fieldpath.NewSet()
	for _, path := range registry.ResetFields(r.Resource, r.SubResource, resource.Builtin) {
		var names []any
		for name := range strings.SplitSeq(path, ".") {
			names = append(names, name)
		}
		set.Insert(fieldpath.MakePathOrDie(names...))
	}
	return map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(r.Kind.GroupVersion().String()): fieldpath.NewExcludeSetFilter(set)}
}
