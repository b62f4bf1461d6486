package expression

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
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
func rulesAlone(e *evaluate.Evaluation) {
	docs, problems := e.Store.Texts.Within(e.Budget).Documents(diag.Expression, e.Scenario.Expression)
	e.Diagnose(problems)
	if len(docs) == 0 {
		return
	}
	if len(docs) > 1 {
		e.Diagnose([]diag.Diagnostic{{Code: codes.SeveralDocuments, Severity: diag.Error, Text: diag.Expression, Span: docs[1].Span,
			Summary: "the rules must be one document; only the first is read", Detail: "schema, self and oldSelf are fields of it."}})
	}
	f, problems := fragment.Read(docs[0])
	e.Diagnose(problems)
	if f == nil {
		return
	}
	e.KeepDocuments(diag.Expression, []*scenario.Document{f.Document})
	a := &alone{Evaluation: e, Fragment: f, out: &report.Rules{State: report.RulesUndecided}}
	e.Report.Rules = a.out
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
	*evaluate.Evaluation
	*fragment.Fragment
	definition *crd.Definition
	out        *report.Rules
}

// install says what the server makes of the schema, and reports whether it takes it.
func (a *alone) install() bool {
	refused := compile.RefusedDefinition{Document: a.Document, Plain: a.Scenario.Expression, Version: a.Version, Sets: a.Store.Environments.Within(a.Budget)}
	d, err := crd.Decode(a.Definition())
	if err != nil {
		a.refuse(&refused, apierrors.NewBadRequest(err.Error()))
		return false
	}
	a.definition, refused.Decoded = d, d
	d.PrepareForCreate(a.Version)
	ctx, environments := a.Evaluator.Context(), a.Environments.Within(a.Budget)
	errs := definition.Validate(ctx, d, environments)
	for _, c := range definition.Costs(ctx, d, environments) {
		path := a.Path(c.Path)
		if c.Rules > 0 {
			path = fragment.Schema
		}
		cost := compile.RuleCost(c)
		cost.Path, cost.Text, cost.Span = path, diag.Expression, a.Document.Locate(path)
		a.out.Costs = append(a.out.Costs, cost)
	}
	if len(errs) > 0 {
		a.refuse(&refused, crd.Invalid(crd.GroupKind, d.Name, errs, a.Version))
		return false
	}
	a.out.Warnings = d.Warnings(nil, a.Version)
	return true
}

// refuse reports a schema that the server rejects.
func (a *alone) refuse(refused *compile.RefusedDefinition, status *apierrors.StatusError) {
	a.out.State, a.out.Reason = report.RulesRefused, "The server rejects the schema."
	if details := status.ErrStatus.Details; details != nil {
		for _, cause := range details.Causes {
			a.out.Messages = append(a.out.Messages, strings.TrimPrefix(a.Path(cause.Field)+": "+cause.Message, ": "))
		}
	}
	if len(a.out.Messages) == 0 {
		a.out.Messages = []string{status.ErrStatus.Message}
	}
	for _, problem := range refused.Problems(status) {
		problem.Path, problem.Document = a.Path(problem.Path), ""
		a.Diagnose([]diag.Diagnostic{problem})
	}
}

// check asks the rules about the value.
func (a *alone) check() {
	kinds, _ := a.Catalog.WithCRDs([]catalog.CRD{{Value: a.Definition()}}) // it has been checked
	version := a.definition.Spec.Versions[0].Name
	resource, err := customresource.New(a.definition, a.Document, version, a.Environments.Within(a.Budget))
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
	found := compile.NewReport(a.Report.Kubernetes)
	chain := &run.Chain{Evaluator: a.Evaluator.Unrecorded(), Version: a.Version, Catalog: kinds, Expressions: a.Environments, Cluster: a.Cluster, Report: found,
		Attributes: run.Attributes{Request: match.Request{Kind: resource.Kind, Resource: gvr(a.definition, version), Name: fragment.Self, Operation: a.out.Operation, Object: object, OldObject: old}}}
	if a.RecordRules != nil {
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
	inside := ""
	if !a.Whole() {
		inside = fragment.Self
	}
	a.RecordRules(r, kinds, -1, inside)
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
	if err := resource.Unreadable(kinds, object); err != nil {
		a.invalid([]string{err.Error()})
		return nil
	}
	normal, dropped := kinds.Normalise(resource.Kind, object)
	for _, problem := range dropped {
		path := a.valuePath(field, problem.Path)
		a.Diagnose([]diag.Diagnostic{{Code: codes.UnknownField, Severity: diag.Warning, Text: diag.Expression, Span: a.Document.LocateKey(path), Path: path, Summary: "unknown field \"" + path + "\"", Detail: "The server drops it: the schema does not have it."}})
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
