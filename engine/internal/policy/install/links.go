package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policyRef is what the checks across documents need of a policy.
type policyRef struct {
	kind, name string
	document   *scenario.Document
	paramKind  *v1.ParamKind
}

// bindingRef is what they need of a binding.
type bindingRef struct {
	document   *scenario.Document
	policyKind string
	policyName string
	paramRef   *v1.ParamRef
}

// links looks at the accepted documents together, for what the server accepts
// in silence and then does nothing with.
func (in *installer) links() {
	for i := range in.ValidatingPolicies {
		p := &in.ValidatingPolicies[i]
		p.NotEvaluated = in.duplicateVariables(p.Document, p.Object.Spec.Variables)
	}
	for i := range in.MutatingPolicies {
		p := &in.MutatingPolicies[i]
		p.NotEvaluated = in.duplicateVariables(p.Document, p.Object.Spec.Variables)
	}
	policies, bindings := in.policies(), in.bindings()
	bound := map[string]bool{}
	for _, b := range bindings {
		bound[b.policyKind+"/"+b.policyName] = true
	}
	for _, b := range bindings {
		in.binding(b, policies[b.policyKind+"/"+b.policyName], policies, bound)
	}
	for _, key := range sortedKeys(policies) {
		if p := policies[key]; !bound[key] && !in.refusedBinding(p) {
			out := in.report(p.document, codes.PolicyWithoutBinding, diag.Warning, p.document.Locate("metadata.name"),
				"no binding names this policy, so it is never evaluated",
				fmt.Sprintf("Add a %sBinding with spec.policyName %s.", p.kind, p.name))
			out.Path = "metadata.name"
			if !in.meant[key] { // else the repair is that of the binding
				out.Fixes = in.texts.Of(p.document).AddBinding(p.paramKind != nil)
			}
		}
	}
	in.emptyRules()
}

func (in *installer) policies() map[string]policyRef {
	refs := map[string]policyRef{}
	for _, p := range in.ValidatingPolicies {
		refs[configuration.ValidatingAdmissionPolicy+"/"+p.Object.Name] = policyRef{configuration.ValidatingAdmissionPolicy, p.Object.Name, p.Document, p.Object.Spec.ParamKind}
	}
	for _, p := range in.MutatingPolicies {
		refs[configuration.MutatingAdmissionPolicy+"/"+p.Object.Name] = policyRef{configuration.MutatingAdmissionPolicy, p.Object.Name, p.Document, p.Object.Spec.ParamKind}
	}
	return refs
}

func (in *installer) bindings() []bindingRef {
	var refs []bindingRef
	for _, b := range in.ValidatingBindings {
		refs = append(refs, bindingRef{b.Document, configuration.ValidatingAdmissionPolicy, b.Object.Spec.PolicyName, b.Object.Spec.ParamRef})
	}
	for _, b := range in.MutatingBindings {
		refs = append(refs, bindingRef{b.Document, configuration.MutatingAdmissionPolicy, b.Object.Spec.PolicyName, b.Object.Spec.ParamRef})
	}
	return refs
}

// binding checks one binding against the policy that it names, if there is one.
func (in *installer) binding(b bindingRef, policy policyRef, all map[string]policyRef, bound map[string]bool) {
	d := b.document
	switch {
	case policy.document == nil:
		in.noPolicy(b, all, bound)
	case policy.paramKind != nil && b.paramRef == nil:
		p := in.report(d, codes.ParamsNotBound, diag.Warning, d.LocateKey("spec"), "the binding names no params: `params` is null in every expression of "+b.policyName,
			"The policy has a paramKind. Add spec.paramRef with a name or a selector.")
		p.Path = "spec.paramRef"
		if of := in.texts.Of(policy.document); of.Has("spec.paramRef") {
			p.Fixes = of.MoveToBinding(fieldpath.New("spec", "paramRef"))
		}
		if !triesParams(d) && len(p.Fixes) == 0 {
			p.Fixes = documents.ParamRef(d, "", "")
			if !documents.ReadsParams(policy.document.Value) {
				p.Fixes = append(in.withoutParams(policy.document), p.Fixes...)
			}
		}
	case policy.paramKind == nil && b.paramRef != nil:
		p := in.report(d, codes.ParamsNotDeclared, diag.Warning, d.LocateKey("spec.paramRef"), fmt.Sprintf("paramRef has no effect: policy %s has no paramKind", b.policyName), "")
		p.Path, p.Fixes = "spec.paramRef", documents.Fix("Remove paramRef", in.texts.Of(d).ToRemove("spec.paramRef"))
	}
}

// triesParams reports whether a binding names params in a field that it does not
// have, for which there is a repair of its own.
func triesParams(d *scenario.Document) bool {
	spec, _ := d.Value["spec"].(map[string]any)
	for name := range spec {
		if strings.HasPrefix(strings.ToLower(name), "param") && name != "paramRef" {
			return true
		}
	}
	return false
}

func (in *installer) noPolicy(b bindingRef, all map[string]policyRef, bound map[string]bool) {
	d, detail := b.document, ""
	for _, key := range sortedKeys(all) {
		if p := all[key]; p.kind != b.policyKind && p.name == b.policyName {
			detail = fmt.Sprintf("A %s has that name, but this kind of binding needs a %s.", p.kind, b.policyKind)
		}
	}
	refused := in.refused[b.policyKind+"/"+b.policyName] != nil
	severity, summary := diag.Warning, fmt.Sprintf("there is no %s %q; the binding has no effect", b.policyKind, b.policyName)
	if refused { // a consequence, no mistake of its own
		severity, detail = diag.Info, ""
		summary = fmt.Sprintf("the server rejects the %s %q, so the binding has no effect", b.policyKind, b.policyName)
	}
	p := in.report(d, codes.BindingWithoutPolicy, severity, d.Locate("spec.policyName"), summary, detail)
	p.Path = "spec.policyName"
	if !refused {
		in.meantPolicy(p, b, all, bound)
	}
}

// meantPolicy adds the fix that names the policy that a binding is probably for.
func (in *installer) meantPolicy(p *diag.Diagnostic, b bindingRef, all map[string]policyRef, bound map[string]bool) {
	var policies []documents.Policy
	for _, key := range sortedKeys(all) {
		policies = append(policies, documents.Policy{Kind: all[key].kind, Name: all[key].name, Bound: bound[key]})
	}
	meant, fixes := in.texts.Of(b.document).PolicyName(b.policyKind, b.policyName, policies)
	if meant.Name == "" {
		return
	}
	in.meant[meant.Kind+"/"+meant.Name], p.Fixes = true, fixes
	if meant.Kind == b.policyKind {
		p.Detail = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", meant.Name, p.Detail))
	}
}

// duplicateVariables refuses to evaluate a policy in which two variables have
// the same name. The server accepts it, but evaluation may then recurse without
// end, which no cost limit stops (semantics §15).
func (in *installer) duplicateVariables(d *scenario.Document, variables []v1.Variable) (reason string) {
	first := map[string]int{}
	var names []string
	for i, v := range variables {
		j, twice := first[v.Name]
		if !twice {
			first[v.Name] = i
			continue
		}
		names = append(names, v.Name)
		path := fieldpath.New("spec", "variables").Index(i).Child("name").String()
		p := in.report(d, codes.DuplicateVariable, diag.Error, d.Locate(path), fmt.Sprintf("there are two variables named %q", v.Name),
			"The API server accepts this and uses the last one everywhere, even inside the first; evaluating it can crash the server. Preadmit does not evaluate the policy.")
		p.Path = path
		other := fieldpath.New("spec", "variables").Index(j).Child("name").String()
		p.Related = []diag.Related{{Text: d.Text, Span: d.Locate(other), Path: other, Summary: "the first one"}}
	}
	if names == nil {
		return ""
	}
	return "not evaluated: several variables are named " + strings.Join(names, ", ")
}

// emptyRules reports webhooks that are never called.
func (in *installer) emptyRules() {
	tell := func(d *scenario.Document, list []v1.MutatingWebhook) {
		for i, w := range list {
			if len(w.Rules) == 0 {
				path := fieldpath.New("webhooks").Index(i).Child("rules").String()
				in.report(d, codes.WebhookWithoutRules, diag.Warning, locate(d, path), fmt.Sprintf("webhook %s has no rules, so it is never called", w.Name), "").Path = path
			}
		}
	}
	for _, w := range in.ValidatingWebhooks {
		tell(w.Document, asMutating(w.Object.Webhooks))
	}
	for _, w := range in.MutatingWebhooks {
		tell(w.Document, w.Object.Webhooks)
	}
}

// refusedBinding says that a binding names a policy, but was rejected itself.
func (in *installer) refusedBinding(p policyRef) bool {
	for _, d := range in.texts.Documents {
		if d.Kind == p.kind+"Binding" && strings.Contains(d.Source()[d.Span.Start:d.Span.End], p.name) && in.refused[d.Kind+"/"+d.Name] == d {
			return true
		}
	}
	return false
}
