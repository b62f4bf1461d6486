package plugins

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

var runtimeClassKind = schema.GroupKind{Group: "node.k8s.io", Kind: "RuntimeClass"}

// runtimeClass gives a new Pod the overhead and the scheduling of its
// RuntimeClass, and rejects a Pod whose class does not exist.
var runtimeClass = plugin{
	name:       "RuntimeClass",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{pods},
	validates:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		class, err := r.runtimeClass()
		if err != nil {
			return err
		}
		if class == nil {
			return r.nothing("the Pod names no RuntimeClass")
		}
		r.reason = fmt.Sprintf("the Pod runs with the RuntimeClass %s", text(r.spec(), "runtimeClassName"))
		if err := r.setOverhead(class); err != nil {
			return err
		}
		return r.setScheduling(class)
	},
	validate: func(r *request) error {
		class, err := r.runtimeClass()
		if err != nil {
			return err
		}
		overhead, given := untyped.Sub(class, "overhead"), untyped.Sub(r.spec(), "overhead")
		switch {
		case class == nil && given == nil:
			return r.nothing("the Pod names no RuntimeClass")
		case class != nil && class["metadata"] == nil: // taken to exist
			return r.nothing("the scenario's cluster does not have the RuntimeClass, which is assumed to exist")
		case overhead != nil && !sameAmounts(untyped.Sub(overhead, "podFixed"), given):
			return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		case overhead == nil && given != nil:
			return errors.New("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
		r.reason = "the Pod has its RuntimeClass's overhead"
		return nil
	},
}

// runtimeClass finds the Pod's RuntimeClass; nil when it names none. Without
// metadata it is one that is only taken to exist.
func (r *request) runtimeClass() (map[string]any, error) {
	name, named := r.spec()["runtimeClassName"].(string)
	if !named {
		return nil, nil
	}
	if name == "" { // which the server's client does not even ask for
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "resource name may not be empty"}}
	}
	if o, ok := r.Cluster.Get(runtimeClassKind, "", name); ok {
		return o.Value, nil
	}
	if r.proven {
		r.NotSimulated(fmt.Sprintf("The scenario's cluster has no RuntimeClass %s; the captured request shows that it exists.", name))
		return map[string]any{}, nil
	}
	if !r.Cluster.CompleteFor(runtimeClassKind) {
		r.Assume(run.Assumed{Kind: "RuntimeClass", Name: name, Without: "overhead and scheduling",
			Document: "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: " + name + "\nhandler: " + name + "\n"})
		return map[string]any{}, nil
	}
	r.notes = append(r.notes, report.Note{Code: codes.MissingRuntimeClass, Text: "The scenario's cluster has no RuntimeClass " + name + ". Add it if your cluster has it."})
	return nil, fmt.Errorf("pod rejected: RuntimeClass %q not found", name)
}

func (r *request) setOverhead(class map[string]any) error {
	overhead := untyped.Sub(class, "overhead")
	if overhead == nil {
		return nil
	}
	fixed := untyped.Sub(overhead, "podFixed")
	if given := untyped.Sub(r.spec(), "overhead"); len(given) > 0 && !sameAmounts(given, fixed) {
		return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	}
	if len(fixed) > 0 {
		r.spec()["overhead"] = fixed
	}
	return nil
}

func sameAmounts(a, b map[string]any) bool {
	return equality.Semantic.DeepEqual(podresources.Of(a), podresources.Of(b))
}

// setScheduling adds the class's node selector and tolerations. Where the two
// selectors contradict each other in several keys, the server names one of them
// at random.
func (r *request) setScheduling(class map[string]any) error {
	scheduling := untyped.Sub(class, "scheduling")
	if scheduling == nil {
		return nil
	}
	selector := untyped.Sub(scheduling, "nodeSelector")
	for _, key := range sorted(selector) {
		nodes := untyped.Child(r.spec(), "nodeSelector")
		if given, ok := nodes[key]; ok && given != selector[key] {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, selector[key], key, given)
		}
		nodes[key] = selector[key]
	}
	merged := mergeTolerations(append(untyped.Items(r.spec()["tolerations"]), untyped.Items(scheduling["tolerations"])...))
	if len(merged) > 0 {
		r.spec()["tolerations"] = merged
	}
	return nil
}

// mergeTolerations leaves out a toleration that another one includes; of equal
// ones the first stays.
func mergeTolerations(all []map[string]any) []any {
	var merged []any
next:
	for i, t := range all {
		for _, kept := range merged {
			if includes(kept.(map[string]any), t) {
				continue next
			}
		}
		for _, later := range all[i+1:] {
			if !reflect.DeepEqual(t, later) && includes(later, t) {
				continue next
			}
		}
		merged = append(merged, t)
	}
	return merged
}

// includes reports whether a toleration tolerates all that another one does.
func includes(wide, t map[string]any) bool {
	if reflect.DeepEqual(wide, t) {
		return true
	}
	key, operator, effect := text(wide, "key"), text(wide, "operator"), text(wide, "effect")
	if key != text(t, "key") && (key != "" || operator != "Exists") {
		return false
	}
	if effect != "" && effect != text(t, "effect") {
		return false
	}
	if longest, limited := wide["tolerationSeconds"].(int64); effect == "NoExecute" && limited {
		if seconds, ok := t["tolerationSeconds"].(int64); !ok || seconds > longest {
			return false
		}
	}
	switch operator {
	case "Equal", "":
		return text(t, "operator") == "Equal" && text(t, "value") == text(wide, "value")
	}
	return operator == "Exists"
}
