// Package compile reads and compiles the policies and the cluster of a scenario, which makes a
// configuration for any number of requests.
package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/bootstrap"
	"github.com/preadmit/preadmit/engine/internal/admission/introspect"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/repair/trial"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Compiled is what policies and a cluster give, whatever the request is. Nothing
// changes it once it is made.
type Compiled struct {
	Version   version.Version
	Documents map[diag.Text][]*scenario.Document // of the policies and cluster texts
	// Report is the beginning of every report: what there is to say of the texts.
	Report       *report.Report
	Environments *eval.Environments
	*clusterState

	Installed *install.Result

	// Plugins are the built-in ones that the scenario switches on.
	Plugins plugins.Set
	// KindValues are the kinds of its requests.
	KindValues run.KindValues

	MutatingPolicies   []*mutate.Policy
	ValidatingPolicies []*validate.Policy
	MutatingHooks      []*webhook.Hook
	ValidatingHooks    []*webhook.Hook

	// Foreseen are the problems that requests will meet, once they have been looked for.
	Foreseen *foreseen

	// Ended is why the texts were not read to their end; nil when they were. cut says
	// that something is missing that the answer does not need. Neither is kept.
	Ended *worklimit.Ended
	Cut   bool
}

// configurationKey is all that a Compiled depends on.
type configurationKey struct {
	kubernetes                      version.Version
	policies, cluster, plugins, now string
	runtimeConfig, policyFiles      string
	completeCluster                 bool
}

func (k configurationKey) size() int { return len(k.policies) + len(k.cluster) }

// clusterState is what a cluster text gives. Nothing changes it once it is made.
type clusterState struct {
	*kinds
	Objects   *cluster.Cluster
	Rules     *rbac.Lazy
	Responses webhook.Responses // none of them given yet
	// Customs checks the objects of the kinds that the cluster text defines.
	Customs  *customResources
	problems []diag.Diagnostic
	// answers are the server's to definitions that it rejects or warns about.
	answers []report.Install
}

// clusterKey is all that a clusterState depends on. Objects of the cluster may be
// in the policies text too; then that is part of it.
type clusterKey struct {
	kubernetes             version.Version
	cluster, policies, now string
	complete               bool // Options.CompleteCluster
}

func (k clusterKey) size() int { return len(k.cluster) + len(k.policies) }

// kinds are the kinds that a server knows, and the checks of expressions about
// them.
type kinds struct {
	Catalog *catalog.Catalog
	Checker *check.Checker
	crds    []catalog.CRDProblem
}

// kindsKey is all that kinds depend on: the version, and the
// CustomResourceDefinitions as JSON, those that the server rejects apart.
type kindsKey struct {
	kubernetes           version.Version
	definitions, refused string
}

func (k kindsKey) size() int { return len(k.definitions) + len(k.refused) }

// Compile reads and compiles the policies and the cluster of a scenario. Its request and its free
// expression are left out. The error is for a version that the engine does not know.
func (e *Store) Compile(b *worklimit.Budget, files scenario.Scenario) (*Configuration, error) {
	kubernetes, err := version.OrDefault(files.Kubernetes)
	if err != nil {
		return nil, err
	}
	files.Kubernetes = kubernetes.String()
	key := configurationKey{kubernetes, files.Policies, files.Cluster, fmt.Sprintf("%+v", files.Options.Plugins), files.Now, strings.Join(files.Options.RuntimeConfig, ","), strings.Join(files.Options.PolicyFiles, "\n"), files.Options.CompleteCluster}
	known, ok := e.configurations.Get(key)
	if !ok {
		if known, err = e.compile(b, files, kubernetes); err != nil {
			return nil, err
		}
		if known.Ended == nil && !known.Cut {
			e.configurations.Put(key, known)
		}
	}
	files.Request, files.Expression = "", ""
	return &Configuration{Compiled: known, Store: e, Cluster: known.Objects, Settings: files}, nil
}

// compiler reads the texts of a scenario.
type compiler struct {
	*Compiled
	store    *Store
	scenario scenario.Scenario
	budget   *worklimit.Budget
}

func (e *Store) compile(b *worklimit.Budget, s scenario.Scenario, v version.Version) (c *Compiled, err error) {
	c = &Compiled{Version: v, Documents: map[diag.Text][]*scenario.Document{}, Report: NewReport(s.Kubernetes), clusterState: &clusterState{kinds: &kinds{}}, Foreseen: &foreseen{}}
	p := &compiler{store: e, scenario: s, Compiled: c, budget: b}
	if c.Ended = b.Run(func() { err = p.read() }); c.Ended != nil {
		p.diagnose([]diag.Diagnostic{Stopped(c.Ended, slices.Concat(c.Documents[diag.Policies], c.Documents[diag.Cluster]))})
	}
	return c, err
}

// optional runs a part that the answer does not need.
func (p *compiler) optional(step string, share int64, f func()) {
	if ended := p.budget.Within(step, share, f); ended != nil {
		p.Compiled.Cut = true
		p.diagnose([]diag.Diagnostic{LeftOut(step, ended)})
	}
}

// Unreadable reports whether a part of a text cannot be read.
func Unreadable(list []diag.Diagnostic, text diag.Text) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Text == text && slices.Contains(trial.UnreadableCodes, d.Code) })
}

// read reads the policies and cluster texts.
func (p *compiler) read() error {
	s := p.scenario
	var err error
	if p.Environments, err = p.store.Environments.ForVersion(p.Version); err != nil {
		return err
	}
	p.Environments.Age()
	builtin, err := catalog.For(p.Version)
	if err != nil {
		return err
	}
	checker, err := p.store.checkerFor(p.Version)
	if err != nil {
		return err
	}
	p.kinds = &kinds{Catalog: builtin, Checker: checker} // until the cluster is read
	p.selectPlugins()
	p.unreadPolicies()
	objects := p.parse(diag.Cluster, s.Cluster)
	policies := append(p.parse(diag.Policies, s.Policies), misplaced(objects)...)
	server := serverconfig.Read(policies, p.Version)
	policies = server.Others
	p.diagnose(server.Diagnostics)
	p.Plugins = p.Plugins.Configured(server)
	p.Report.NotSimulated = append(p.Report.NotSimulated, server.NotSimulated...)
	p.budget.Enter("checking the policies")
	for _, d := range policies {
		p.budget.Work(10 * len(d.JSON()))
	}
	environments := p.Environments.Within(p.budget)
	setUp := install.Server{RuntimeConfig: s.Options.RuntimeConfig, Static: server.Static}
	installed, err := install.Install(policies, p.store.Environments.Within(p.budget), p.Version, setUp)
	if err != nil {
		return err
	}
	if Unreadable(p.Report.Diagnostics, diag.Policies) {
		// The policy may be in what cannot be read.
		installed.Diagnostics = slices.DeleteFunc(installed.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.BindingWithoutPolicy })
	}
	p.Installed = installed
	p.diagnose(installed.Diagnostics)
	p.Report.Install = append(p.Report.Install, installed.Answers...)
	if err := p.readCluster(builtin, objects, installed.Cluster); err != nil {
		return err
	}
	p.paramVersions(objects)
	p.optional("The repairs", repairsShare, func() {
		repairer := expressions.Repairer{Environments: environments, Catalog: p.Catalog}
		repairer.Add(p.Report.Diagnostics, p.Documents[diag.Policies], s.Policies)
		repairer.Add(p.Report.Diagnostics, p.Documents[diag.Cluster], s.Cluster)
	})
	p.optional("The selector and rule checks", plausibleShare, func() {
		p.diagnose(installed.Plausible(p.Catalog, slices.Concat(objects, installed.Cluster)))
	})
	p.optional("The type checks", typeChecksShare, func() {
		var typing []diag.Diagnostic
		p.Checker.Age()
		if typing, err = typecheck.Check(policies, map[diag.Text]string{diag.Policies: s.Policies, diag.Cluster: s.Cluster}, p.Checker.Within(p.budget), p.Catalog); err == nil {
			p.diagnose(typing)
		}
	})
	if !p.store.trial {
		p.optional("The checks for impossible conditions", neverShare, func() {
			p.diagnose(lint.Check(lint.Input{Installed: installed, Environments: environments, Catalog: p.Catalog, Budget: p.budget,
				Plain: map[diag.Text]string{diag.Policies: s.Policies, diag.Cluster: s.Cluster}, Known: p.Report.Diagnostics}))
		})
	}
	if err == nil {
		err = p.checkElsewhere()
	}
	if err != nil {
		return err
	}
	p.optional("Documents after a YAML error", plausibleShare, func() { p.behindSyntax(setUp) })
	p.budget.Enter("compiling the policies")
	p.compile(installed, server)
	p.checkWebhooks(slices.Concat(p.Documents[diag.Policies], p.Documents[diag.Cluster]))
	return nil
}

// paramVersions completes the apiVersion of objects that is only a group, with
// the version that a policy has for its params.
func (p *compiler) paramVersions(objects []*scenario.Document) {
	for i := range p.Report.Diagnostics {
		problem := &p.Report.Diagnostics[i]
		if problem.Code != codes.UnknownKind || problem.Text != diag.Cluster {
			continue
		}
		for _, d := range objects {
			if d.Span.Start > problem.Span.Start || d.Span.End < problem.Span.End {
				continue
			}
			for _, policy := range p.Documents[diag.Policies] {
				kind, ok := model.ParamKind(policy.Value)
				if !ok || kind.Kind != d.Kind || kind.Version == "" {
					continue
				}
				if e, ok := d.Rewrite("apiVersion", kind.GroupVersion().String()); ok && kind.GroupVersion().String() != d.APIVersion {
					problem.Fixes = []diag.Fix{{Title: "Change to " + kind.GroupVersion().String(), Edits: []diag.Edit{e}}}
				}
			}
		}
	}
}

// checkWebhooks looks for webhooks that can keep the cluster from starting.
func (p *compiler) checkWebhooks(documents []*scenario.Document) {
	p.whoseResponses()
	problems, graph := bootstrap.Check(bootstrap.Input{
		Version: p.Version, Catalog: p.Catalog, Expressions: p.Environments, Evaluator: eval.NewEvaluator(context.Background(), eval.Options{}), Cluster: p.Objects,
		Authorizer: p.Rules.Authorizer(rbac.Mode(""), func(report.Authorization) {}), Hooks: slices.Concat(p.MutatingHooks, p.ValidatingHooks), Documents: documents,
	})
	p.diagnose(problems)
	p.Report.WebhookGraph, p.Report.PolicyGraph = graph, introspect.Graph(p.MutatingPolicies)
	if n := len(p.MutatingHooks) + len(p.ValidatingHooks); n > bootstrap.MaxWebhooks {
		p.Report.NotSimulated = append(p.Report.NotSimulated, fmt.Sprintf("The effects of the %d webhooks are not checked: there are more than %d.", n, bootstrap.MaxWebhooks))
	}
}

// selectPlugins chooses the built-in plugins that run: those of the release, or
// what the scenario says. Unknown names in scenario.yaml are reported, with
// their place, where it is read.
func (p *compiler) selectPlugins() {
	set, unsimulated := plugins.Select(p.Version, p.scenario.Options.Plugins)
	p.Plugins = set
	for _, name := range unsimulated {
		if slices.Contains(scenario.UnsimulatedPlugins, name) {
			p.Report.NotSimulated = append(p.Report.NotSimulated, "The admission plugin "+name+" is not simulated.")
			continue
		}
		p.diagnose([]diag.Diagnostic{{Code: codes.UnknownPlugin, Severity: diag.Error, Text: diag.Settings, Path: "options.plugins",
			Summary: fmt.Sprintf("there is no built-in admission plugin %q to switch on", name), Detail: "Known are " + strings.Join(plugins.Names(), ", ") + "."}})
	}
}

// unreadPolicies reports the files with policies that nobody has read.
func (p *compiler) unreadPolicies() {
	files := p.scenario.Options.PolicyFiles
	if len(files) == 0 {
		return
	}
	p.diagnose([]diag.Diagnostic{{Code: codes.UnreadPolicies, Severity: diag.Error, Text: diag.Settings, Path: scenario.PolicyFilesField,
		Summary: "the policies in " + strings.Join(files, ", ") + " are not read: only the command line reads the files that a scenario names",
		Detail:  "Without them the answer is not known. Run the scenario with preadmit eval, or copy the policies here and remove the reference.",
		Fixes:   []diag.Fix{{Title: "Remove the reference", RemovePolicyFiles: true}},
	}})
}

// diagnose adds problems of the texts.
func (p *compiler) diagnose(list []diag.Diagnostic) {
	p.Report.Diagnostics = append(p.Report.Diagnostics, list...)
}

func (p *compiler) parse(text diag.Text, src string) []*scenario.Document {
	p.budget.Enter("reading the texts")
	docs, problems := p.store.Texts.Within(p.budget).Documents(text, src)
	p.Documents[text] = docs
	p.Report.Documents = append(p.Report.Documents, documentList(text, docs)...)
	p.diagnose(problems)
	return docs
}

// documentList are documents as the report lists them.
func documentList(text diag.Text, docs []*scenario.Document) []report.Document {
	out := make([]report.Document, len(docs))
	for i, d := range docs {
		spec, _ := d.Value["spec"].(map[string]any)
		policy, _ := spec["policyName"].(string)
		out[i] = report.Document{Text: text, Span: d.Span, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace, Policy: policy}
	}
	return out
}

const admissionGroup = "admissionregistration.k8s.io"

// configures reports whether a document is a policy, or configuration of the server.
func configures(d *scenario.Document) bool {
	of := group(d)
	return of == admissionGroup || of == "apiserver.config.k8s.io"
}

// misplaced are policies and configuration in the cluster text; they count anyway.
func misplaced(cluster []*scenario.Document) []*scenario.Document {
	var out []*scenario.Document
	for _, d := range cluster {
		if configures(d) {
			out = append(out, d)
		}
	}
	return out
}

func group(d *scenario.Document) string {
	return schema.FromAPIVersionAndKind(d.APIVersion, d.Kind).Group
}

// readCluster reads the cluster text, or takes it as it was read before. strays
// are objects of the cluster in the policies text.
func (p *compiler) readCluster(builtin *catalog.Catalog, docs, strays []*scenario.Document) error {
	key := clusterKey{kubernetes: p.Version, cluster: p.scenario.Cluster, now: p.scenario.Now, complete: p.scenario.Options.CompleteCluster}
	if len(strays) > 0 {
		key.policies = p.scenario.Policies
	}
	known, ok := p.store.clusters.Get(key)
	if !ok {
		r := clusterReader{budget: p.budget, store: p.store, scenario: p.scenario, version: p.Version, clusterState: &clusterState{}}
		if err := r.read(builtin, slices.Concat(docs, strays)); err != nil {
			return err
		}
		known = r.clusterState
		p.store.clusters.Put(key, known)
	}
	p.clusterState = known
	p.diagnose(known.problems)
	p.Report.Install = append(p.Report.Install, known.answers...)
	return nil
}

// compile compiles the policies and webhooks, each list in the order in which
// it runs.
func (p *compiler) compile(in *install.Result, server *serverconfig.Config) {
	for _, policy := range in.MutatingPolicies {
		spec := &policy.Object.Spec
		common := run.Policy{Kind: mutate.Kind, Name: policy.Object.Name, Document: policy.Document, Static: policy.Static, NotEvaluated: policy.NotEvaluated,
			FailurePolicy: spec.FailurePolicy, ParamKind: spec.ParamKind, Match: spec.MatchConstraints}
		for _, b := range in.MutatingBindings {
			if s := b.Object.Spec; s.PolicyName == policy.Object.Name && b.Static == policy.Static {
				common.Bindings = append(common.Bindings, run.Binding{Name: b.Object.Name, Document: b.Document, ParamRef: s.ParamRef, Match: s.MatchResources})
			}
		}
		common.SortBindings()
		p.MutatingPolicies = append(p.MutatingPolicies, mutate.Compile(p.Environments.Within(p.budget), common, spec))
	}
	for _, policy := range in.ValidatingPolicies {
		spec := &policy.Object.Spec
		common := run.Policy{Kind: validate.Kind, Name: policy.Object.Name, Document: policy.Document, Static: policy.Static, NotEvaluated: policy.NotEvaluated,
			FailurePolicy: spec.FailurePolicy, ParamKind: spec.ParamKind, Match: spec.MatchConstraints}
		for _, b := range in.ValidatingBindings {
			if s := b.Object.Spec; s.PolicyName == policy.Object.Name && b.Static == policy.Static {
				common.Bindings = append(common.Bindings, run.Binding{Name: b.Object.Name, Document: b.Document, ParamRef: s.ParamRef, Match: s.MatchResources, Actions: s.ValidationActions})
			}
		}
		common.SortBindings()
		p.ValidatingPolicies = append(p.ValidatingPolicies, validate.Compile(p.Environments.Within(p.budget), common, spec))
	}
	slices.SortStableFunc(p.MutatingPolicies, func(a, b *mutate.Policy) int { return a.Policy.Compare(&b.Policy) })
	slices.SortStableFunc(p.ValidatingPolicies, func(a, b *validate.Policy) int { return a.Policy.Compare(&b.Policy) })
	p.compileWebhooks(in.MutatingWebhooks, in.ValidatingWebhooks, server)
}

func (p *compiler) compileWebhooks(mutating []install.Installed[v1.MutatingWebhookConfiguration], validating []install.Installed[v1.ValidatingWebhookConfiguration], server *serverconfig.Config) {
	for _, c := range mutating {
		p.MutatingHooks = append(p.MutatingHooks, webhook.Mutating(p.Environments.Within(p.budget), c.Object, webhook.Origin{Document: c.Document, Static: c.Static, Credentials: server.Credentials})...)
	}
	for _, c := range validating {
		p.ValidatingHooks = append(p.ValidatingHooks, webhook.Validating(p.Environments.Within(p.budget), c.Object, webhook.Origin{Document: c.Document, Static: c.Static, Credentials: server.Credentials})...)
	}
	webhook.Sort(p.MutatingHooks)
	webhook.Sort(p.ValidatingHooks)
	p.unusedResponses()
	p.reviewVersions()
}

// NewReport is the report of a version, with nothing in it.
func NewReport(version string) *report.Report {
	return &report.Report{
		Kubernetes: version, Release: scenario.Release(version), Outcome: report.Outcome{DecidedBy: -1},
		Diagnostics: []diag.Diagnostic{}, Install: []report.Install{}, Steps: []report.Step{}, Budgets: []report.Budget{}, NotSimulated: []string{},
	}
}

// Begun is the beginning of a report, which belongs to one run.
func (c *Compiled) Begun() *report.Report {
	begun := *c.Report
	begun.Diagnostics = diag.Clone(begun.Diagnostics)
	begun.Install = slices.Clone(begun.Install)
	begun.WebhookGraph, begun.PolicyGraph = begun.WebhookGraph.Clone(), begun.PolicyGraph.Clone()
	begun.NotSimulated = slices.Clone(begun.NotSimulated)
	return &begun
}
