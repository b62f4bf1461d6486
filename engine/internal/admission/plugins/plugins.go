// Package plugins simulates the API server's built-in admission plugins, in the
// order in which the server runs them: those that change objects run before any
// policy (semantics §0.1), those that validate before the validating policies,
// and ResourceQuota after everything else. Set says which of them run.
package plugins

import (
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/report"
)

// Kind is the kind of the steps of plugins; their policy is the plugin's name.
const Kind = "AdmissionPlugin"

// plugin is one built-in admission plugin.
type plugin struct {
	name       string
	operations []string
	// resources and validates are those that admit and validate handle; nil
	// means all.
	resources, validates []schema.GroupResource
	// subresources are those that the plugin handles besides the resource
	// itself; "*" means all.
	subresources []string
	// admit changes the object; nil for a plugin that only validates.
	admit func(*request) error
	// refusesOnly says that admit changes nothing: the server asks the plugin in
	// the mutating phase anyway.
	refusesOnly bool
	// validate runs again in the validating phase; it may not change anything.
	validate func(*request) error
	// last says that validate comes after the policies and webhooks.
	last bool
}

// ordered are the plugins in the order in which the server runs them.
var ordered = []plugin{
	namespaceLifecycle, spreadOverNodes, limitRanger, serviceAccount, nodeRestriction, taintNodes, alwaysPull, podSecurity, nodeSelector,
	priority, defaultTolerations, podTolerations, resourceTolerations, defaultStorageClass, storageProtection, ownerPermissions, claimResize, runtimeClass, certificateApproval, certificateSigning, certificateSubject,
	defaultIngressClass, denyExternalIPs, topologyLabels, podResize, resourceQuota,
}

var (
	namespaces        = schema.GroupResource{Resource: "namespaces"}
	pods              = schema.GroupResource{Resource: "pods"}
	nodes             = schema.GroupResource{Resource: "nodes"}
	services          = schema.GroupResource{Resource: "services"}
	claims            = schema.GroupResource{Resource: "persistentvolumeclaims"}
	volumes           = schema.GroupResource{Resource: "persistentvolumes"}
	accounts          = schema.GroupResource{Resource: "serviceaccounts"}
	ingress           = schema.GroupResource{Group: "networking.k8s.io", Resource: "ingresses"}
	attributesClasses = schema.GroupResource{Group: "storage.k8s.io", Resource: "volumeattributesclasses"}
	priorityClasses   = schema.GroupResource{Group: "scheduling.k8s.io", Resource: "priorityclasses"}
	deviceClaims      = schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"}
	certificates      = schema.GroupResource{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}
)

// request is what a plugin works on.
type request struct {
	*run.Chain
	// object is a copy that the plugin may change, in the validating phase only its own fields; nil
	// for a DELETE.
	object map[string]any
	// proven says that the request was captured on its way through a server: what
	// it refers to existed there, whatever the cluster text has.
	proven bool
	// podSecurity configures Pod Security.
	podSecurity *serverconfig.PodSecurity
	// needQuota are the resources that need a quota.
	needQuota []serverconfig.Limited
	// reason says what the plugin did or why it did nothing.
	reason string
	// idle says that the plugin found nothing that concerns it.
	idle     bool
	notes    []report.Note
	warnings []string
}

// nothing ends a plugin that found nothing which concerns it.
func (r *request) nothing(reason string) error {
	r.idle, r.reason = true, reason
	return nil
}

// Admit runs the mutating part of all plugins and returns the server's
// rejection, if any.
func (s Set) Admit(c *run.Chain) *apierrors.StatusError {
	t := turn{phase: report.Mutating}
	s.unrestricted(c)
	for _, p := range s.plugins {
		if p.admit == nil || s.captured && !s.chosen {
			continue
		}
		if status := s.run(p, c, &t, p.resources, p.admit); status != nil {
			return status
		}
	}
	return nil
}

// Validate runs the validating part of all plugins that come before the
// policies. step is the one that denied.
func (s Set) Validate(c *run.Chain) (status *apierrors.StatusError, step *report.Step) {
	return s.validate(c, false)
}

// ValidateLast runs what comes after the policies and webhooks.
func (s Set) ValidateLast(c *run.Chain) (status *apierrors.StatusError, step *report.Step) {
	return s.validate(c, true)
}

func (s Set) validate(c *run.Chain, last bool) (status *apierrors.StatusError, step *report.Step) {
	t := turn{phase: report.Validating}
	for _, p := range s.plugins {
		if p.validate == nil || p.last != last {
			continue
		}
		if status := s.run(p, c, &t, p.validates, p.validate); status != nil {
			return status, c.Last()
		}
	}
	return nil, nil
}

// turn is a phase in which one plugin runs after the other, with what each has for itself.
type turn struct {
	phase report.Phase
	*request
	step *report.Step
	// validated is what all plugins that validate get.
	validated map[string]any
}

// next gives a plugin a request and a step. It may keep neither.
func (t *turn) next(r request, s report.Step) {
	if t.request == nil {
		t.request, t.step = new(request), new(report.Step)
	}
	*t.request, *t.step = r, s
}

// untouched is a field of containers that no plugin changes, and that may be long: its
// value is shared by the copies of an object.
const untouched = "env"

// objectOf is the object that a plugin gets. What validates changes nothing, but asks for a spec or
// metadata that is made where there is none.
func (t *turn) objectOf(object map[string]any) map[string]any {
	if t.phase != report.Validating {
		return copied(object)
	}
	if t.validated == nil {
		t.validated = maps.Clone(object)
	}
	return t.validated
}

// copied is a copy of an object in which plugins may change anything else.
func copied(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	return copiedValue(object).(map[string]any)
}

func copiedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			if _, list := item.([]any); !list || key != untouched {
				item = copiedValue(item)
			}
			out[key] = item
		}
		return out
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = copiedValue(item)
		}
		return out
	}
	return v
}

// run runs one part of a plugin and adds its step. A plugin that the scenario
// does not name leaves none when nothing concerns it, or when it changes nothing
// in the second pass.
func (s Set) run(p plugin, c *run.Chain, t *turn, resources []schema.GroupResource, part func(*request) error) *apierrors.StatusError {
	phase := t.phase
	if !p.handles(&c.Attributes, resources) {
		if phase == report.Mutating && s.named(p.name) {
			c.AddStep(report.Step{Phase: phase, Pass: c.Pass, Kind: Kind, Policy: p.name, Status: report.NotMatched, Reason: p.handled(resources)})
		}
		return nil
	}
	t.next(request{Chain: c, object: t.objectOf(c.Attributes.Object), proven: s.captured && !s.chosen, podSecurity: s.podSecurity, needQuota: s.needQuota},
		report.Step{Phase: phase, Pass: c.Pass, Kind: Kind, Policy: p.name})
	r, step := t.request, t.step
	c.Enter(step)
	err := part(r)
	var changes []report.PatchOperation
	if phase == report.Mutating && !p.refusesOnly && r.object != nil && err == nil {
		changes = diff.Objects(c.Attributes.Object, r.object)
		step.Before, step.After, step.Diff = c.Attributes.Object, r.object, changes
		c.Attributes.Object = r.object
	}
	step.Notes = append(step.Notes, r.notes...)
	again := c.IsReinvoke() && phase == report.Mutating && len(changes) == 0
	if err == nil && (r.idle || again) && !s.named(p.name) && len(step.Notes) == 0 {
		return nil
	}
	step.Status, step.Verdict, step.Warnings = report.Evaluated, report.Admit, r.warnings
	if step.Reason = r.reason; step.Reason == "" {
		step.Reason = "nothing to do"
	}
	if len(changes) > 0 {
		step.Verdict = report.Mutate
	}
	if err != nil {
		status := r.refusal(err)
		step.Verdict, step.Error, step.Reason = report.Deny, status.ErrStatus.Message, "the plugin rejects the request"
		c.AddStep(*step)
		return status
	}
	c.AddStep(*step)
	return nil
}

// refusal is the server's answer for a plugin's error: the plugin's own status,
// or the standard rejection of the request.
func (r *request) refusal(err error) *apierrors.StatusError {
	if status, own := err.(*apierrors.StatusError); own { // not one that is wrapped: that is a reason like any other
		return status
	}
	return r.Forbidden(err)
}

// warn adds a warning header of the answer.
func (r *request) warn(text string) {
	r.warnings = append(r.warnings, text)
	r.Warn(text)
}

// handles reports whether a plugin has anything to do with a request.
func (p plugin) handles(a *run.Attributes, resources []schema.GroupResource) bool {
	return (resources == nil || slices.Contains(resources, a.Resource.GroupResource())) && slices.Contains(p.operations, a.Operation) &&
		(a.SubResource == "" || slices.Contains(p.subresources, a.SubResource) || slices.Contains(p.subresources, "*")) &&
		(a.Object != nil || a.Operation == "DELETE")
}

// handled says which requests the plugin handles.
func (p plugin) handled(resources []schema.GroupResource) string {
	var names []string
	for _, r := range resources {
		names = append(names, r.Resource)
	}
	return "the plugin handles only " + strings.Join(p.operations, " and ") + " of " + strings.Join(names, " and ")
}

// spec is the object's spec, made if it is not there.
func (r *request) spec() map[string]any { return untyped.Child(r.object, "spec") }

// oldSpec is the spec of the old object, empty if it is not there.
func (r *request) oldSpec() map[string]any {
	spec, _ := r.Attributes.OldObject["spec"].(map[string]any)
	return spec
}

func (r *request) metadata() map[string]any { return untyped.Child(r.object, "metadata") }
