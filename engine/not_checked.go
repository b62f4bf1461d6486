package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
)

// rests writes down what a server checks about the request and was checked, and what was not
// although the answer depends on it. Nobody's rights are in question where no user is named.
func (e *evaluation) rests() {
	r := e.report
	r.Checked, r.NotChecked = nil, nil
	asked := func(what, detail string) { r.Checked = append(r.Checked, report.Check{What: what, Detail: detail}) }
	missed := func(what, why string) { r.NotChecked = append(r.NotChecked, report.Check{What: what, Detail: why}) }
	a := &e.chain.Attributes
	kind := a.Kind.Kind
	switch why := e.unauthorized(); {
	case why == "":
		asked("authorization", "")
	case e.admissionOnly():
		missed("everything except admission", "the settings select admission only")
	case !e.form.captured && !e.form.madeUpUser && !slices.Contains(a.User.GetGroups(), user.SystemPrivilegedGroup):
		missed("whether "+cmp.Or(a.User.GetName(), "the user")+" may "+verbs[a.Operation][0]+" "+resourceOf(a), why)
	}
	ran := e.ran()
	for _, group := range []struct{ name, one, many string }{{"policy", "policy", "policies"}, {"webhook", "webhook", "webhooks"}} {
		if names := ran.names(group.name); len(names) > 0 {
			asked(counted(len(names), group.one, group.many), strings.Join(names, ", "))
		}
	}
	if slices.Contains(ran.names(ServerKind), "escalation") {
		asked("rights that the "+kind+" gives", "")
	} else if e.stored && a.Resource.Group == "rbac.authorization.k8s.io" && a.Operation != request.Delete && !e.form.captured && !e.admissionOnly() {
		missed("whether the user has the rights that the "+kind+" gives", "the request names no user")
	}
	if slices.Contains(ran.names(plugins.Kind), "PodSecurity") {
		asked("Pod Security", "")
	}
	if others := slices.DeleteFunc(ran.names(plugins.Kind), func(name string) bool { return name == "PodSecurity" }); len(others) > 0 {
		asked(counted(len(others), "built-in plugin", "built-in plugins"), strings.Join(others, ", "))
	}
	if len(ran.names(crd.Kind)) > 0 {
		asked("schema and rules of "+kind, "")
	}
	if e.validated.Metadata {
		asked("metadata of "+kind, "")
	}
	if e.validated.Complete {
		asked("API validation of the "+kind, e.validatedBy())
	}
	e.unchecked(kind, missed)
	for _, name := range ran.names("assumed") {
		missed("webhook "+name, "the cluster has no WebhookResponse for it")
	}
}

// resourceOf is the resource of a request as in a role, such as pods/exec.
func resourceOf(a *run.Attributes) string {
	if a.SubResource == "" {
		return a.Resource.Resource
	}
	return a.Resource.Resource + "/" + a.SubResource
}

// validatedBy says whose code validated the object, where that is of another release.
func (e *evaluation) validatedBy() string {
	if e.registered == nil || e.registered.Release == e.report.Kubernetes {
		return ""
	}
	return "with the defaults of Kubernetes " + e.registered.Release + ", the oldest that this code can be"
}

// ranNames are the names of what ran, by kind, of which there are few.
type ranNames []ofKind

type ofKind struct {
	kind  string
	names []string
	known map[string]bool // when they are many
}

func (r ranNames) names(kind string) []string {
	for i := range r {
		if r[i].kind == kind {
			return r[i].names
		}
	}
	return nil
}

// fewNames is how many names are looked through one by one.
const fewNames = 16

// add adds a name that may be there.
func (r *ranNames) add(kind, name string) {
	i := slices.IndexFunc(*r, func(x ofKind) bool { return x.kind == kind })
	if i < 0 {
		i = len(*r)
		*r = append(*r, ofKind{kind: kind})
	}
	of := &(*r)[i]
	if of.known[name] || of.known == nil && slices.Contains(of.names, name) {
		return
	}
	of.names = append(of.names, name)
	switch {
	case of.known != nil:
		of.known[name] = true
	case len(of.names) > fewNames:
		of.known = make(map[string]bool, 2*fewNames)
		for _, known := range of.names {
			of.known[known] = true
		}
	}
}

// ran are the names of what ran, by kind.
func (e *evaluation) ran() ranNames {
	var ran ranNames
	for i := range e.report.Steps {
		s := &e.report.Steps[i]
		kind, name := s.Kind, s.Policy
		switch {
		case !s.Ran():
			continue
		case s.Webhook != "" && s.Called && !s.Simulated:
			kind, name = "assumed", s.Webhook
		case s.Webhook != "":
			kind, name = "webhook", s.Webhook
		case s.OfPolicy():
			kind = "policy"
		}
		ran.add(kind, name)
	}
	return ran
}

// unchecked are the checks of the object that the server makes before the
// validating phase and that are not here.
func (e *evaluation) unchecked(kind string, missed func(what, why string)) {
	a := &e.chain.Attributes
	if e.stored && a.Operation == request.Update && a.Kind.GroupKind() == crd.GroupKind {
		for _, path := range unestablished(a.Object, a.OldObject) {
			missed("change of "+path, "the stored definition has no condition Established, which a server sets right after creation; then this change is rejected")
		}
	}
	resource, known := e.catalog.ResourceFor(a.Resource)
	switch {
	case e.admissionOnly() || !e.stored || e.validated.Complete || a.Operation != request.Create && a.Operation != request.Update:
	case !known:
		missed("schema of "+kind, "the cluster has no CustomResourceDefinition for it")
	case resource.Builtin && a.Kind.GroupKind() != crd.GroupKind && e.engine.registry == nil:
		missed("API validation of the "+kind, "the program runs without package storage, which has the server's code for it")
	case resource.Builtin && a.Kind.GroupKind() != crd.GroupKind:
		why := "the server's code for it is not part of Preadmit"
		if late, ok := e.engine.registry.(registry.Late); ok {
			why = cmp.Or(late.Missing(a.Resource.GroupResource(), a.SubResource), why)
		}
		missed("API validation of the "+kind, why)
	}
}

// unestablished are the fields of a definition that an update changes, and that no update may
// change of one that is Established (ValidateCustomResourceDefinitionUpdate in
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation). A controller of the
// server sets the condition, so a definition as its author writes it has none.
func unestablished(object, old map[string]any) (paths []string) {
	for _, condition := range untyped.Items(untyped.Sub(old, "status")["conditions"]) {
		if condition["type"] == "Established" && condition["status"] == "True" {
			return nil
		}
	}
	is, was := untyped.Sub(object, "spec"), untyped.Sub(old, "spec")
	if is["scope"] != was["scope"] {
		paths = append(paths, "spec.scope")
	}
	if untyped.Sub(is, "names")["kind"] != untyped.Sub(was, "names")["kind"] {
		paths = append(paths, "spec.names.kind")
	}
	return paths
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
