package install

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// idle looks for resources of a rule that no request is about: no group of the rule has them, they
// have no such subresource, or the server has no such operation for them. A group that the server
// does not have by itself may be that of a definition that is not given, so nothing is said of it.
func (p *plausible) idle(d *scenario.Document, at fieldpath.Path, r *v1.RuleWithOperations) {
	for i, entry := range r.Resources {
		path := at.Child("resources").Index(i).String()
		name, sub, slash := strings.Cut(entry, "/")
		if name == "*" && !slash {
			p.idleOperations(d, at, r, path, entry, mainOperations)
			continue
		}
		if name == "*" || slices.ContainsFunc(r.APIGroups, func(g string) bool { return !p.ownGroup(g) }) {
			continue
		}
		found := p.named(func(of catalog.Resource) bool {
			return of.GVR.Resource == name && slices.Contains(r.APIGroups, of.GVR.Group)
		})
		switch {
		case len(found) == 0:
			p.noResource(d, path, r, name, sub, slash)
		case policyOfAPI(d) && !slices.ContainsFunc(found, func(of catalog.Resource) bool { return !match.NeverForPolicies(of.GVR.GroupResource()) }):
			p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), "the server evaluates no policy for "+name,
				"A policy cannot keep policies, bindings and the server's own questions about rights from being sent. Webhooks are called for some of them.").Path = path
		case !slices.Contains(r.APIVersions, "*") && !p.knownVersion(found, r.APIVersions):
			p.noVersion(d, at, r, entry, found)
		case r.Scope != nil && *r.Scope != v1.AllScopes && !slices.ContainsFunc(found, func(of catalog.Resource) bool { return of.Namespaced == (*r.Scope == v1.NamespacedScope) }):
			p.outOfScope(d, at, path, name, found[0].Namespaced)
		case slash && sub != "*" && !slices.ContainsFunc(found, func(of catalog.Resource) bool { return hasSubresource(of, sub) }):
			p.noSubresource(d, path, name, sub, found)
		case sub != "*":
			p.idleOperations(d, at, r, path, entry, operationsOf(name, sub))
		}
	}
}

// policyOfAPI reports whether a document is a policy or a binding, and not one from the server's own files, which has
// fewer exemptions.
func policyOfAPI(d *scenario.Document) bool {
	return !strings.HasSuffix(d.Kind, "WebhookConfiguration") && !strings.HasSuffix(d.Name, serverconfig.Suffix)
}

// ownGroup reports whether a group is one of the server itself.
func (p *plausible) ownGroup(group string) bool {
	return slices.ContainsFunc(p.in.texts.Resources, func(r catalog.Resource) bool { return r.Builtin && r.GVR.Group == group })
}

// knownVersion reports whether the server knows one of the resources in one of the versions, whether it
// serves it or not.
func (p *plausible) knownVersion(found []catalog.Resource, versions []string) bool {
	return slices.ContainsFunc(p.in.texts.Resources, func(r catalog.Resource) bool {
		return slices.Contains(versions, r.GVR.Version) && slices.ContainsFunc(found, func(of catalog.Resource) bool { return of.GVR.GroupResource() == r.GVR.GroupResource() })
	})
}

// subresourcesWithoutObject are those of Pods that have no kind of their own in the catalogue.
var subresourcesWithoutObject = []string{"log"}

func hasSubresource(r catalog.Resource, sub string) bool {
	_, has := r.Subresources[sub]
	return has || slices.Contains(subresourcesWithoutObject, sub) && r.GVR.Resource == "pods"
}

func (p *plausible) noResource(d *scenario.Document, path string, r *v1.RuleWithOperations, name, sub string, slash bool) {
	groups := make([]string, len(r.APIGroups))
	for i, g := range r.APIGroups {
		if groups[i] = g; g == "" {
			groups[i] = "the core group"
		}
	}
	var names []string
	for _, of := range p.named(func(of catalog.Resource) bool { return slices.Contains(r.APIGroups, of.GVR.Group) }) {
		names = append(names, of.GVR.Resource)
	}
	detail := "The rule never matches because of it."
	others := p.named(func(of catalog.Resource) bool { return of.GVR.Resource == name })
	if len(others) > 0 {
		detail = fmt.Sprintf("%s is in group %s.", name, others[0].GVR.Group)
		if others[0].GVR.Group == "" {
			detail = name + " is in the core group."
		}
	}
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), fmt.Sprintf("%s has no resource %s", strings.Join(groups, ", "), name), detail)
	out.Path = path
	if near, ok := suggest.Of(names, name); ok && len(others) == 0 {
		if slash {
			near += "/" + sub
		}
		out.Fixes = documents.Fix("Change to "+near, p.in.texts.Of(d).ToRewrite(path, scenario.Scalar(near)))
	}
}

func (p *plausible) noVersion(d *scenario.Document, at fieldpath.Path, r *v1.RuleWithOperations, entry string, found []catalog.Resource) {
	path := at.Child("apiVersions").String()
	var served []string
	for _, of := range found {
		if !slices.Contains(served, of.GVR.Version) {
			served = append(served, of.GVR.Version)
		}
	}
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), fmt.Sprintf("the server has no %s in version %s", entry, strings.Join(r.APIVersions, ", ")),
		fmt.Sprintf("It serves %s.", strings.Join(served, ", ")))
	out.Path, out.Fixes = path, documents.Fix("Change to ["+strings.Join(served, ", ")+"]", p.in.texts.Of(d).ToRewrite(path, "["+strings.Join(served, ", ")+"]"))
}

// outOfScope reports a resource that the scope of its rule excludes.
func (p *plausible) outOfScope(d *scenario.Document, at fieldpath.Path, path, name string, namespaced bool) {
	scope, where := "Namespaced", "in no namespace"
	if namespaced {
		scope, where = "Cluster", "in namespaces"
	}
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), "scope "+scope+" excludes "+name+", which are "+where, "The rule matches no request for them. The scope * has both.")
	out.Path, out.Fixes = path, documents.Fix("Change the scope to *", p.in.texts.Of(d).ToRewrite(at.Child("scope").String(), "'*'"))
}

func (p *plausible) noSubresource(d *scenario.Document, path, name, sub string, found []catalog.Resource) {
	have := slices.Sorted(maps.Keys(found[0].Subresources))
	detail := fmt.Sprintf("%s has no subresources.", name)
	if len(have) > 0 {
		detail = fmt.Sprintf("It has %s.", strings.Join(have, ", "))
	}
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), fmt.Sprintf("%s has no subresource %s", name, sub), detail)
	out.Path = path
	if near, ok := suggest.Of(have, sub); ok {
		out.Fixes = documents.Fix("Change to "+name+"/"+near, p.in.texts.Of(d).ToRewrite(path, scenario.Scalar(name+"/"+near)))
	}
}

// mainOperations are those of a resource, apart from its subresources.
var mainOperations = []string{"CREATE", "UPDATE", "DELETE"}

// operationsOf are the operations that the server has for a resource or subresource.
func operationsOf(name, sub string) []string {
	switch sub {
	case "":
		if strings.HasSuffix(name, "reviews") || name == "bindings" {
			return []string{"CREATE"}
		}
		return mainOperations
	case "exec", "attach", "portforward", "proxy":
		return []string{"CONNECT"}
	case "binding", "eviction", "token":
		return []string{"CREATE"}
	case "log":
		return nil
	}
	return []string{"UPDATE"}
}

func (p *plausible) idleOperations(d *scenario.Document, at fieldpath.Path, r *v1.RuleWithOperations, path, entry string, has []string) {
	if slices.ContainsFunc(r.Operations, func(o v1.OperationType) bool {
		return o == v1.OperationAll && len(has) > 0 || slices.Contains(has, string(o))
	}) {
		return
	}
	words := make([]string, len(r.Operations))
	for i, o := range r.Operations {
		words[i] = string(o)
	}
	detail := "It is only read, and reads do not go through admission."
	if len(has) > 0 {
		detail = fmt.Sprintf("Its requests have the operation %s.", strings.Join(has, " or "))
	}
	if entry == "*" {
		entry, detail = "a resource itself", "Only subresources such as pods/exec have it: write */* to match them."
	}
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), fmt.Sprintf("no request has the operation %s on %s", strings.Join(words, " or "), entry), detail)
	out.Path = path
	if len(has) == 1 && len(r.Resources) == 1 {
		out.Fixes = documents.Fix("Change to operations: ["+has[0]+"]", p.in.texts.Of(d).ToRewrite(at.Child("operations").String(), "["+has[0]+"]"))
	}
}
