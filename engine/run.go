package engine

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/builtin"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/safety"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// evaluation is one request under way.
type evaluation struct {
	*compiled
	engine   *Engine
	scenario scenario.Scenario // with the request
	options  Options
	once     bool // the text of the request is not kept: it does not come again
	// answerFirst leaves the checks of safety and the requests that are foreseen for later; later
	// says that they are left. hadRequest says that there was a request to run.
	answerFirst, later, hadRequest bool
	evaluator                      *eval.Evaluator
	budget                         *budget.Budget
	// recordRules is handed what rules were asked about; nil records nothing.
	recordRules func(RecordedRules)
	// ended is why there is no verdict; nil when there is one.
	ended *budget.Ended

	report    *report.Report
	documents map[diag.Text][]*scenario.Document // of the texts that were read for this run
	cluster   *cluster.Cluster                   // with what the request shows to exist
	now       string
	// responses are those of the webhooks, not given yet.
	responses        webhook.Responses
	mutatingPolicies []*mutate.Policy
	mutatingHooks    []*webhook.Hook
	// validatingPolicies and validatingHooks are those that run.
	validatingPolicies []*validate.Policy
	validatingHooks    []*webhook.Hook

	// decoding are the warnings of the server about fields that it drops.
	decoding []string
	// ownersTwice is its warning about owners that the object names twice.
	ownersTwice string
	// deleted says that the object of a deletion is being deleted already, so that no admission is asked.
	deleted bool
	// form is how the request was given.
	form requestForm
	// builtin are the built-in plugins as they run for this request.
	builtin plugins.Set

	chain *run.Chain
	// initial is the request as the chain received it.
	initial  run.Attributes
	policies *mutate.Plugin
	mutating *webhook.Plugin
	// afterMutation is the object at the end of the mutating phase.
	afterMutation map[string]any
	// placeholders are the pointers of what stands for a server's chance, and
	// variant which of the placeholders it is.
	placeholders []string
	variant      int
	// stored says that the request got as far as storage; validated is what was
	// checked of its object then.
	stored    bool
	validated builtin.Outcome
	// registered is the answer of the server's own code for the kind; nil where it was not asked.
	registered *registry.Answer
}

// begin starts a run with a report of its own and webhooks that have not been
// called.
func (c *Configuration) begin(ctx context.Context, o Options, traces eval.Options) *evaluation {
	traces.Clock = o.Clock
	return &evaluation{
		compiled: c.compiled, engine: c.engine, scenario: c.settings, options: o, evaluator: eval.NewEvaluator(ctx, traces), budget: traces.Budget,
		report: c.begun(), cluster: c.cluster, now: now(c.settings),
		responses: c.responses.Fresh(), mutatingPolicies: c.mutatingPolicies, mutatingHooks: c.mutatingHooks,
		validatingPolicies: c.validatingPolicies, validatingHooks: c.validatingHooks,
	}
}

// evaluate runs the request, if there is one, and completes the report. There is
// none for a context that was canceled.
func (e *evaluation) evaluate(ctx context.Context) (*report.Report, error) {
	ran := false
	if e.ended = e.compiled.ended; e.ended == nil {
		if ended := e.budget.Run(func() {
			e.budget.Enter("reading the request")
			if ran = e.readRequest(); ran {
				e.run()
				if e.options.Brief {
					return
				}
				e.missingNamespace()
				e.missingParams()
				e.missingParamKinds()
				e.existing()
			}
		}); ended != nil {
			e.cut(ended)
		}
	}
	if e.ended == nil && !e.options.Brief {
		e.optional("The expression's values", expressionShare, e.expression)
	}
	e.finish()
	e.hadRequest = ran
	if e.later = e.ended == nil && !e.options.Brief && (ran && e.options.Safety || e.options.Foresee); e.later && !e.answerFirst {
		e.checkSafety()
	}
	e.tryRepairs(ctx)
	if e.later && !e.answerFirst {
		e.foresee(ctx)
	}
	if budget.Canceled(ctx) {
		return nil, context.Cause(ctx)
	}
	return e.report, nil
}

// readRequest reads the request text and puts the request at the beginning of
// the chain. It is false when there is no request to run.
func (e *evaluation) readRequest() bool {
	texts := e.engine.texts.Within(e.budget)
	if e.once {
		texts = texts.Once(e.budget)
	}
	r, problems := request.Parse(texts, e.scenario.Request, e.scenario.Options.Request, e.catalog)
	e.ofDefinitions(problems)
	e.diagnose(problems)
	if r == nil {
		return false
	}
	object, old := e.budget.Measure(r.Object), e.budget.Measure(r.OldObject)
	// From here to the end each value is looked at many times.
	e.budget.Work(perValue * (object.Values + old.Values))
	e.report.Request = r.Report(e.kindValues.KindText(r.Kind), e.kindValues.ResourceText(r.Resource))
	e.report.Sent, e.report.Input, e.report.OldObject = r.Object, r.Object, r.OldObject
	if status := r.ValidateOptions(); status != nil {
		e.refuse(status)
		return false
	}
	if status, problems := e.undecodable(r); status != nil {
		e.refuse(status)
		e.diagnose(problems)
		return false
	}
	fields := r.ValidateFields(e.catalog, e.fieldValidation(r))
	if e.decoding, e.report.Outcome.Kubectl = fields.Warnings, fields.Strict; fields.Status != nil {
		e.refuse(fields.Status)
		e.diagnose(fields.Problems)
		return false
	}
	if e.defaulting(r) {
		if r.Form != request.Object {
			e.report.Request.Derived = append(e.report.Request.Derived, "The objects get the server's defaults, because options.defaulting is set. A captured request would have them.")
		}
		e.budget.Enter("the request's defaults")
		e.charge(r.Object, object)
		e.charge(r.OldObject, old)
		e.diagnose(r.Complete(e.catalog))
		if !e.admissionOnly() {
			if status := storage.Misaddressed(e.catalog, r.Request, r.Object); status != nil {
				e.refuse(status)
				return false
			}
			r.Object, e.ownersTwice = storage.Received(e.catalog, r.Request, r.Object)
			e.manageFields(r)
		}
	}
	unidentified := e.unidentified(r)
	if unidentified {
		e.manageFields(r)
	}
	if r.Kind == untyped.Namespace && r.OldObject != nil {
		e.cluster = e.cluster.With(cluster.Object{GVK: r.Kind, Name: r.Name, Value: r.OldObject, Builtin: true})
	}
	e.report.Input, e.report.OldObject = r.Object, r.OldObject
	e.initial = run.Attributes{Request: r.Request, User: r.User, Options: r.Options, DryRun: r.DryRun, UID: r.UID}
	e.form = requestForm{captured: !e.defaulting(r), madeUpUser: r.MadeUp, text: r}
	e.builtin = e.plugins.Captured(e.form.captured)
	e.start()
	switch {
	case r.Operation == request.Create:
	case e.defaulting(r):
		e.asStored()
	case unidentified:
		e.identify()
	}
	return true
}

// perValue is what a value of the request takes on its way, policies apart: it is
// checked, defaulted, copied, compared and written.
const perValue = 700

// charge charges for the defaults of an object.
func (e *evaluation) charge(object map[string]any, extent budget.Extent) {
	if object == nil {
		return
	}
	gvk := schema.FromAPIVersionAndKind(textOf(object["apiVersion"]), textOf(object["kind"]))
	e.budget.Make(4*extent.Bytes + 2*e.catalog.DefaultBytes(gvk, object))
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// admissionOnly reports whether nothing is asked that a server does around admission.
func (e *evaluation) admissionOnly() bool {
	return e.options.AdmissionOnly || e.scenario.Options.AdmissionOnly
}

// asStored gives the objects of a manifest what the built-in plugins and storage
// gave the stored object when it was created: a change leaves that as it is.
func (e *evaluation) asStored() {
	a := &e.initial
	created := storage.Storage{Chain: e.chain, Now: e.now, SharedOnly: e.admissionOnly(), Registry: e.engine.registry}
	var sent map[string]any
	if a.Operation == request.Update {
		sent = a.Object
	}
	old, object := e.builtin.Stored(e.chain, a.OldObject, sent)
	a.OldObject, object = created.Stored(old, object)
	if a.SubResource == "" || a.SubResource == "status" {
		a.OldObject, _ = e.catalog.Reread(a.Kind, a.OldObject)
	}
	if a.Operation == request.Update {
		a.Object = object
	}
	e.report.Input, e.report.OldObject = a.Object, a.OldObject
	e.start()
}

// defaulting reports whether the objects still must be brought into the form
// that the server gives them. Captured requests have it already.
func (e *evaluation) defaulting(r *request.Request) bool {
	for _, option := range []*bool{e.options.Defaulting, e.scenario.Options.Defaulting} {
		if option != nil {
			return *option
		}
	}
	return r.Form == request.Object
}

// fieldValidation is what a request asks for that does not say it: what the scenario has, or for
// an object that has not been through a server that server's default.
func (e *evaluation) fieldValidation(r *request.Request) string {
	if set := e.scenario.Options.FieldValidation; set != "" || !e.defaulting(r) {
		return set
	}
	return metav1.FieldValidationWarn
}

// start puts the request at the beginning of the chain.
func (e *evaluation) start() {
	e.chain = &run.Chain{Evaluator: e.evaluator, Version: e.version, Catalog: e.catalog, Expressions: e.environments, Cluster: e.cluster,
		Matcher: match.New(e.version, e.catalog, e.cluster), Report: e.report, Attributes: e.initial, KindValues: &e.kindValues, Captured: e.form.captured,
		Expected: 2*(len(e.mutatingPolicies)+len(e.mutatingHooks)) + len(e.validatingPolicies) + len(e.validatingHooks)}
	if e.recordRules != nil {
		e.chain.RecordRules = func(r rules.Record) {
			e.recordRules(RecordedRules{Record: r, Catalog: e.catalog, Step: e.chain.Current()})
		}
	}
	e.chain.Start()
	e.chain.Authorizer = e.rules.Authorizer(rbac.Mode(e.scenario.Options.Authorizer), e.chain.Authorized)
}

// run takes the request through the chain (semantics §0): the mutating phase,
// twice when something asks for it, what storage changes, the validating phase.
func (e *evaluation) run() {
	status, step := e.mutated()
	if e.deleted {
		e.outcome(status, step)
		return
	}
	if status == nil {
		status, step = e.escalation()
	}
	if status == nil {
		status, step = e.store()
	}
	if status == nil {
		e.chain.Pass = 0 // there is one validating phase, whatever the mutating one took
		status, step = e.validate()
	}
	if status == nil {
		status, step = e.customResource()
	}
	if status == nil {
		status, step = e.builtin.Validate(e.chain)
	}
	if status == nil {
		status, step = validate.Validate(e.chain, e.validatingPolicies)
	}
	if status == nil {
		hooks := &webhook.Plugin{Hooks: e.validatingHooks, Responses: e.responses}
		status, step = hooks.Validate(e.chain)
	}
	if status == nil {
		status, step = e.builtin.ValidateLast(e.chain)
	}
	e.outcome(status, step)
}

// mutated takes the request to the end of the mutating phase.
func (e *evaluation) mutated() (*apierrors.StatusError, *report.Step) {
	e.warnOfDeprecation()
	for _, warning := range e.decoding {
		e.chain.Warn(warning)
	}
	if e.ownersTwice != "" {
		e.chain.Warn(e.ownersTwice)
	}
	status, step := e.authorize()
	if status == nil {
		status, step = e.precondition()
	}
	if status == nil && !e.deleted {
		status, step = e.mutatingPhase()
	}
	e.afterMutation = e.chain.Attributes.Object
	return status, step
}

// precondition asks whether an update or a deletion is about the object that there is, and whether
// admission is asked about the deletion at all.
func (e *evaluation) precondition() (*apierrors.StatusError, *report.Step) {
	if e.admissionOnly() {
		return nil, nil
	}
	status := (&storage.Storage{Chain: e.chain}).Precondition()
	reason := "the object has another uid"
	if r := e.form.text; status == nil && e.initial.Operation == request.Delete && !e.form.captured {
		e.deleted, status = r.BeforeDelete()
		e.initial.Options, e.chain.Attributes.Options = r.Options, r.Options
		reason = "a precondition of the deletion does not hold"
	}
	if e.deleted {
		e.report.Request.Derived = append(e.report.Request.Derived, "The object is being deleted already, and the request asks for no shorter period. The server answers without policies and webhooks.")
	}
	if status == nil {
		return nil, nil
	}
	return e.serverStep(report.Step{Phase: report.Mutating, Policy: "storage", Reason: reason}, status)
}

// store does what storage does before the validating phase.
func (e *evaluation) store() (*apierrors.StatusError, *report.Step) {
	s := storage.Storage{Chain: e.chain, Now: e.now, Changes: e.scenario.BeforeValidation, Variant: e.variant, SharedOnly: e.admissionOnly(),
		Registry: e.engine.registry}
	var status *apierrors.StatusError
	if !e.admissionOnly() {
		status = s.Conflict()
	}
	if status == nil {
		var problems []diag.Diagnostic
		problems, status = s.Prepare()
		e.placeholders, e.registered = s.Placeholders, s.Registered
		e.diagnose(problems)
	}
	if status == nil {
		return nil, nil
	}
	mutate.IdentityRefused(e.chain.Steps())
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage"}, status)
}

// validate checks an object of a built-in kind.
func (e *evaluation) validate() (*apierrors.StatusError, *report.Step) {
	e.stored = true
	if e.admissionOnly() {
		return nil, nil
	}
	if e.registered != nil {
		e.validated = builtin.Outcome{Complete: true, Status: e.registered.Status}
		for _, warning := range e.registered.Warnings {
			e.chain.Warn(warning)
		}
	} else if e.validated = builtin.Validate(e.chain); e.validated.Status == nil {
		e.validateConfiguration()
	}
	e.validateElsewhere()
	if e.validated.Status != nil && e.invalidBefore(e.validated.Status) {
		e.diagnose(e.leftAside(e.validated.Status))
		e.validated.Status = nil
	}
	if e.validated.Status == nil {
		return nil, nil
	}
	e.diagnose(e.invalidObject(e.validated.Status))
	if ofIdentity(e.validated.Status) {
		mutate.IdentityRefused(e.chain.Steps())
	}
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "validation", Reason: "the object is not valid"}, e.validated.Status)
}

// ofIdentity reports whether an object is rejected for what tells it from others, such as another
// name on an update.
func ofIdentity(status *apierrors.StatusError) bool {
	details := status.ErrStatus.Details
	return details != nil && slices.ContainsFunc(details.Causes, func(c metav1.StatusCause) bool {
		return c.Field == "metadata.name" || c.Field == "metadata.uid" || c.Field == "metadata.generateName"
	})
}

func (e *evaluation) mutatingPhase() (*apierrors.StatusError, *report.Step) {
	e.policies = &mutate.Plugin{Policies: e.mutatingPolicies}
	e.mutating = &webhook.Plugin{Hooks: e.mutatingHooks, Responses: e.responses}
	for pass := range 2 {
		e.chain.Pass = pass
		first := len(e.chain.Steps())
		if status := e.builtin.Admit(e.chain); status != nil {
			return status, e.denying(first)
		}
		if pass == 0 {
			e.report.Input = e.chain.Attributes.Object
		}
		// Deletion has no object to mutate; the server does not register the
		// policies for it at all (semantics §0.2).
		if e.chain.Attributes.Operation != request.Delete {
			if status := e.policies.Admit(e.chain); status != nil {
				return status, e.denying(first)
			}
		}
		if status := e.mutating.Admit(e.chain); status != nil {
			return status, e.denying(first)
		}
		if !e.chain.ShouldReinvoke {
			break
		}
	}
	return nil, nil
}

// denying finds the step of this pass that denied.
func (e *evaluation) denying(first int) *report.Step {
	for _, s := range e.chain.Steps()[first:] {
		if s.Verdict == report.Deny {
			return s
		}
	}
	return nil
}

// safety is the finished run, for the checks that compare it with others.
func (e *evaluation) safety() *safety.Run {
	return &safety.Run{
		Report: e.report, Sent: e.initial.Object, AfterMutation: e.afterMutation, Operation: e.initial.Operation,
		MutatingPolicies: e.mutatingPolicies, MutatingHooks: e.mutatingHooks, ValidatingPolicies: e.validatingPolicies,
		NotSimulated: e.chain.NotSimulated, Again: e.again, Mutate: e.mutateAgain,
	}
}

// again runs the request with other mutating policies and webhooks, and another
// object. Only the result counts: nothing is traced or recorded.
func (e *evaluation) again(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *safety.Run {
	v := e.repeatedWith(policies, hooks, object)
	v.run()
	return v.safety()
}

// mutateAgain is again without webhooks, to the end of the mutating phase.
func (e *evaluation) mutateAgain(policies []*mutate.Policy, object map[string]any) *safety.Run {
	v := e.repeatedWith(policies, nil, object)
	v.outcome(v.mutated())
	return v.safety()
}

// repeatedWith is another run at its beginning.
func (e *evaluation) repeatedWith(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *evaluation {
	v := e.repeated()
	v.mutatingPolicies, v.mutatingHooks = policies, hooks
	v.initial.Object = object
	v.report.Input = object
	v.start()
	return v
}

// repeated is another run of the same request, with a report of its own.
func (e *evaluation) repeated() *evaluation {
	v := *e
	v.evaluator, v.recordRules = e.evaluator.Untraced(), nil
	v.report = newReport(e.report.Kubernetes)
	v.responses = e.responses.Fresh()
	return &v
}
