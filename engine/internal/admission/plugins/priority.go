package plugins

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// priority computes spec.priority of Pods from their PriorityClass, and allows
// one global default only.
var priority = plugin{
	name:       "Priority",
	operations: []string{"CREATE", "UPDATE"},
	resources:  []schema.GroupResource{pods},
	validates:  []schema.GroupResource{priorityClasses},
	admit: func(r *request) error {
		if r.Attributes.Operation == "UPDATE" {
			return r.keepPriority()
		}
		return r.establishPriority()
	},
	validate: func(r *request) error {
		if r.object["globalDefault"] != true {
			return nil
		}
		other, ok := globalDefault(r.Cluster)
		if ok && (r.Attributes.Operation == "CREATE" || other.name != text(r.metadata(), "name")) {
			return fmt.Errorf("PriorityClass %v is already marked as default. Only one default can exist", other.name)
		}
		return nil
	},
}

// keepPriority restores what an update left out.
func (r *request) keepPriority() error {
	spec, old := r.spec(), untyped.Child(map[string]any{"spec": r.Attributes.OldObject["spec"]}, "spec")
	for _, field := range []string{"priority", "preemptionPolicy"} {
		if spec[field] == nil && old[field] != nil {
			spec[field] = old[field]
			r.reason = "the update omits values that were computed at creation, so they are kept"
		}
	}
	return nil
}

// establishPriority writes name, value and preemption policy of the Pod's
// PriorityClass into a new Pod.
func (r *request) establishPriority() error {
	spec := r.spec()
	class, err := r.priorityClass(text(spec, "priorityClassName"))
	if err != nil {
		return err
	}
	if class.name != "" {
		spec["priorityClassName"] = class.name
	}
	if given, ok := spec["priority"].(int64); ok && given != class.value {
		return fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", given, class.value)
	}
	spec["priority"] = class.value
	if class.preemption == "" {
		return nil
	}
	if given := text(spec, "preemptionPolicy"); given != "" && given != class.preemption {
		return fmt.Errorf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", given, class.preemption)
	}
	spec["preemptionPolicy"] = class.preemption
	return nil
}

// class is what matters of a PriorityClass.
type class struct {
	name       string
	value      int64
	preemption string
}

// systemClasses are made by the API server itself.
var systemClasses = []class{
	{"system-node-critical", 2000001000, preemptLower},
	{"system-cluster-critical", 2000000000, preemptLower},
}

// preemptLower is the preemption policy that a PriorityClass has by default.
const preemptLower = "PreemptLowerPriority"

var priorityClassKind = schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}

// priorityClass finds the class of a Pod: by name, or the default one.
func (r *request) priorityClass(name string) (class, error) {
	if name == "" {
		if c, ok := globalDefault(r.Cluster); ok {
			r.reason = fmt.Sprintf("the Pod names no PriorityClass, and %s is the global default", c.name)
			return c, nil
		}
		r.reason = "the Pod names no PriorityClass and none is the global default, so its priority is 0"
		return class{preemption: preemptLower}, nil
	}
	r.reason = "the values come from PriorityClass " + name
	if o, ok := r.Cluster.Get(priorityClassKind, "", name); ok {
		return classOf(o), nil
	}
	for _, c := range systemClasses {
		if c.name == name {
			return c, nil
		}
	}
	if !r.Cluster.CompleteFor(priorityClassKind) {
		r.Assume(run.Assumed{Kind: "PriorityClass", Name: name, Without: "a value, so the priority is 0",
			Document: "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: " + name + "\nvalue: 0\n"})
		return class{name: name, preemption: preemptLower}, nil
	}
	r.notes = append(r.notes, report.Note{Code: codes.MissingPriorityClass, Text: "Add the PriorityClass " + name + " to the scenario's cluster: its value decides the Pod's priority."})
	return class{}, fmt.Errorf("no PriorityClass with name %v was found", name)
}

func classOf(o cluster.Object) class {
	value, _ := o.Value["value"].(int64)
	return class{o.Name, value, text(o.Value, "preemptionPolicy")}
}

// globalDefault is the default PriorityClass; with several, the one with the
// lowest value.
func globalDefault(c *cluster.Cluster) (class, bool) {
	var best class
	found := false
	for _, o := range c.List(priorityClassKind, "", labels.Everything()) {
		if o.Value["globalDefault"] != true {
			continue
		}
		if this := classOf(o); !found || this.value < best.value {
			best, found = this, true
		}
	}
	return best, found
}
