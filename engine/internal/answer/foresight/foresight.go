// Package foresight looks for requests that will fail in an expression or stop the cluster, before
// anybody sends one.
package foresight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// foresight looks for requests that fail in an expression, or that stop the cluster, before
// anybody sends one.
type foresight struct {
	*compile.Configuration
	ctx       context.Context
	evaluator *eval.Evaluator
	budget    *worklimit.Budget
	found     []diag.Diagnostic
	tries     int  // evaluations of the subject under way
	dear      bool // its evaluations cost too much to be repeated
	system    []foresee.System
	stops     *report.Graph // what policies stop; nil for nothing
	rest      func()        // is called between two requests
}

// maxTries bounds the evaluations for one policy with one binding, or one webhook.
const maxTries = 900

// foreseeShare is how much of the work of an evaluation may go into requests that nobody sent,
// in hundredths, where the answer to a request is shown beside it.
const foreseeShare = 5

// Add adds to the report what requests will meet. With short it takes a small share of the
// work of an evaluation, as where the answer is shown beside it.
func Add(ctx context.Context, e *evaluate.Evaluation, short bool) {
	if !e.Options.Foresee {
		return
	}
	o := options.Options{Limits: e.Options.Limits}
	if short {
		o.Limits.Work = compile.Limit(o.Limits.Work, options.DefaultLimits().Work) * foreseeShare / 100
	}
	settings := e.Scenario
	settings.Request, settings.Expression = "", ""
	c := &compile.Configuration{Compiled: e.Compiled, Store: e.Store, Cluster: e.Compiled.Objects, Settings: settings}
	found, stops := Find(ctx, c, o, func() {})
	e.Report.Diagnostics, e.Report.StopGraph = findings.WithForeseen(e.Report.Diagnostics, found), stops
}

// Find calls rest between two requests. The graph is what policies stop; nil for nothing.
func Find(ctx context.Context, c *compile.Configuration, o options.Options, rest func()) (diag.Diagnostics, *report.Graph) {
	settings := fmt.Sprintf("%+v", c.Settings.Options)
	own := c.Cluster == c.Objects
	if list, stops, known := c.Foreseen.Get(settings); known && own {
		return list, stops
	}
	b := compile.Budget(ctx, o.Limits)
	f := &foresight{Configuration: c, ctx: ctx, budget: b, evaluator: eval.NewEvaluator(ctx, eval.Options{Budget: b}), rest: rest}
	ended := b.Run(func() {
		b.Enter("the requests that are foreseen")
		f.system = foresee.SystemRequests(c.Catalog, c.Cluster)
		f.droppedFields()
		for _, s := range f.subjects() {
			before := len(f.found)
			f.tries, f.dear = 0, false
			f.expressions(s)
			f.paramFields(s)
			f.paramsOutOfReach(s)
			f.paramsDeletedFirst(s)
			f.nearParams(s)
			f.clusterRequests(s)
			f.stuckObjects(s)
			f.collectionDeletes(s)
			f.annotationsOfAdmitted(s)
			f.rejectedMutations(s)
			f.brokenValidations(s)
			f.brokenDefaults(s)
			f.examples(s)
			f.found = append(f.found[:before], slices.DeleteFunc(f.found[before:], func(d diag.Diagnostic) bool { return lint.Ignores(s.document, d.Code) })...)
		}
	})
	diag.Sort(f.found)
	diag.Locate(f.found, map[diag.Text]string{diag.Policies: c.Settings.Policies, diag.Cluster: c.Settings.Cluster})
	if ended == nil && ctx.Err() == nil && own {
		c.Foreseen.Put(settings, f.found, f.stops)
	}
	return f.found, f.stops
}

// subject is a policy with one of its bindings, a webhook, or a version of a CustomResourceDefinition.
type subject struct {
	// One of them is set.
	validating *validate.Policy
	mutating   *mutate.Policy
	hook       *webhook.Hook
	definition *customresource.Resource

	binding  *run.Binding // of a policy
	unbound  bool         // the policy has no binding, so this one is assumed
	document *scenario.Document
	ignores  bool // failurePolicy is Ignore
	source   foresee.Source
	rules    []v1.RuleWithOperations
	names    [][]string // the resourceNames of the rules
	// rulesPath is the list of rules in the document.
	rulesPath string
	kind      *v1.ParamKind
	param     *cluster.Object // the parameter that is assumed, nil for none
}

// denies reports whether a validation that is false denies the request.
func (s *subject) denies() bool {
	return s.validating == nil || slices.Contains(s.binding.Actions, v1.Deny)
}

// maxBindings bounds the bindings that are looked at for one policy.
const maxBindings = 3

func (f *foresight) subjects() []*subject {
	var out []*subject
	for _, p := range f.ValidatingPolicies {
		for _, b := range bindings(&p.Policy) {
			with := *p
			with.Bindings = []run.Binding{b}
			s := f.policy(&with.Policy, p.Expressions(), len(p.Bindings) == 0)
			s.validating = &with
			out = append(out, s)
		}
	}
	for _, p := range f.MutatingPolicies {
		for _, b := range bindings(&p.Policy) {
			with := *p
			with.Bindings = []run.Binding{b}
			s := f.policy(&with.Policy, p.Mutations(), len(p.Bindings) == 0)
			s.mutating = &with
			out = append(out, s)
		}
	}
	for _, h := range slices.Concat(f.MutatingHooks, f.ValidatingHooks) {
		if facts := h.Facts(); len(facts.Conditions) > 0 {
			out = append(out, f.webhook(h, &facts))
		}
	}
	out = append(out, f.definitions()...)
	return slices.DeleteFunc(out, func(s *subject) bool { return s.document == nil })
}

// bindings are those of a policy to look at; one that binds it everywhere if it has none.
func bindings(p *run.Policy) []run.Binding {
	if p.NotEvaluated != "" {
		return nil
	}
	if len(p.Bindings) > 0 {
		return p.Bindings[:min(len(p.Bindings), maxBindings)]
	}
	b := run.Binding{Name: p.Name, Actions: []v1.ValidationAction{v1.Deny}}
	if p.ParamKind != nil {
		b.ParamRef = &v1.ParamRef{Name: "a"}
	}
	return []run.Binding{b}
}

func (f *foresight) policy(p *run.Policy, expressions []*eval.Compiled, unbound bool) *subject {
	b := &p.Bindings[0]
	s := &subject{binding: b, unbound: unbound, document: p.Document, ignores: p.Ignore(), kind: p.ParamKind, rulesPath: "spec.matchConstraints.resourceRules"}
	for _, c := range p.Conditions {
		expressions = append(expressions, c.Compiled)
	}
	s.source = foresee.Source{Catalog: f.Catalog, Cluster: f.Configuration.Cluster, Reads: foresee.ReadsOf(expressions, p.Compiler.Variables)}
	for _, m := range []*v1.MatchResources{p.Match, b.Match} {
		if m == nil {
			continue
		}
		s.source.Namespaces = append(s.source.Namespaces, m.NamespaceSelector)
		s.source.Objects = append(s.source.Objects, m.ObjectSelector)
	}
	if p.Match != nil {
		for _, r := range p.Match.ResourceRules {
			s.rules, s.names = append(s.rules, r.RuleWithOperations), append(s.names, r.ResourceNames)
		}
	}
	f.assumeParam(s)
	return s
}

// assumeParam makes a parameter with all that the expressions read, where the scenario has
// none: what is in it is nobody's guess.
func (f *foresight) assumeParam(s *subject) {
	ref := s.binding.ParamRef
	if s.kind == nil || ref == nil {
		return
	}
	gvk := schema.FromAPIVersionAndKind(s.kind.APIVersion, s.kind.Kind)
	resource, known := f.Catalog.ResourceForKind(gvk)
	if !known {
		return
	}
	value := s.source.Param(gvk)
	meta, _ := value["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		value["metadata"] = meta
	}
	o := cluster.Object{GVK: gvk, Name: "a", Value: value, Builtin: resource.Builtin}
	if ref.Name != "" {
		o.Name = ref.Name
	} else if ref.Selector != nil {
		set := map[string]any{}
		for key, label := range foresee.Selected(ref.Selector) {
			set[key] = label
		}
		meta["labels"] = set
	}
	meta["name"] = o.Name
	if resource.Namespaced {
		o.Namespace = ref.Namespace
	}
	s.param = &o
}

func (f *foresight) webhook(h *webhook.Hook, facts *webhook.Facts) *subject {
	var expressions []*eval.Compiled
	for _, c := range facts.Conditions {
		expressions = append(expressions, c.Compiled)
	}
	return &subject{hook: h, document: facts.Document, ignores: !facts.FailsClosed, rules: facts.Match.Rules, rulesPath: facts.Path + ".rules",
		source: foresee.Source{Catalog: f.Catalog, Cluster: f.Configuration.Cluster, Reads: foresee.ReadsOf(expressions, nil),
			Namespaces: []*metav1.LabelSelector{facts.Match.NamespaceSelector}, Objects: []*metav1.LabelSelector{facts.Match.ObjectSelector}}}
}

// clusterFor is the cluster with what a request needs: its namespace and the parameter.
func (f *foresight) clusterFor(s *subject, r *foresee.Request) *cluster.Cluster {
	c := f.Configuration.Cluster
	if r.InNamespace != nil {
		c = c.With(cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: r.Namespace, Value: r.InNamespace, Builtin: true})
	}
	if s.param == nil {
		return c
	}
	param := *s.param
	if resource, _ := f.Catalog.ResourceForKind(param.GVK); resource.Namespaced {
		if param.Namespace == "" {
			param.Namespace = r.Namespace
		}
		value := maps.Clone(param.Value)
		meta := maps.Clone(value["metadata"].(map[string]any))
		meta["namespace"] = param.Namespace
		value["metadata"], param.Value = meta, value
	}
	if s.given(c, &param) {
		return c
	}
	return c.With(param)
}

// given reports whether the scenario has a parameter that the binding refers to.
func (s *subject) given(c *cluster.Cluster, param *cluster.Object) bool {
	ref := s.binding.ParamRef
	if ref.Selector == nil {
		_, ok := c.Get(param.GVK.GroupKind(), param.Namespace, ref.Name)
		return ok
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector)
	return err != nil || len(c.List(param.GVK.GroupKind(), param.Namespace, selector)) > 0
}

// assumes reports whether the evaluation for a request has a parameter that is not the
// scenario's. What depends on its values is not known.
func (f *foresight) assumes(s *subject) bool {
	if s.param == nil {
		return false
	}
	param := *s.param
	if param.Namespace == "" {
		if resource, _ := f.Catalog.ResourceForKind(param.GVK); resource.Namespaced {
			return true
		}
	}
	return !s.given(f.Configuration.Cluster, &param)
}

// asksAuthorizer reports whether an expression of the document asks the authorizer.
func (s *subject) asksAuthorizer() bool {
	return strings.Contains(string(s.document.JSON()), "authorizer")
}
