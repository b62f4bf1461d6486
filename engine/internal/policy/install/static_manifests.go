package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file is what a server does with manifest files that it does not do with what
// comes through the API (KEP-5793). It reads them when it starts; the first mistake
// keeps it from starting.

// static reports whether a document is a manifest file of the server.
func (in *installer) static(d *scenario.Document) bool {
	return in.server.Static != nil && in.server.Static(d)
}

// notLoaded reports a manifest with which the server does not start, in the words of
// its loader without the name of the file.
func (in *installer) notLoaded(d *scenario.Document, at, text string) {
	p := in.report(d, codes.StaticManifest, diag.Error, d.LocateKey(at), text,
		"The API server reads its manifest files at startup, and does not start with this one. A running server keeps the previous ones. Preadmit leaves the document out.")
	p.Path = at
	in.refused[d.Kind+"/"+d.Name] = d
}

// notDecoded reports a manifest that the strict decoder rejects: for keys that it sets
// twice, which come first, and for what else is given.
func (in *installer) notDecoded(d *scenario.Document, strict []string) {
	if twice := d.DuplicateKeysInFile(); len(twice) > 0 {
		strict = append([]string{"yaml: unmarshal errors:\n  " + strings.Join(twice, "\n  ")}, strict...)
	}
	in.notLoaded(d, "kind", "strict decoding error: "+strings.Join(strict, ", "))
}

// loaded reports whether the loader takes a manifest that has been decoded and
// checked.
func (in *installer) loaded(c *checker, object any, name string) bool {
	d := c.document
	if len(c.problems) > 0 {
		in.explain(c)
		in.notLoaded(d, "kind", fmt.Sprintf("%s %q: %s", d.Kind, name, c.errors()))
		return false
	}
	if in.accepted[d.Kind+"/"+name] != nil {
		in.notLoaded(d, "metadata.name", fmt.Sprintf("duplicate name %q found", name))
		return false
	}
	at, text := "", ""
	switch o := object.(type) {
	case *v1.ValidatingAdmissionPolicy:
		at, text = policyManifest(d.Kind, name, o.Spec.ParamKind)
	case *v1.MutatingAdmissionPolicy:
		at, text = policyManifest(d.Kind, name, o.Spec.ParamKind)
	case *v1.ValidatingAdmissionPolicyBinding:
		at, text = bindingManifest(name, o.Spec.PolicyName, o.Spec.ParamRef)
	case *v1.MutatingAdmissionPolicyBinding:
		at, text = bindingManifest(name, o.Spec.PolicyName, o.Spec.ParamRef)
	case *v1.ValidatingWebhookConfiguration:
		for i := range o.Webhooks {
			if at, text = webhookManifest(i, o.Webhooks[i].Name, name, o.Webhooks[i].ClientConfig); text != "" {
				break
			}
		}
	case *v1.MutatingWebhookConfiguration:
		for i := range o.Webhooks {
			if at, text = webhookManifest(i, o.Webhooks[i].Name, name, o.Webhooks[i].ClientConfig); text != "" {
				break
			}
		}
	}
	if text != "" {
		in.notLoaded(d, at, text)
	}
	return text == ""
}

// policyManifest is what is wrong with a policy in a manifest, and where.
func policyManifest(kind, name string, params *v1.ParamKind) (at, text string) {
	if params == nil {
		return "", ""
	}
	return "spec.paramKind", fmt.Sprintf("%s %q: spec.paramKind is not supported for static manifests", kind, name)
}

func bindingManifest(name, policy string, params *v1.ParamRef) (at, text string) {
	switch {
	case !strings.HasSuffix(policy, staticSuffix):
		return "spec.policyName", fmt.Sprintf("binding %q: spec.policyName %q must end with %q", name, policy, staticSuffix)
	case params != nil:
		return "spec.paramRef", fmt.Sprintf("binding %q: spec.paramRef is not supported for static manifests", name)
	}
	return "", ""
}

func webhookManifest(index int, webhook, configuration string, client v1.WebhookClientConfig) (at, text string) {
	at = fmt.Sprintf("webhooks[%d].clientConfig", index)
	switch {
	case client.Service != nil:
		return at + ".service", fmt.Sprintf("webhook %q in %q: clientConfig.service is not supported for static manifests; use clientConfig.url instead", webhook, configuration)
	case client.URL == nil || *client.URL == "":
		return at, fmt.Sprintf("webhook %q in %q: clientConfig.url is required for static manifests", webhook, configuration)
	}
	return "", ""
}

// boundManifests rejects bindings in manifests whose policy is in none, and leaves
// them out.
func (in *installer) boundManifests() {
	policies := map[string]bool{}
	for _, p := range in.ValidatingPolicies {
		policies[configuration.ValidatingAdmissionPolicy+"/"+p.Object.Name] = p.Static
	}
	for _, p := range in.MutatingPolicies {
		policies[configuration.MutatingAdmissionPolicy+"/"+p.Object.Name] = p.Static
	}
	in.ValidatingBindings = bound(in, in.ValidatingBindings, func(b *v1.ValidatingAdmissionPolicyBinding) (string, bool) {
		return b.Spec.PolicyName, policies[configuration.ValidatingAdmissionPolicy+"/"+b.Spec.PolicyName]
	})
	in.MutatingBindings = bound(in, in.MutatingBindings, func(b *v1.MutatingAdmissionPolicyBinding) (string, bool) {
		return b.Spec.PolicyName, policies[configuration.MutatingAdmissionPolicy+"/"+b.Spec.PolicyName]
	})
}

// bound keeps the bindings that are from the API, and those from manifests whose
// policy is there; policy gives the name of a binding's policy, and whether a
// manifest has it.
func bound[T any](in *installer, list []Installed[T], policy func(*T) (string, bool)) []Installed[T] {
	var out []Installed[T]
	for _, b := range list {
		if name, there := policy(b.Object); b.Static && !there {
			in.notLoaded(b.Document, "spec.policyName", fmt.Sprintf("binding %q references policy %q which does not exist in the manifest directory", b.Document.Name, name))
			continue
		}
		out = append(out, b)
	}
	return out
}
