package install

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Plausible looks in what the server accepted for rules and selectors that it
// will never find anything with: resources of another group, a kind in place of a
// resource, a label that no namespace has. kinds are those of the cluster,
// objects are its documents.
func (r *Result) Plausible(kinds *catalog.Catalog, objects []*scenario.Document) []diag.Diagnostic {
	p := plausible{in: &installer{texts: &documents.Set{Resources: kinds.Kinds()}}, names: map[string]bool{}, labels: map[string]map[string][]*scenario.Document{}}
	p.known(objects)
	constraints := func(d *scenario.Document, path string, m *v1.MatchResources) {
		if m == nil {
			return
		}
		at := fieldpath.Parse(path)
		for i := range m.ResourceRules {
			p.rule(d, at.Child("resourceRules").Index(i), &m.ResourceRules[i].RuleWithOperations)
		}
		for i := range m.ExcludeResourceRules {
			p.idle(d, at.Child("excludeResourceRules").Index(i), &m.ExcludeResourceRules[i].RuleWithOperations)
		}
		p.namespaces(d, at.Child("namespaceSelector"), m.NamespaceSelector)
	}
	for _, x := range r.ValidatingPolicies {
		constraints(x.Document, "spec.matchConstraints", x.Object.Spec.MatchConstraints)
		p.paramKind(x.Document, x.Object.Spec.ParamKind)
	}
	for _, x := range r.MutatingPolicies {
		constraints(x.Document, "spec.matchConstraints", x.Object.Spec.MatchConstraints)
		p.paramKind(x.Document, x.Object.Spec.ParamKind)
	}
	for _, x := range r.ValidatingBindings {
		constraints(x.Document, "spec.matchResources", x.Object.Spec.MatchResources)
	}
	for _, x := range r.MutatingBindings {
		constraints(x.Document, "spec.matchResources", x.Object.Spec.MatchResources)
	}
	for _, x := range r.ValidatingWebhooks {
		p.webhooks(x.Document, asMutating(x.Object.Webhooks))
	}
	for _, x := range r.MutatingWebhooks {
		p.webhooks(x.Document, x.Object.Webhooks)
	}
	return p.in.Diagnostics
}

type plausible struct {
	in *installer
	// names are those of the namespaces, labels the keys of their labels, with the documents
	// that have a value, by the value.
	names  map[string]bool
	labels map[string]map[string][]*scenario.Document
}

// wellKnown are namespaces that every cluster has.
var wellKnown = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// known collects what the cluster's namespaces are called and labelled with.
func (p *plausible) known(objects []*scenario.Document) {
	for _, name := range wellKnown {
		p.names[name] = true
	}
	for _, d := range objects {
		if d.Kind != "Namespace" {
			continue
		}
		p.names[d.Name] = true
		set := fieldpath.As[map[string]any](fieldpath.New("metadata", "labels").Get(d.Value))
		for key, value := range set {
			if p.labels[key] == nil {
				p.labels[key] = map[string][]*scenario.Document{}
			}
			if text, ok := value.(string); ok {
				p.labels[key][text] = append(p.labels[key][text], d)
			}
		}
	}
}

func (p *plausible) webhooks(d *scenario.Document, list []v1.MutatingWebhook) {
	for i, w := range list {
		at := fieldpath.New("webhooks").Index(i)
		for j := range w.Rules {
			p.rule(d, at.Child("rules").Index(j), &w.Rules[j])
		}
		p.namespaces(d, at.Child("namespaceSelector"), w.NamespaceSelector)
	}
}

// rule compares a rule with one that names built-in resources as the API does.
func (p *plausible) rule(d *scenario.Document, at fieldpath.Path, r *v1.RuleWithOperations) {
	groups, versions := p.groups(r.APIGroups), p.versions(r.APIVersions)
	resources, found := p.resources(r.Resources)
	if g, v, ok := common(found); ok && !slices.Contains(groups, "*") && p.noneIn(found, groups) {
		groups = []string{g}
		served := slices.ContainsFunc(slices.Concat(found...), func(r catalog.Resource) bool { return slices.Contains(versions, r.GVR.Version) })
		if !slices.Contains(versions, "*") && !served {
			versions = []string{v}
		}
	}
	if v, ok := servedVersion(found, groups, versions); ok {
		versions = []string{v}
	}
	m := p.in.texts.Of(d)
	var edits []documents.Edit
	var wrong, now []string
	for _, f := range []struct {
		name      string
		was, want []string
	}{{"apiGroups", r.APIGroups, groups}, {"apiVersions", r.APIVersions, versions}, {"resources", r.Resources, resources}} {
		if reflect.DeepEqual(f.was, f.want) {
			continue
		}
		words := make([]string, len(f.want))
		for i, w := range f.want {
			words[i] = scenario.Scalar(w)
		}
		value := "[" + strings.Join(words, ", ") + "]"
		edits = append(edits, m.ToRewrite(at.Child(f.name).String(), value))
		wrong = append(wrong, f.name)
		now = append(now, f.name+": "+value)
	}
	if len(wrong) == 0 {
		if !p.scope(d, at, r, found) {
			p.idle(d, at, r)
		}
		return
	}
	path := at.Child(wrong[0]).String()
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), "no resource of the API fits this rule",
		fmt.Sprintf("Write groups without a version, the core group as an empty string, and resources as the plural in lower case. Probably meant: %s.", strings.Join(now, ", ")))
	out.Path, out.Fixes = path, documents.Fix("Change to "+strings.Join(now, ", "), edits...)
}

// groups takes the version off a group, and names the core group as the API does.
func (p *plausible) groups(list []string) []string {
	out := slices.Clone(list)
	for i, g := range list {
		group, version, slash := strings.Cut(g, "/")
		switch {
		case slash && documents.IsVersion(version):
			out[i] = group
		case (g == "core" || documents.IsVersion(g)) && !p.has(func(r catalog.Resource) bool { return r.GVR.Group == g }):
			out[i] = ""
		}
		if at := strings.LastIndexByte(g, '.'); at > 0 && documents.IsVersion(g[at+1:]) && p.has(func(r catalog.Resource) bool { return r.GVR.Group == g[:at] }) {
			out[i] = g[:at]
		}
		if out[i] == "core" {
			out[i] = ""
		}
	}
	return out
}

// versions takes the group off a version.
func (p *plausible) versions(list []string) []string {
	out := slices.Clone(list)
	for i, v := range list {
		if _, version, slash := strings.Cut(v, "/"); slash && documents.IsVersion(version) {
			out[i] = version
		}
	}
	return out
}

// resources names resources as the API does; found are those that it has, by the
// index in the list.
func (p *plausible) resources(list []string) (out []string, found [][]catalog.Resource) {
	list = separated(list)
	out = slices.Clone(list)
	for i, entry := range list {
		name, sub, slash := strings.Cut(entry, "/")
		if name == "*" || name == "" {
			found = append(found, nil)
			continue
		}
		matches := p.named(func(r catalog.Resource) bool { return r.GVR.Resource == name })
		if inGroup := p.named(func(r catalog.Resource) bool { return slash && r.GVR.Group == name && r.GVR.Resource == sub }); len(matches) == 0 && len(inGroup) > 0 {
			matches, out[i] = inGroup, sub // the group is not a part of the resource
		} else if len(matches) == 0 {
			bare, group, dot := strings.Cut(name, ".")
			if of := p.named(func(r catalog.Resource) bool { return r.GVR.Resource == bare && r.Subresources[group].Kind != "" }); dot && !slash && len(of) > 0 {
				out[i] = bare + "/" + group
				found = append(found, of)
				continue
			}
			matches = p.named(func(r catalog.Resource) bool {
				if dot && r.GVR.Group != group {
					return false
				}
				return strings.EqualFold(r.GVK.Kind, bare) || strings.EqualFold(r.GVR.Resource, bare) || fits(bare, r.GVR.Resource) || r.Builtin && catalog.ShortNames[strings.ToLower(bare)] == r.GVR.Resource
			})
			if len(matches) > 0 && sameResource(matches) {
				out[i] = matches[0].GVR.Resource
				if slash {
					out[i] += "/" + sub
				}
			}
		}
		found = append(found, matches)
	}
	return out, found
}

// separated divides entries that hold several resources: "pods, deployments". No resource has
// a comma or a blank in its name.
func separated(list []string) []string {
	var out []string
	for _, entry := range list {
		words := strings.FieldsFunc(entry, func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '|' })
		if len(words) == 0 {
			words = []string{entry}
		}
		out = append(out, words...)
	}
	return out
}

// paramKind looks for a kind of params that is written as the API does not have it:
// core/v1, configmap, or a group that the kind is not in.
func (p *plausible) paramKind(d *scenario.Document, k *v1.ParamKind) {
	if k == nil || p.has(func(r catalog.Resource) bool {
		return r.GVK.GroupVersion().String() == k.APIVersion && r.GVK.Kind == k.Kind
	}) {
		return
	}
	same := p.named(func(r catalog.Resource) bool {
		return strings.EqualFold(r.GVK.Kind, k.Kind) || strings.EqualFold(r.GVR.Resource, k.Kind) || r.Builtin && catalog.ShortNames[strings.ToLower(k.Kind)] == r.GVR.Resource
	})
	if len(same) == 0 {
		p.unusedParamKind(d, k)
		return
	}
	best := same[0]
	for _, r := range same {
		if r.GVK.Group != best.GVK.Group || r.GVK.Kind != best.GVK.Kind {
			return // several groups have the kind
		}
		if r.GVK.GroupVersion().String() == k.APIVersion {
			best = r
		}
	}
	m, apiVersion := p.in.texts.Of(d), best.GVK.GroupVersion().String()
	title, path := "Change to "+apiVersion, "spec.paramKind.apiVersion"
	edits := []documents.Edit{}
	if apiVersion != k.APIVersion {
		edits = append(edits, m.ToRewrite("spec.paramKind.apiVersion", apiVersion))
	}
	if best.GVK.Kind != k.Kind {
		title, path = strings.TrimPrefix(title+", "+best.GVK.Kind, "Change to "+k.APIVersion+", "), "spec.paramKind.kind"
		if apiVersion == k.APIVersion {
			title = "Change to " + best.GVK.Kind
		}
		edits = append(edits, m.ToRewrite("spec.paramKind.kind", best.GVK.Kind))
	}
	out := p.in.report(d, codes.InvalidParamKind, diag.Warning, d.Locate(path), fmt.Sprintf("the API has no kind %s %s", k.APIVersion, k.Kind),
		fmt.Sprintf("The server accepts the policy and fails at run time, because the resource does not exist. Probably meant: %s %s.", apiVersion, best.GVK.Kind))
	out.Path, out.Fixes = path, documents.Fix(title, edits...)
}

// fits reports whether a resource has a name like deploy*, of which the API knows
// only the * alone.
func fits(pattern, resource string) bool {
	ok, err := path.Match(strings.ToLower(pattern), resource)
	return err == nil && ok && strings.Contains(pattern, "*")
}

func (p *plausible) named(fits func(catalog.Resource) bool) []catalog.Resource {
	var out []catalog.Resource
	for _, r := range p.in.texts.Resources {
		if fits(r) && (r.Served || !r.Builtin) {
			out = append(out, r)
		}
	}
	return out
}

func (p *plausible) has(fits func(catalog.Resource) bool) bool { return len(p.named(fits)) > 0 }

// sameResource reports whether resources have one name.
func sameResource(list []catalog.Resource) bool {
	return !slices.ContainsFunc(list, func(r catalog.Resource) bool { return r.GVR.Resource != list[0].GVR.Resource })
}

// common is the group and version that all resources of a rule are in, if each is
// in exactly one group.
func common(found [][]catalog.Resource) (group, version string, ok bool) {
	for i, list := range found {
		if len(list) == 0 {
			return "", "", false
		}
		for _, r := range list {
			if r.GVR.Group != list[0].GVR.Group {
				return "", "", false
			}
		}
		if i > 0 && list[0].GVR.Group != group {
			return "", "", false
		}
		group, version = list[0].GVR.Group, list[0].GVR.Version
	}
	return group, version, len(found) > 0
}

// servedVersion is the version of the resources of a rule that names their one group and no
// version in which any of them is served.
func servedVersion(found [][]catalog.Resource, groups, versions []string) (string, bool) {
	version := ""
	for _, list := range found {
		if len(list) == 0 || len(groups) != 1 || slices.Contains(versions, "*") {
			return "", false
		}
		of := ""
		for _, r := range list {
			if r.GVR.Group != groups[0] {
				continue
			}
			if !r.Builtin || slices.Contains(versions, r.GVR.Version) {
				return "", false
			}
			if of == "" {
				of = r.GVR.Version
			}
		}
		if of == "" || version != "" && of != version {
			return "", false
		}
		version = of
	}
	return version, version != ""
}

// noneIn says that no resource is in one of the groups.
func (p *plausible) noneIn(found [][]catalog.Resource, groups []string) bool {
	for _, list := range found {
		for _, r := range list {
			if slices.Contains(groups, r.GVR.Group) {
				return false
			}
		}
	}
	for _, g := range groups { // who names a group that we do not know has reasons
		if !p.has(func(r catalog.Resource) bool { return r.GVR.Group == g }) && g != "extensions" && !nearGroup(g, found[0][0].GVR.Group) {
			return false
		}
	}
	return true
}

// nearGroup reports whether a group that the API does not have is another one misspelled, or
// without its end: networking for networking.k8s.io.
func nearGroup(got, group string) bool {
	if strings.HasPrefix(group, got+".") {
		return true
	}
	_, ok := suggest.Of([]string{group}, got)
	return ok
}

// nameLabels are labels that people take for the name of a namespace.
var nameLabels = []string{"name", "namespace", "metadata.name", "kubernetes.io/name", "kubernetes.io/metadata", "kubernetes.io/metadata-name"}

// namespaces looks for selectors by a label that was meant to be the name of a
// namespace; the server sets kubernetes.io/metadata.name.
func (p *plausible) namespaces(d *scenario.Document, at fieldpath.Path, s *metav1.LabelSelector) {
	if s == nil {
		return
	}
	p.nearLabels(d, at, s)
	const label = "kubernetes.io/metadata.name"
	for _, name := range nameLabels {
		if p.labels[name] != nil {
			continue
		}
		field := strings.Contains(name, "metadata") // which nobody sets as a label
		if value, ok := s.MatchLabels[name]; ok && (field || p.names[value]) {
			path := at.Child("matchLabels").Key(name).String()
			out := p.in.report(d, codes.UnlikelySelector, diag.Warning, d.LocateKey(path), fmt.Sprintf("Kubernetes sets no label %q on namespaces", name),
				fmt.Sprintf("It sets the label %s to the name of the namespace.", label))
			out.Path, out.Fixes = path, documents.Fix("Change to "+label, p.in.texts.Of(d).ToRename(path, label))
		}
		for i, e := range s.MatchExpressions {
			if e.Key != name || !field && !slices.ContainsFunc(e.Values, func(v string) bool { return p.names[v] }) {
				continue
			}
			path := at.Child("matchExpressions").Index(i).Child("key").String()
			out := p.in.report(d, codes.UnlikelySelector, diag.Warning, d.Locate(path), fmt.Sprintf("Kubernetes sets no label %q on namespaces", name),
				fmt.Sprintf("It sets the label %s to the name of the namespace.", label))
			out.Path, out.Fixes = path, documents.Fix("Change to "+label, p.in.texts.Of(d).ToRewrite(path, label))
		}
	}
}
