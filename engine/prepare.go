package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// prepared is a scenario as the cluster holds it: everything but the request.
type prepared struct {
	ctx         context.Context
	scenario    scenario.Scenario
	version     version.Version
	report      *report.Report
	catalog     *catalog.Catalog
	expressions *eval.Environments
	// objects are those of the cluster text; cluster has them with the time of
	// this evaluation, and what the request shows to exist.
	objects   []cluster.Object
	cluster   *cluster.Cluster
	matcher   *match.Matcher
	rules     *lazyRules
	responses webhook.Responses
	// customs checks the objects of the kinds that the cluster text defines.
	customs *customResources

	// plugins are the built-in ones that the scenario switches on.
	plugins plugins.Set

	mutatingPolicies   []*mutate.Policy
	validatingPolicies []*validate.Policy
	mutatingHooks      []*webhook.Hook
	validatingHooks    []*webhook.Hook
}

// settledKey is all that the policies and the cluster depend on.
type settledKey struct{ kubernetes, policies, cluster, plugins string }

// settled are the policies and clusters that were read last: while somebody
// works on the request, they are the same as before. Nothing changes them once
// they are here.
var settled = cache.New[settledKey, *prepared](4, 1<<20, func(k settledKey) int { return len(k.policies) + len(k.cluster) })

// Forget drops what is kept of earlier evaluations to make the next one
// faster. No result depends on it.
func Forget() {
	settled.Clear()
	scenario.Forget()
	eval.Forget()
}

// prepare reads the policies and cluster texts, or takes them as they were read
// before, and puts a cluster at the disposal of one evaluation.
func prepare(ctx context.Context, s scenario.Scenario) (*evaluation, error) {
	kubernetes, err := version.OrDefault(s.Kubernetes)
	if err != nil {
		return nil, err
	}
	s.Kubernetes = kubernetes.String()
	key := settledKey{s.Kubernetes, s.Policies, s.Cluster, fmt.Sprintf("%q", s.Options.Plugins)}
	known, ok := settled.Get(key)
	if !ok {
		known = &prepared{scenario: s, version: kubernetes, report: newReport(s.Kubernetes)}
		if err := known.read(); err != nil {
			return nil, err
		}
		known.scenario = scenario.Scenario{} // what was read must not hold on to the request
		settled.Put(key, known)
	}
	p := *known
	p.ctx, p.scenario = ctx, s
	p.report, p.responses = known.begun(), known.responses.Fresh()
	p.cluster = cluster.New(p.objects, p.now())
	p.matcher = match.New(p.version, p.catalog, p.cluster)
	return &evaluation{prepared: p}, nil
}

// begun is a report of its own for one evaluation, with what the texts gave.
func (p *prepared) begun() *report.Report {
	begun := *p.report
	begun.Diagnostics = diag.Clone(begun.Diagnostics)
	begun.Install = slices.Clone(begun.Install)
	begun.NotSimulated = slices.Clone(begun.NotSimulated)
	return &begun
}

// unreadable reports whether a part of a text is no YAML.
func unreadable(list []diag.Diagnostic, text diag.Text) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Text == text && d.Code == "yaml-syntax" })
}

// read reads the policies and cluster texts.
func (p *prepared) read() error {
	s := p.scenario
	var err error
	if p.expressions, err = eval.ForVersion(p.version); err != nil {
		return err
	}
	builtin, err := catalog.For(p.version)
	if err != nil {
		return err
	}
	p.selectPlugins()
	objects := p.parse(diag.Cluster, s.Cluster)
	policies := append(p.parse(diag.Policies, s.Policies), misplaced(objects)...)
	installed, err := install.Install(policies, p.version)
	if err != nil {
		return err
	}
	if unreadable(p.report.Diagnostics, diag.Policies) {
		// The policy may stand in what cannot be read.
		installed.Diagnostics = slices.DeleteFunc(installed.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.BindingWithoutPolicy })
	}
	p.diagnose(installed.Diagnostics)
	p.report.Install = append(p.report.Install, installed.Answers...)
	if err := p.readCluster(builtin, append(objects, installed.Cluster...)); err != nil {
		return err
	}
	typing, err := typecheck.Check(policies, p.version, p.catalog)
	if err != nil {
		return err
	}
	p.diagnose(typing)
	p.compile(installed)
	return nil
}

// selectPlugins switches on the built-in plugins that the scenario names.
// Unknown names in scenario.yaml are told, with their place, where it is read.
func (p *prepared) selectPlugins() {
	p.plugins = plugins.Select(p.scenario.Options.Plugins)
	for i, name := range p.scenario.Options.Plugins {
		if !slices.Contains(plugins.Names(), name) {
			p.diagnose([]diag.Diagnostic{{Code: "unknown-plugin", Severity: diag.Error, Text: diag.Settings, Path: fmt.Sprintf("options.plugins[%d]", i),
				Summary: fmt.Sprintf("there is no built-in admission plugin %q to switch on", name), Detail: "Known are " + strings.Join(plugins.Names(), ", ") + "."}})
		}
	}
}

func newReport(version string) *report.Report {
	return &report.Report{
		Kubernetes: version, Outcome: report.Outcome{DecidedBy: -1},
		Diagnostics: []diag.Diagnostic{}, Install: []report.Install{}, Steps: []report.Step{}, Budgets: []report.Budget{}, NotSimulated: []string{},
	}
}

func (p *prepared) diagnose(list []diag.Diagnostic) {
	p.report.Diagnostics = append(p.report.Diagnostics, list...)
}

func (p *prepared) parse(text diag.Text, src string) []*scenario.Document {
	docs, problems := scenario.ParseDocuments(text, src)
	p.diagnose(problems)
	return docs
}

const admissionGroup = "admissionregistration.k8s.io"

// misplaced are policies in the cluster text; they are installed all the same.
func misplaced(cluster []*scenario.Document) []*scenario.Document {
	var out []*scenario.Document
	for _, d := range cluster {
		if group(d) == admissionGroup {
			out = append(out, d)
		}
	}
	return out
}

func group(d *scenario.Document) string {
	return schema.FromAPIVersionAndKind(d.APIVersion, d.Kind).Group
}

// readCluster reads CRDs first, because other objects may be of their kinds.
func (p *prepared) readCluster(builtin *catalog.Catalog, docs []*scenario.Document) error {
	docs = slices.DeleteFunc(docs, func(d *scenario.Document) bool { return group(d) == admissionGroup })
	p.readCRDs(builtin, docs)

	responses, problems := webhook.ReadResponses(docs)
	p.responses = responses
	p.diagnose(problems)

	if err := p.readRBAC(docs); err != nil {
		return err
	}
	p.objects = p.storedForm(docs)
	return nil
}

// Catalog returns the kinds that a scenario's server knows: the built-in ones
// and those of the CustomResourceDefinitions in its cluster text.
func Catalog(s scenario.Scenario) (*catalog.Catalog, error) {
	kubernetes, err := version.OrDefault(s.Kubernetes)
	if err != nil {
		return nil, err
	}
	s.Kubernetes = kubernetes.String()
	builtin, err := catalog.For(kubernetes)
	if err != nil {
		return nil, err
	}
	p := prepared{scenario: s, report: newReport(s.Kubernetes)}
	p.readCRDs(builtin, p.parse(diag.Cluster, s.Cluster))
	return p.catalog, nil
}

func (p *prepared) readCRDs(builtin *catalog.Catalog, docs []*scenario.Document) {
	p.customs = newCustomResources()
	var crds []catalog.CRD
	var sources []*scenario.Document
	for _, d := range docs {
		if d.Kind == "CustomResourceDefinition" && group(d) == "apiextensions.k8s.io" && p.installDefinition(d) {
			crds = append(crds, catalog.CRD{Value: d.Value})
			sources = append(sources, d)
		}
	}
	known, problems := builtin.WithCRDs(crds)
	p.catalog = known
	for _, problem := range problems {
		d := sources[problem.Index]
		p.diagnose([]diag.Diagnostic{{Code: "crd", Severity: diag.Error, Text: d.Text, Span: d.Locate(problem.Path), Path: problem.Path, Summary: problem.Message, Document: d.Kind + "/" + d.Name}})
	}
}

// storedForm brings the objects of the cluster into the form in which they are
// stored.
func (p *prepared) storedForm(docs []*scenario.Document) []cluster.Object {
	var out []cluster.Object
	for _, d := range docs {
		gvk := schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)
		if gvk.GroupVersion().String() == webhook.ResponseAPIVersion {
			continue
		}
		resource, ok := p.catalog.ResourceForKind(gvk)
		if !ok {
			p.unknownKind(d, gvk)
			continue
		}
		value, problems := p.catalog.Normalise(gvk, d.Value)
		for _, problem := range problems {
			p.diagnose([]diag.Diagnostic{{Code: "unknown-field", Severity: diag.Warning, Text: d.Text, Span: d.LocateKey(problem.Path), Path: problem.Path, Summary: problem.Message, Document: d.Kind + "/" + d.Name}})
		}
		namespace := d.Namespace
		if resource.Namespaced && namespace == "" {
			namespace = "default"
		}
		value = p.catalog.Roundtrip(gvk, p.catalog.Default(gvk, value))
		out = append(out, cluster.Object{GVK: gvk, Namespace: namespace, Name: d.Name, Value: value, Builtin: resource.Builtin})
	}
	return out
}

func (p *prepared) unknownKind(d *scenario.Document, gvk schema.GroupVersionKind) {
	p.diagnose([]diag.Diagnostic{{Code: "unknown-kind", Severity: diag.Warning, Text: d.Text, Span: d.Locate("kind"), Path: "kind", Document: d.Kind + "/" + d.Name,
		Summary: fmt.Sprintf("Kubernetes %s does not serve %s, and no CustomResourceDefinition here defines it", p.scenario.Kubernetes, gvk),
		Detail:  "The object is left out. Add its CustomResourceDefinition to the cluster text, or correct apiVersion and kind."}})
}

// compile compiles the policies and webhooks, each list in the order in which
// it runs.
func (p *prepared) compile(in *install.Result) {
	for _, policy := range in.MutatingPolicies {
		spec := &policy.Object.Spec
		common := run.Policy{Kind: mutate.Kind, Name: policy.Object.Name, Document: policy.Document, NotEvaluated: policy.NotEvaluated,
			FailurePolicy: spec.FailurePolicy, ParamKind: spec.ParamKind, Match: spec.MatchConstraints}
		for _, b := range in.MutatingBindings {
			if s := b.Object.Spec; s.PolicyName == policy.Object.Name {
				common.Bindings = append(common.Bindings, run.Binding{Name: b.Object.Name, Document: b.Document, ParamRef: s.ParamRef, Match: s.MatchResources})
			}
		}
		common.SortBindings()
		p.mutatingPolicies = append(p.mutatingPolicies, mutate.Compile(p.expressions, common, spec))
	}
	for _, policy := range in.ValidatingPolicies {
		spec := &policy.Object.Spec
		common := run.Policy{Kind: validate.Kind, Name: policy.Object.Name, Document: policy.Document, NotEvaluated: policy.NotEvaluated,
			FailurePolicy: spec.FailurePolicy, ParamKind: spec.ParamKind, Match: spec.MatchConstraints}
		for _, b := range in.ValidatingBindings {
			if s := b.Object.Spec; s.PolicyName == policy.Object.Name {
				common.Bindings = append(common.Bindings, run.Binding{Name: b.Object.Name, Document: b.Document, ParamRef: s.ParamRef, Match: s.MatchResources, Actions: s.ValidationActions})
			}
		}
		common.SortBindings()
		p.validatingPolicies = append(p.validatingPolicies, validate.Compile(p.expressions, common, spec))
	}
	slices.SortStableFunc(p.mutatingPolicies, func(a, b *mutate.Policy) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(p.validatingPolicies, func(a, b *validate.Policy) int { return strings.Compare(a.Name, b.Name) })
	p.compileWebhooks(in.MutatingWebhooks, in.ValidatingWebhooks)
}

func (p *prepared) compileWebhooks(mutating []install.Installed[v1.MutatingWebhookConfiguration], validating []install.Installed[v1.ValidatingWebhookConfiguration]) {
	for _, c := range mutating {
		p.mutatingHooks = append(p.mutatingHooks, webhook.Mutating(p.expressions, c.Object, c.Document)...)
	}
	for _, c := range validating {
		p.validatingHooks = append(p.validatingHooks, webhook.Validating(p.expressions, c.Object, c.Document)...)
	}
	webhook.Sort(p.mutatingHooks)
	webhook.Sort(p.validatingHooks)
	for _, name := range webhook.UnknownResponses(p.responses, p.mutatingHooks, p.validatingHooks) {
		p.diagnose([]diag.Diagnostic{{Code: "unused-webhook-response", Severity: diag.Warning, Text: diag.Cluster,
			Summary: fmt.Sprintf("no webhook is named %q, so this WebhookResponse is never used", name), Document: webhook.ResponseKind + "/" + name}})
	}
}
