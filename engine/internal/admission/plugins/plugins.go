// Package plugins simulates those of the API server's built-in admission
// plugins that change objects which policies see: the service account token of
// a Pod, its priority and tolerations, default storage and ingress classes. A
// real server runs them before any policy (semantics §0.1). They are off unless
// a scenario names them, because captured requests have been through them.
package plugins

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
)

// Kind is the kind of the steps of plugins; their policy is the plugin's name.
const Kind = "AdmissionPlugin"

// plugin is one built-in admission plugin.
type plugin struct {
	name       string
	operations []string
	// resources and validates are those that admit and validate handle.
	resources, validates []schema.GroupResource
	// subresources are those that the plugin handles besides the resource
	// itself.
	subresources []string
	// admit changes the object; nil for a plugin that only validates.
	admit func(*request) error
	// validate runs again in the validating phase; it may not change anything.
	validate func(*request) error
}

// ordered are the plugins in the order in which the server runs them.
var ordered = []plugin{
	serviceAccount, taintNodes, priority, defaultTolerations, defaultStorageClass, storageProtection, defaultIngressClass,
}

var (
	pods            = schema.GroupResource{Resource: "pods"}
	nodes           = schema.GroupResource{Resource: "nodes"}
	claims          = schema.GroupResource{Resource: "persistentvolumeclaims"}
	volumes         = schema.GroupResource{Resource: "persistentvolumes"}
	ingress         = schema.GroupResource{Group: "networking.k8s.io", Resource: "ingresses"}
	priorityClasses = schema.GroupResource{Group: "scheduling.k8s.io", Resource: "priorityclasses"}
)

// Names lists the plugins that can be switched on, in the server's order.
func Names() []string {
	var out []string
	for _, p := range ordered {
		out = append(out, p.name)
	}
	return out
}

// Set is the plugins of one scenario.
type Set []plugin

// Select returns the plugins with the given names, in the server's order.
// Names of no plugin are left out; see Names.
func Select(names []string) Set {
	return slices.DeleteFunc(slices.Clone(ordered), func(p plugin) bool { return !slices.Contains(names, p.name) })
}

// request is what a plugin works on.
type request struct {
	*run.Chain
	// object is a copy that the plugin may change.
	object map[string]any
	// reason says what the plugin did or why it did nothing.
	reason string
	notes  []report.Note
}

// Admit runs the mutating part of all plugins and returns the server's
// rejection, if any.
func (s Set) Admit(c *run.Chain) *apierrors.StatusError {
	for _, p := range s {
		if p.admit == nil {
			continue
		}
		if status := p.run(c, report.Mutating, p.resources, p.admit); status != nil {
			return status
		}
	}
	return nil
}

// Validate runs the validating part of all plugins. step is the one that
// denied.
func (s Set) Validate(c *run.Chain) (status *apierrors.StatusError, step *report.Step) {
	for _, p := range s {
		if p.validate == nil {
			continue
		}
		if status := p.run(c, report.Validating, p.validates, p.validate); status != nil {
			return status, c.Last()
		}
	}
	return nil, nil
}

// run runs one part of a plugin and adds its step.
func (p plugin) run(c *run.Chain, phase report.Phase, resources []schema.GroupResource, part func(*request) error) *apierrors.StatusError {
	step := report.Step{Phase: phase, Pass: c.Pass, Kind: Kind, Policy: p.name}
	if why := p.ignores(&c.Attributes, resources); why != "" {
		if phase == report.Mutating {
			step.Status, step.Reason = report.NotMatched, why
			c.AddStep(step)
		}
		return nil
	}
	r := &request{Chain: c, object: runtime.DeepCopyJSON(c.Attributes.Object)}
	err := part(r)
	step.Status, step.Reason, step.Notes = report.Evaluated, r.reason, r.notes
	if err != nil {
		status := c.Forbidden(err)
		step.Verdict, step.Error, step.Reason = report.Deny, status.ErrStatus.Message, "the plugin refuses the object"
		c.AddStep(step)
		return status
	}
	step.Verdict = report.Admit
	if phase == report.Mutating {
		step.Before, step.After = c.Attributes.Object, r.object
		step.Diff = diff.Objects(step.Before, step.After)
		if len(step.Diff) > 0 {
			step.Verdict = report.Mutate
		}
		c.Attributes.Object = r.object
	}
	if step.Reason == "" {
		step.Reason = "nothing to do"
	}
	c.AddStep(step)
	return nil
}

// ignores says why a plugin has nothing to do with a request; empty when it
// has.
func (p plugin) ignores(a *run.Attributes, resources []schema.GroupResource) string {
	resource := a.Resource.GroupResource()
	handled := slices.Contains(resources, resource) && slices.Contains(p.operations, a.Operation) &&
		(a.SubResource == "" || slices.Contains(p.subresources, a.SubResource))
	if handled && a.Object != nil {
		return ""
	}
	var names []string
	for _, r := range resources {
		names = append(names, r.Resource)
	}
	return fmt.Sprintf("the plugin handles only %s of %s", strings.Join(p.operations, " and "), strings.Join(names, " and "))
}

// spec is the object's spec, made if it is not there.
func (r *request) spec() map[string]any { return child(r.object, "spec") }

func (r *request) metadata() map[string]any { return child(r.object, "metadata") }

// annotation returns an annotation of an object and whether it is there.
func annotation(object map[string]any, name string) (string, bool) {
	meta, _ := object["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	value, ok := annotations[name].(string)
	return value, ok
}

func child(m map[string]any, key string) map[string]any {
	if c, ok := m[key].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	m[key] = c
	return c
}

func list(m map[string]any, key string) []any {
	l, _ := m[key].([]any)
	return l
}

// items are the objects of a list.
func items(m map[string]any, key string) []map[string]any {
	var out []map[string]any
	for _, item := range list(m, key) {
		if o, ok := item.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
