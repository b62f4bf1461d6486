package refusals

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
)

// otherDefault names the PriorityClass that is the default already, and offers to change either class.
func (r *refusal) otherDefault(texts []string) bool {
	r.at("globalDefault")
	r.diag.Detail = fmt.Sprintf("A cluster has at most one PriorityClass with globalDefault: true, and it is %s. The field can be changed: take it from %[1]s first, or leave it out here.", texts[1])
	stop := func(object map[string]any) { object["globalDefault"] = false }
	if other, ok := r.inCluster(schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}, "", texts[1]); ok {
		r.decided(other, "globalDefault", "the default")
		r.offer(other.Fix("Set globalDefault: false in "+texts[1], stop)...)
	}
	r.offer(r.sent.Fix("Set globalDefault: false here", stop)...)
	return true
}

// misaddressed names both namespaces, or both names: that of the URL and that of the body.
func (r *refusal) misaddressed([]string) bool {
	metadata := untyped.Sub(r.sent.Value, "metadata")
	field, ofURL := "namespace", r.Initial.Namespace
	if text(metadata, field) == ofURL {
		field, ofURL = "name", r.Initial.Name
	}
	ofBody := text(metadata, field)
	r.at("metadata." + field)
	r.diag.Detail = fmt.Sprintf("The URL of the request names %s %s, and metadata.%s in its body is %s. They must be equal.", field, cmp.Or(ofURL, "''"), field, cmp.Or(ofBody, "missing"))
	if field == "namespace" {
		r.diag.Detail += fmt.Sprintf(" A client that sends to the namespace of its own configuration, not to the object's, gets this answer: send it to namespace %s, where the user needs the rights.", ofBody)
	}
	if at, ok := strings.CutSuffix(r.sent.At, ".object"); ok && ofBody != "" {
		review, _ := objecttext.In(r.sent.Document, at)
		r.offer(review.Fix("Send the request to "+field+" "+ofBody, func(sent map[string]any) { sent[field] = ofBody })...)
	}
	if ofURL != "" {
		r.offer(r.sent.Fix(fmt.Sprintf("Change metadata.%s to %s", field, ofURL), func(object map[string]any) {
			untyped.Child(object, "metadata")[field] = ofURL
		})...)
	}
	return true
}

// severalBudgets names the PodDisruptionBudgets that select one Pod, and offers to leave it out of each.
func (r *refusal) severalBudgets([]string) bool {
	r.at("metadata.name")
	set, budgets := r.budgets()
	if len(budgets) < 2 {
		return false
	}
	var names []string
	empty := ""
	for _, b := range budgets {
		names = append(names, b.Name)
		if len(untyped.Sub(b.Value, "spec", "selector")) == 0 {
			empty += fmt.Sprintf(" The selector of %s is empty: in policy/v1 it selects every Pod of the namespace.", b.Name)
		}
	}
	r.diag.Detail = fmt.Sprintf("PodDisruptionBudgets %s select Pod %s, and the server evicts a Pod that has one budget or none.%s Narrow a selector, or delete a budget. Deleting the Pod itself involves no budget.",
		strings.Join(names, " and "), r.Initial.Name, empty)
	key := distinctive(set)
	for _, name := range names {
		budget, ok := r.inCluster(budgetKind, r.Initial.Namespace, name)
		if !ok || key == "" {
			continue
		}
		r.decided(budget, "spec.selector", "the selector of "+name)
		r.offer(budget.Fix(fmt.Sprintf("Leave Pods with %s=%s out of %s", key, set[key], name), func(object map[string]any) {
			selector := untyped.Child(untyped.Child(object, "spec"), "selector")
			have, _ := selector["matchExpressions"].([]any)
			selector["matchExpressions"] = append(slices.Clone(have), map[string]any{"key": key, "operator": "NotIn", "values": []any{set[key]}})
		})...)
	}
	return true
}

// disrupted names the budget that keeps a Pod, with what it counts.
func (r *refusal) disrupted([]string) bool {
	r.at("metadata.name")
	_, budgets := r.budgets()
	if len(budgets) != 1 {
		return false
	}
	b := budgets[0]
	spec, status := untyped.Sub(b.Value, "spec"), untyped.Sub(b.Value, "status")
	field := "minAvailable"
	if spec["maxUnavailable"] != nil {
		field = "maxUnavailable"
	}
	r.diag.Detail = fmt.Sprintf("PodDisruptionBudget %s selects Pod %s and has %s: %v. Its status counts %v healthy Pods, of which %v must stay.", b.Name, r.Initial.Name, field, spec[field],
		cmp.Or[any](status["currentHealthy"], 0), cmp.Or[any](status["desiredHealthy"], 0))
	if whole := fmt.Sprint(spec[field]); field == "maxUnavailable" && (whole == "0" || whole == "0%") || field == "minAvailable" && (whole == "100%" || whole == fmt.Sprint(status["expectedPods"])) {
		r.diag.Detail += " Such a budget never lets a Pod go, and stops each drain of a node."
	}
	r.diag.Detail += " Run one more replica, let the budget allow a disruption, or wait until more Pods are ready. Deleting the Pod itself involves no budget."
	if budget, ok := r.inCluster(budgetKind, r.Initial.Namespace, b.Name); ok {
		r.decided(budget, "spec."+field, "the budget")
	}
	return true
}

// budgets are the PodDisruptionBudgets that select the Pod of the request, those for every Pod first, with the Pod's
// labels: a budget for everything is the likeliest mistake.
func (r *refusal) budgets() (set labels.Set, all []cluster.Object) {
	pod, _ := r.Cluster.Get(schema.GroupKind{Kind: "Pod"}, r.Initial.Namespace, r.Initial.Name)
	set = untyped.Labels(pod.Value)
	for _, o := range r.Cluster.List(budgetKind, r.Initial.Namespace, labels.Everything()) {
		given := untyped.Sub(o.Value, "spec", "selector")
		selector, err := selectorOf(given)
		switch {
		case given == nil || err != nil || !selector.Matches(set):
		case selector.Empty():
			all = append([]cluster.Object{o}, all...)
		default:
			all = append(all, o)
		}
	}
	return set, all
}

// budgetKind is the kind of budgets.
var budgetKind = schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}

func selectorOf(given map[string]any) (labels.Selector, error) {
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &selector); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(&selector)
}

// distinctive is the label that usually says to which program a Pod belongs; another one where there is none.
func distinctive(set labels.Set) string {
	for _, key := range []string{"app.kubernetes.io/name", "app", "k8s-app", "name"} {
		if set[key] != "" {
			return key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		return key
	}
	return ""
}

// stored are those of some containers that the stored Pod has, which no update removes or changes.
func (r *refusal) stored(names func(name string) bool) (out []string) {
	a := &r.Chain.Attributes
	if a.Operation != request.Update || a.Kind.Kind != "Pod" {
		return nil
	}
	for _, c := range containersOf(untyped.Sub(a.OldObject, "spec")) {
		if name := text(c, "name"); names(name) {
			out = append(out, name)
		}
	}
	return out
}

// createdAgain takes ephemeral containers out of both objects of a review, as in a Pod that was deleted and created
// again.
func (r *refusal) createdAgain(names []string) {
	at, ok := strings.CutSuffix(r.sent.At, ".object")
	if !ok || r.sent.Document == nil {
		return
	}
	review, _ := objecttext.In(r.sent.Document, at)
	r.offer(review.Fix("Create the Pod again, without container "+strings.Join(names, ", "), func(sent map[string]any) {
		for _, field := range []string{"object", "oldObject"} {
			spec := untyped.Sub(sent, field, "spec")
			list, _ := spec["ephemeralContainers"].([]any)
			left := slices.DeleteFunc(list, func(c any) bool {
				container, _ := c.(map[string]any)
				return slices.Contains(names, text(container, "name"))
			})
			if spec["ephemeralContainers"] = left; len(left) == 0 {
				delete(spec, "ephemeralContainers")
			}
		}
	})...)
}
