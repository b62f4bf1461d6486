// Package storage applies storage's changes to an object between the mutating
// and the validating phase (semantics §0.2). Random values, such
// as addresses, are placeholders here. A scenario can give further changes in
// beforeValidation.
package storage

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Storage is the storage of one request.
type Storage struct {
	*run.Chain
	// Now is the time that created objects get (RFC 3339).
	Now string
	// Changes are those that the scenario lists.
	Changes scenario.BeforeValidation
	// SharedOnly leaves out what the strategies of single kinds do.
	SharedOnly bool
	// Registry is the server's own code for built-in kinds, or nil; Registered is what it
	// answered, nil where it was not asked.
	Registry   registry.Registry
	Registered *registry.Answer
	// Variant selects the placeholders: 0, or 1 for others that are as good.
	Variant int
	// Placeholders are the JSON pointers of the values in the object that stand
	// for what a server picks by chance.
	Placeholders []string
}

// Prepare fills in the system fields and what the strategy of the kind adds, and
// then makes the changes that the scenario lists. The diagnostics are about
// changes that the object has no place for; status is the server's refusal.
func (e *Storage) Prepare() (problems []diag.Diagnostic, status *apierrors.StatusError) {
	a := &e.Attributes
	if a.Object == nil || a.Operation == "CONNECT" {
		return nil, nil
	}
	object := e.own(a.Object)
	if a.Operation != "DELETE" {
		e.ownersAgain(object)
	}
	if status := e.ownNamespace(object); status != nil {
		return nil, status
	}
	switch own := e.registers(); {
	case own:
		if object, status = e.register(object, e.sent()); status != nil {
			return nil, status
		}
		if a.SubResource == "scale" {
			object, a.OldObject = scaleOf(a.OldObject, object), scaleOf(a.OldObject, a.OldObject)
		}
	case a.Operation == "CREATE":
		switch a.SubResource {
		case "":
			e.beforeCreate(object)
		case "token":
			if status = e.tokenRequest(object); status != nil {
				return nil, status
			}
		case "binding", "eviction":
			if metadataString(object, "name") != a.Name {
				return nil, apierrors.NewBadRequest("name in URL does not match name in " + a.Kind.Kind + " object")
			}
			if a.SubResource == "binding" {
				status = unboundable(object)
			} else {
				status = e.evictable(object)
			}
			if status != nil {
				return nil, status
			}
		}
	case a.Operation == "UPDATE":
		object = e.beforeUpdate(object)
	}
	problems = e.change(object)
	a.Object = object
	if a.Name == "" {
		a.Name = metadataString(object, "name")
	}
	return problems, nil
}

// change makes the changes that the scenario lists.
func (e *Storage) change(object map[string]any) (problems []diag.Diagnostic) {
	before := e.Changes
	if len(before.Set)+len(before.Remove) == 0 {
		return nil
	}
	for _, pointer := range slices.SortedFunc(maps.Keys(before.Set), fieldpath.ComparePointers) {
		value, err := plain(before.Set[pointer])
		if err != nil {
			problems = append(problems, diag.Diagnostic{Code: codes.BeforeValidation, Severity: diag.Error, Text: diag.Settings,
				Summary: fmt.Sprintf("beforeValidation.set: the value of %q: %v", pointer, err)})
		} else if !fieldpath.FromPointer(pointer).Set(object, value) {
			problems = append(problems, diag.Diagnostic{Code: codes.BeforeValidation, Severity: diag.Error, Text: diag.Settings,
				Summary: fmt.Sprintf("beforeValidation.set: the object has no place for %q", pointer)})
		}
	}
	for _, pointer := range before.Remove {
		fieldpath.FromPointer(pointer).Remove(object)
	}
	return problems
}

// own is a copy of an object of which this package may change what it does change: all of it
// where the scenario does or it is a Service; otherwise the fields of the object itself, of its
// metadata and of its annotations.
func (e *Storage) own(object map[string]any) map[string]any {
	if len(e.Changes.Set)+len(e.Changes.Remove) > 0 || e.Attributes.Kind.GroupKind() == serviceKind {
		return runtime.DeepCopyJSON(object)
	}
	out := maps.Clone(object)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			metadata["annotations"] = maps.Clone(annotations)
		}
		out["metadata"] = metadata
	}
	return out
}

// ownNamespace refuses an object that has left the namespace of the request; one
// that has none gets it (rest.EnsureObjectNamespaceMatchesRequestNamespace).
func (e *Storage) ownNamespace(object map[string]any) *apierrors.StatusError {
	a := &e.Attributes
	resource, known := e.Catalog.ResourceForKind(a.Kind)
	metadata, ok := object["metadata"].(map[string]any)
	if !known || !ok || a.SubResource != "" && a.SubResource != "status" {
		return nil
	}
	namespace := ""
	if resource.Namespaced {
		namespace = a.Namespace
	}
	switch current := text(metadata["namespace"]); {
	case current == namespace:
	case namespace == "":
		delete(metadata, "namespace")
	case current == "":
		metadata["namespace"] = namespace
	default:
		return apierrors.NewBadRequest(otherNamespace)
	}
	return nil
}

// plain is a copy of a value in the form of decoded objects, whose whole numbers
// are int64: a program may give any number that JSON can write.
func plain(value any) (out any, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return out, kjson.UnmarshalCaseSensitivePreserveInts(data, &out)
}

// resetStatus makes the status that of storage; nil is the zero status, which
// typed objects show and custom ones do not have.
func (e *Storage) resetStatus(object map[string]any, status any) {
	if status != nil {
		object["status"] = runtime.DeepCopyJSONValue(status)
		return
	}
	if _, ok := object["status"]; !ok {
		return
	}
	delete(object, "status")
	kind := e.Attributes.Kind
	if e.custom(kind) {
		return
	}
	if phase, ok := firstPhase[kind.GroupKind()]; ok {
		object["status"] = map[string]any{"phase": phase}
	}
	if status := e.Catalog.NewStatus(kind, object["status"]); status != nil {
		object["status"] = status
	}
}

// firstPhase is the status.phase of a new object of the kinds that have one.
var firstPhase = map[schema.GroupKind]string{
	{Kind: "Namespace"}:        "Active",
	{Kind: "Pod"}:              "Pending",
	{Kind: "PersistentVolume"}: "Pending",
}

var (
	podKind     = schema.GroupKind{Kind: "Pod"}
	claimKind   = schema.GroupKind{Kind: "PersistentVolumeClaim"}
	serviceKind = schema.GroupKind{Kind: "Service"}
	jobKind     = schema.GroupKind{Group: "batch", Kind: "Job"}
)

// defaultedAgain are the kinds that have defaults when they are read: their strategy takes those away or
// makes them possible, or they are for lists that are not there alone. For others it would be lost time.
var defaultedAgain = []schema.GroupKind{claimKind, jobKind, serviceKind, {Kind: "Node"}, {Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}}

// Answered is an admitted object as the client gets it: read from storage again, which gives
// it the defaults that its strategy has taken away or made possible. A captured request is
// shown as the validating phase sees it, but for the phase of a claim.
func (e *Storage) Answered() map[string]any {
	a := &e.Attributes
	if a.Object == nil || a.SubResource != "" && a.SubResource != "status" {
		return a.Object
	}
	if e.Captured && a.Kind.GroupKind() != claimKind {
		return a.Object
	}
	if e.custom(a.Kind) {
		object, _ := e.Catalog.Reread(a.Kind, a.Object)
		return object
	}
	out := e.Catalog.FromStorage(a.Kind, a.Object)
	if kind := a.Kind.GroupKind(); slices.Contains(defaultedAgain, kind) || reflect.ValueOf(out).Pointer() != reflect.ValueOf(a.Object).Pointer() {
		out = e.Catalog.Default(a.Kind, out)
	}
	if spec := untyped.Sub(out, "spec"); a.Kind.GroupKind() == serviceKind && spec["type"] == externalName {
		delete(spec, "internalTrafficPolicy") // where there is no address (defaultOnReadInternalTrafficPolicy)
	}
	return out
}

func (e *Storage) custom(kind schema.GroupVersionKind) bool {
	r, ok := e.Catalog.ResourceForKind(kind)
	return ok && !r.Builtin
}

// hasStatus says that clients cannot change the status with the object itself.
func (e *Storage) hasStatus(kind schema.GroupVersionKind) bool {
	r, _ := e.Catalog.ResourceForKind(kind)
	_, has := r.Subresources["status"]
	return has
}

// ownsStatus says that clients cannot create an object with a status. Nodes are the exception
// among the built-in kinds: kubelets create them with their status.
func (e *Storage) ownsStatus(kind schema.GroupVersionKind) bool {
	return e.hasStatus(kind) && kind.Kind != "Node"
}

// withGeneration are the built-in kinds whose metadata.generation the server
// counts, by group.
var withGeneration = map[string][]string{
	"":                             {"ReplicationController", "PodTemplate"},
	"apps":                         {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"},
	"batch":                        {"Job", "CronJob"},
	"policy":                       {"PodDisruptionBudget"},
	"networking.k8s.io":            {"Ingress", "NetworkPolicy", "IngressClass"},
	"discovery.k8s.io":             {"EndpointSlice"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"scheduling.k8s.io":            {"PriorityClass"},
	"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceSlice"},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"admissionregistration.k8s.io": {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"},
}

func (e *Storage) hasGeneration(kind schema.GroupVersionKind) bool {
	if e.custom(kind) {
		return true
	}
	switch {
	case kind.Group == "" && kind.Kind == "Pod":
		return e.Version.Has(version.PodGeneration)
	case kind.Group == "autoscaling" && kind.Kind == "HorizontalPodAutoscaler":
		return e.Version.Has(version.AutoscalerGeneration)
	}
	return slices.Contains(withGeneration[kind.Group], kind.Kind)
}

func metadataString(object map[string]any, field string) string {
	meta, _ := object["metadata"].(map[string]any)
	s, _ := meta[field].(string)
	return s
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
