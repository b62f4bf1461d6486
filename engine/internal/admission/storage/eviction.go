package storage

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file is EvictionREST.Create in pkg/registry/core/pod/storage of k8s.io/kubernetes.

const (
	// maxDisruptedPods is how many evictions a budget's controller may have left to confirm.
	maxDisruptedPods = 2000
	overBudget       = "Cannot evict pod as it would violate the pod's disruption budget."
	// budgetCause is the type of the causes (policyv1.DisruptionBudgetCause).
	budgetCause = "DisruptionBudget"
	// syncFailed is the reason of a condition that the disruption controller sets (policyv1.SyncFailedReason).
	syncFailed = "SyncFailed"
)

var (
	budgetKind   = schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}
	podResource  = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	evictionKind = schema.GroupKind{Group: "policy", Kind: "Eviction"}
)

// Evicts reports whether the request is the eviction of a Pod, which has no validation but Evict.
func (e *Storage) Evicts() bool {
	a := &e.Attributes
	return a.Operation == "CREATE" && a.SubResource == "eviction" && a.Resource == podResource && a.Object != nil
}

// evictable is what the server does to an eviction before validating admission: a dry run applies to
// the deletion too. It returns the server's rejection, or nil.
func (e *Storage) evictable(eviction map[string]any) *apierrors.StatusError {
	options := untyped.Sub(eviction, "deleteOptions")
	if options["ignoreStoreReadErrorWithClusterBreakingPotential"] == true {
		path := field.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential")
		return apierrors.NewInvalid(evictionKind, e.Attributes.Name, field.ErrorList{field.Invalid(path, true, "can not be set for pod eviction, try after removing the option")})
	}
	asked, _ := e.Attributes.Options["dryRun"].([]any)
	inside, _ := options["dryRun"].([]any)
	switch {
	case options == nil || len(asked) == 0:
	case len(inside) == 0:
		options = maps.Clone(options)
		options["dryRun"], eviction["deleteOptions"] = asked, options
	case !reflect.DeepEqual(asked, inside):
		return failed(fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", asked, inside))
	}
	return nil
}

// failed is an error without a status of its own.
func failed(message string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message}}
}

// Evict returns the server's rejection of an eviction after admission: the Pod does not exist, its
// PodDisruptionBudget allows no disruption, or the deletion's options are wrong. It returns nil for
// other requests.
func (e *Storage) Evict() *apierrors.StatusError {
	if !e.Evicts() {
		return nil
	}
	pod, status := e.evicted()
	if status == nil {
		status = e.withinBudget(pod)
	}
	if status != nil {
		return status
	}
	return e.deletion(pod)
}

// evicted is the Pod of an eviction.
func (e *Storage) evicted() (map[string]any, *apierrors.StatusError) {
	a := &e.Attributes
	if o, ok := e.Cluster.Get(podKind, a.Namespace, a.Name); ok {
		return o.Value, nil
	}
	if e.Cluster.Complete() {
		return nil, apierrors.NewNotFound(podResource.GroupResource(), a.Name)
	}
	e.Assume(run.Assumed{Kind: "Pod", Namespace: a.Namespace, Name: a.Name, Why: "the request evicts it", Without: "labels, so that no PodDisruptionBudget selects it",
		Document: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + a.Name + "\n  namespace: " + a.Namespace + "\n  labels: {}\nstatus:\n  phase: Running\n"})
	return map[string]any{"metadata": map[string]any{"name": a.Name, "namespace": a.Namespace}}, nil
}

// withinBudget is the rejection of the PodDisruptionBudget that selects a Pod, or nil.
func (e *Storage) withinBudget(pod map[string]any) *apierrors.StatusError {
	budgets := e.budgets(pod)
	status, metadata := untyped.Sub(pod, "status"), untyped.Sub(pod, "metadata")
	switch status["phase"] {
	case "Succeeded", "Failed", "Pending", nil:
		if status["phase"] == nil && len(budgets) > 0 && metadata["deletionTimestamp"] == nil {
			e.NotSimulated(fmt.Sprintf("Pod %s has no status.phase in the cluster text. It is Pending, as a new Pod is, so the server does not ask its PodDisruptionBudget. Running makes the server ask it.", e.Attributes.Name))
		}
		return nil
	}
	if metadata["deletionTimestamp"] != nil || len(budgets) == 0 {
		return nil
	}
	if len(budgets) > 1 {
		return failed("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
	}
	budget := budgets[0]
	if uncounted(budget) {
		e.NotSimulated(fmt.Sprintf("PodDisruptionBudget %s has no current status in the cluster text, and Preadmit runs no disruption controller. The server rejects evictions until the controller has counted the Pods. Add the status that kubectl get pdb -o yaml shows.", metadataString(budget, "name")))
	}
	if condition(status, "Ready")["status"] != "True" && disregards(budget) {
		return nil
	}
	return e.disrupts(budget)
}

// budgets are the PodDisruptionBudgets that select a Pod.
func (e *Storage) budgets(pod map[string]any) (out []map[string]any) {
	for _, o := range e.Cluster.List(budgetKind, e.Attributes.Namespace, labels.Everything()) {
		given := untyped.Sub(o.Value, "spec", "selector")
		if given == nil {
			continue // selects nothing
		}
		var typed metav1.LabelSelector
		if runtime.DefaultUnstructuredConverter.FromUnstructured(given, &typed) != nil {
			continue
		}
		if selector, err := metav1.LabelSelectorAsSelector(&typed); err == nil && selector.Matches(labels.Set(untyped.Labels(pod))) {
			out = append(out, o.Value)
		}
	}
	return out
}

// disregards reports whether a budget lets a Pod go that is not ready.
func disregards(budget map[string]any) bool {
	if untyped.Sub(budget, "spec")["unhealthyPodEvictionPolicy"] == "AlwaysAllow" {
		return true
	}
	status := untyped.Sub(budget, "status")
	return number(status["currentHealthy"]) >= number(status["desiredHealthy"]) && number(status["desiredHealthy"]) > 0
}

// uncounted reports whether the disruption controller has not seen a budget, or not this version of it.
// Only a manifest has no generation.
func uncounted(budget map[string]any) bool {
	status := untyped.Sub(budget, "status")
	if generation := untyped.Sub(budget, "metadata")["generation"]; generation != nil {
		return number(status["observedGeneration"]) < number(generation)
	}
	for _, field := range []string{"observedGeneration", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"} {
		if number(status[field]) != 0 {
			return false
		}
	}
	return true
}

// disrupts is the rejection by a budget's status, or nil (checkAndDecrement).
func (e *Storage) disrupts(budget map[string]any) *apierrors.StatusError {
	name, status := metadataString(budget, "name"), untyped.Sub(budget, "status")
	current, desired := number(status["currentHealthy"]), number(status["desiredHealthy"])
	rejected := func(err *apierrors.StatusError, message string) *apierrors.StatusError {
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: budgetCause, Message: fmt.Sprintf("The disruption budget %s ", name) + message}}
		return err
	}
	// The server's own fault has a cause only in newer releases.
	broken := func(why, message string) *apierrors.StatusError {
		err := apierrors.NewForbidden(schema.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}, name, errors.New(why))
		if !e.Version.Has(version.BrokenBudgetCauses) {
			return err
		}
		return rejected(err, "does not allow evicting pods currently: "+message)
	}
	const negative = "pdb disruptions allowed is negative"
	allowed := number(status["disruptionsAllowed"])
	failing := condition(status, "DisruptionAllowed")
	message := text(failing["message"])
	said := failing["status"] == "False" && message != ""
	switch {
	case uncounted(budget):
		return rejected(apierrors.NewTooManyRequests(overBudget, 10), "is still being processed by the server.")
	case allowed < 0:
		return broken(negative, negative)
	case len(untyped.Sub(status, "disruptedPods")) > maxDisruptedPods:
		return broken("DisruptedPods map too big - too many evictions not confirmed by PDB controller", "too many pending evictions not confirmed by PDB controller")
	case allowed > 0:
		return nil
	}
	why := "does not allow evicting pods currently"
	switch {
	case said && failing["reason"] == syncFailed:
		why += " because it failed sync: " + message
	case current <= desired:
		why = fmt.Sprintf("needs %d healthy pods and has %d currently", desired, current)
	case said:
		why += fmt.Sprintf(" (%s): %s", text(failing["reason"]), message)
	}
	return rejected(apierrors.NewTooManyRequests(overBudget, 0), why)
}

// deletion is the rejection of the Pod's deletion, or nil.
func (e *Storage) deletion(pod map[string]any) *apierrors.StatusError {
	r := request.Request{Options: maps.Clone(untyped.Sub(e.Attributes.Object, "deleteOptions"))}
	r.OldObject, r.Operation, r.Kind, r.Resource = pod, request.Delete, podKind.WithVersion("v1"), podResource
	r.Namespace, r.Name = e.Attributes.Namespace, e.Attributes.Name
	if metadataString(pod, "uid") == untyped.ZeroUID { // of a manifest, which has neither a uid nor a version
		r.OldObject = runtime.DeepCopyJSON(pod)
		metadata := untyped.Sub(r.OldObject, "metadata")
		delete(metadata, "uid")
		delete(metadata, "resourceVersion")
	}
	_, status := r.BeforeDelete(e.Version)
	return status
}

// condition is the condition of a type in a status; nil where there is none.
func condition(status map[string]any, of string) map[string]any {
	for _, c := range untyped.Items(status["conditions"]) {
		if c["type"] == of {
			return c
		}
	}
	return nil
}

// number is a whole number; 0 for anything else.
func number(value any) int64 {
	n, _ := value.(int64)
	return n
}
