package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
)

// rests writes down what a server checks about the request and was checked, and what was not
// although the answer depends on it. Nobody's rights are in question where no user is named.
func rests(e *evaluate.Evaluation) {
	r := e.Report
	r.Checked, r.NotChecked = nil, nil
	asked := func(what, detail string) { r.Checked = append(r.Checked, report.Check{What: what, Detail: detail}) }
	missed := func(what, why string) { r.NotChecked = append(r.NotChecked, report.Check{What: what, Detail: why}) }
	a := &e.Chain.Attributes
	kind := a.Kind.Kind
	switch why := e.Unauthorized(); {
	case why == "":
		asked("authorization", "")
	case e.AdmissionOnly():
		missed("everything except admission", "the settings select admission only")
	case !e.Form.Authorized && !e.Form.MadeUpUser && !slices.Contains(a.User.GetGroups(), user.SystemPrivilegedGroup):
		missed("whether "+cmp.Or(a.User.GetName(), "the user")+" may "+evaluate.Verbs[a.Operation][0]+" "+resourceOf(a), why)
	}
	ran := ran(e)
	for _, group := range []struct{ name, one, many string }{{"policy", "policy", "policies"}, {"webhook", "webhook", "webhooks"}} {
		if names := ran.names(group.name); len(names) > 0 {
			asked(report.Plural(len(names), group.one, group.many), strings.Join(names, ", "))
		}
	}
	if slices.Contains(ran.names(evaluate.ServerKind), "escalation") {
		asked("rights that the "+kind+" gives", "")
	} else if e.Stored && a.Resource.Group == "rbac.authorization.k8s.io" && a.Operation != request.Delete && !e.AdmissionOnly() {
		if !e.Form.Authorized {
			missed("whether the user has the rights that the "+kind+" gives", "the request names no user")
		} else if !slices.Contains(a.User.GetGroups(), user.SystemPrivilegedGroup) {
			missed("whether "+cmp.Or(a.User.GetName(), "the user")+" has the rights that the "+kind+" gives", "the cluster has no roles")
		}
	}
	if !slices.Contains(ran.names(plugins.Kind), plugins.OwnerPermissions) {
		finalizersOfOwners(e)
	}
	if slices.Contains(ran.names(plugins.Kind), "PodSecurity") {
		asked("Pod Security", "")
	}
	if others := slices.DeleteFunc(ran.names(plugins.Kind), func(name string) bool { return name == "PodSecurity" }); len(others) > 0 {
		asked(report.Plural(len(others), "built-in plugin"), strings.Join(others, ", "))
	}
	if len(ran.names(crd.Kind)) > 0 {
		asked("schema and rules of "+kind, "")
	}
	if e.Validated.Metadata {
		asked("metadata of "+kind, "")
	}
	if e.Validated.Complete {
		asked("API validation of the "+kind, validatedBy(e))
	}
	unchecked(e, kind, missed)
	for _, name := range ran.names("assumed") {
		missed("webhook "+name, "the cluster has no WebhookResponse for it")
	}
}

// finalizersOfOwners says that the plugin OwnerReferencesPermissionEnforcement does not run, where it
// would have something to check. Controllers of the control plane may do what it asks for.
func finalizersOfOwners(e *evaluate.Evaluation) {
	a := &e.Chain.Attributes
	if a.Operation != request.Create && a.Operation != request.Update || a.SubResource != "" ||
		strings.HasPrefix(a.User.GetName(), "system:serviceaccount:kube-system:") || slices.Contains(a.User.GetGroups(), user.SystemPrivilegedGroup) {
		return
	}
	was := blocking(a.OldObject)
	for _, uid := range blocking(a.Object) {
		if !slices.Contains(was, uid) {
			e.Chain.NotSimulated("An owner reference has blockOwnerDeletion. A server with the plugin OwnerReferencesPermissionEnforcement, which is off by default, checks whether the user may update the owner's finalizers.")
		}
	}
}

// blocking are the owners whose deletion an object blocks.
func blocking(object map[string]any) (uids []any) {
	for _, owner := range untyped.Items(untyped.Sub(object, "metadata")["ownerReferences"]) {
		if owner["blockOwnerDeletion"] == true {
			uids = append(uids, owner["uid"])
		}
	}
	return uids
}

// resourceOf is the resource of a request as in a role, such as pods/exec.
func resourceOf(a *run.Attributes) string {
	if a.SubResource == "" {
		return a.Resource.Resource
	}
	return a.Resource.Resource + "/" + a.SubResource
}

// validatedBy says whose code validated the object, where that is of another release.
func validatedBy(e *evaluate.Evaluation) string {
	if e.Registered == nil || e.Version == version.Newest() {
		return ""
	}
	return fmt.Sprintf("by the code of Kubernetes %s with the defaults of %s; %s may word it differently", version.Newest(), e.Registered.Release, e.Version)
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

func ran(e *evaluate.Evaluation) ranNames {
	var ran ranNames
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
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
func unchecked(e *evaluate.Evaluation, kind string, missed func(what, why string)) {
	a := &e.Chain.Attributes
	if e.Stored && a.Operation == request.Update && a.Kind.GroupKind() == crd.GroupKind {
		for _, path := range unestablished(a.Object, a.OldObject) {
			missed("change of "+path, "the stored definition has no condition Established, which a server sets right after creation; then this change is rejected")
		}
	}
	resource, known := e.Catalog.ResourceFor(a.Resource)
	switch {
	case e.AdmissionOnly() || !e.Stored || e.Validated.Complete || a.Operation != request.Create && a.Operation != request.Update:
	case !known:
		missed("schema of "+kind, "the cluster has no CustomResourceDefinition for it")
	case resource.Builtin && a.Kind.GroupKind() != crd.GroupKind && e.Store.Registry == nil:
		missed("API validation of the "+kind, "the program runs without package storage, which has the server's code for it")
	case resource.Builtin && a.Kind.GroupKind() != crd.GroupKind:
		why := "the server's code for it is not part of Preadmit"
		if late, ok := e.Store.Registry.(registry.Late); ok {
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
