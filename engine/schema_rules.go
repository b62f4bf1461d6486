package engine

import (
	"math"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/policy/fragment"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// rulesAlone evaluates the schema rules that no definition has: what the server
// makes of the schema, and of a value. The schema is checked as that of a definition,
// and the value by what checks custom resources.
func (e *evaluation) rulesAlone() {
	docs, problems := e.engine.texts.Within(e.budget).Documents(diag.Expression, e.scenario.Expression)
	e.diagnose(problems)
	if len(docs) == 0 {
		return
	}
	if len(docs) > 1 {
		e.diagnose([]diag.Diagnostic{{Code: codes.SeveralDocuments, Severity: diag.Error, Text: diag.Expression, Span: docs[1].Span,
			Summary: "the rules must be one document; only the first is read", Detail: "schema, self and oldSelf are fields of it."}})
	}
	f, problems := fragment.Read(docs[0])
	e.diagnose(problems)
	if f == nil {
		return
	}
	e.keepDocuments(diag.Expression, []*scenario.Document{f.Document})
	a := &alone{evaluation: e, Fragment: f, out: &report.Rules{State: report.RulesUndecided}}
	e.report.Rules = a.out
	if !a.install() {
		return
	}
	if !f.Given {
		a.out.Reason = "The server accepts the schema. There is no value: add one as self."
		return
	}
	a.check()
}

// alone are rules on their way.
type alone struct {
	*evaluation
	*fragment.Fragment
	definition *crd.Definition
	out        *report.Rules
}

// install says what the server makes of the schema, and reports whether it takes it.
func (a *alone) install() bool {
	refused := refusedDefinition{document: a.Document, plain: a.scenario.Expression, version: a.version, sets: a.engine.environments.Within(a.budget)}
	d, err := crd.Decode(a.Definition())
	if err != nil {
		a.refuse(&refused, apierrors.NewBadRequest(err.Error()))
		return false
	}
	a.definition, refused.decoded = d, d
	d.PrepareForCreate(a.version)
	ctx, environments := a.evaluator.Context(), a.environments.Within(a.budget)
	errs := definition.Validate(ctx, d, environments)
	for _, c := range definition.Costs(ctx, d, environments) {
		path := a.Path(c.Path)
		if c.Rules > 0 {
			path = fragment.Schema
		}
		cost := ruleCost(c)
		cost.Path, cost.Text, cost.Span = path, diag.Expression, a.Document.Locate(path)
		a.out.Costs = append(a.out.Costs, cost)
	}
	if len(errs) > 0 {
		a.refuse(&refused, crd.Invalid(crd.GroupKind, d.Name, errs, a.version))
		return false
	}
	a.out.Warnings = d.Warnings(nil, a.version)
	return true
}

// ruleCost is an estimate as the report has it, without its place.
func ruleCost(c definition.Cost) report.RuleCost {
	limit := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return report.RuleCost{Path: c.Path, Max: limit(c.Max), Limit: limit(c.Limit), Exceeded: c.Max > c.Limit, Rules: c.Rules}
}

// refuse reports a schema that the server rejects.
func (a *alone) refuse(refused *refusedDefinition, status *apierrors.StatusError) {
	a.out.State, a.out.Reason = report.RulesRefused, "The server rejects the schema."
	if details := status.ErrStatus.Details; details != nil {
		for _, cause := range details.Causes {
			a.out.Messages = append(a.out.Messages, strings.TrimPrefix(a.Path(cause.Field)+": "+cause.Message, ": "))
		}
	}
	if len(a.out.Messages) == 0 {
		a.out.Messages = []string{status.ErrStatus.Message}
	}
	for _, problem := range refused.problems(status) {
		problem.Path, problem.Document = a.Path(problem.Path), ""
		a.diagnose([]diag.Diagnostic{problem})
	}
}

// check asks the rules about the value.
func (a *alone) check() {
	kinds, _ := a.catalog.WithCRDs([]catalog.CRD{{Value: a.Definition()}}) // it has been checked
	version := a.definition.Spec.Versions[0].Name
	resource, err := customresource.New(a.definition, a.Document, version, a.environments.Within(a.budget))
	if err != nil {
		a.invalid([]string{err.Error()})
		return
	}
	object, old := a.read(kinds, resource, fragment.Self, a.Object()), a.read(kinds, resource, fragment.OldSelf, a.Old())
	if a.out.State == report.RulesInvalid {
		return
	}
	a.out.Operation = request.Create
	if old != nil {
		a.out.Operation = request.Update
	}
	found := newReport(a.report.Kubernetes)
	chain := &run.Chain{Evaluator: a.evaluator.Unrecorded(), Version: a.version, Catalog: kinds, Expressions: a.environments, Cluster: a.cluster, Report: found,
		Attributes: run.Attributes{Request: match.Request{Kind: resource.Kind, Resource: gvr(a.definition, version), Name: fragment.Self, Operation: a.out.Operation, Object: object, OldObject: old}}}
	if a.recordRules != nil {
		chain.RecordRules = func(r rules.Record) { a.record(r, kinds) }
	}
	chain.Start()
	status, step := customresource.Validate(chain, resource)
	a.take(step, found)
	a.out.State, a.out.Reason = report.RulesValid, step.Reason
	if status != nil {
		a.invalid(step.Messages)
		a.out.Reason = step.Reason
	}
}

// record keeps what the rules were asked about.
func (a *alone) record(r rules.Record, kinds *catalog.Catalog) {
	path := r.RulePath
	r.RulePath = func(v *rules.Validator, index int, field string) string { return a.Path(path(v, index, field)) }
	out := RecordedRules{Record: r, Catalog: kinds, Step: -1}
	if !a.Whole() {
		out.Inside = fragment.Self
	}
	a.recordRules(out)
}

func gvr(d *crd.Definition, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.Spec.Group, Version: version, Resource: d.Spec.Names.Plural}
}

// read brings a value into the form in which the server checks it: with defaults, and
// without what the schema does not have.
func (a *alone) read(kinds *catalog.Catalog, resource *customresource.Resource, field string, object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	if err := resource.Unreadable(object); err != nil {
		a.invalid([]string{err.Error()})
		return nil
	}
	normal, dropped := kinds.Normalise(resource.Kind, object)
	for _, problem := range dropped {
		path := a.valuePath(field, problem.Path)
		a.diagnose([]diag.Diagnostic{{Code: codes.UnknownField, Severity: diag.Warning, Text: diag.Expression, Span: a.Document.LocateKey(path), Path: path, Summary: "unknown field \"" + path + "\"", Detail: "The server drops it: the schema does not have it."}})
	}
	if normal == nil {
		normal = object
	}
	return kinds.Roundtrip(resource.Kind, kinds.Default(resource.Kind, normal))
}

// valuePath is the path of a field of the object as one of the text.
func (a *alone) valuePath(field, path string) string {
	if a.Whole() {
		return field + "." + path
	}
	return field + path[min(len(fragment.Self), len(path)):]
}

// invalid reports a value that the server rejects.
func (a *alone) invalid(messages []string) {
	a.out.State, a.out.Reason, a.out.Messages = report.RulesInvalid, "The server rejects the value.", messages
}

// take takes over what a step says.
func (a *alone) take(step *report.Step, found *report.Report) {
	a.out.Warnings = append(a.out.Warnings, step.Warnings...)
	a.out.Validations, a.out.Notes = step.Validations, step.Notes
	a.out.Evaluations(func(e *report.Evaluation) { e.Path = a.Path(e.Path) })
	if len(found.Budgets) > 0 {
		b := found.Budgets[0]
		b.Step, b.Policy = -1, ""
		a.out.Budget = &b
	}
}
