// Package evaluate takes one request through the stages of a server, in their order.
package evaluate

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/builtin"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/safety"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objects"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// RecordRules is handed the schema rules that were asked about one object, what knows the kind of
// the object, and the index of the step, -1 for rules that no definition has. inside is the field of
// the object that holds the value, where it is not the object.
type RecordRules func(asked rules.Record, kinds *catalog.Catalog, step int, inside string)

// Evaluation is one request under way.
type Evaluation struct {
	*compile.Compiled
	Store    *compile.Store
	Scenario scenario.Scenario // with the request
	Options  options.Options
	Once     bool // the text of the request is not kept: it does not come again
	// HadRequest says that there was a request to run.
	HadRequest bool
	Evaluator  *eval.Evaluator
	Budget     *worklimit.Budget
	// RecordRules is handed what rules were asked about; nil records nothing.
	RecordRules RecordRules
	// Ended is why there is no verdict; nil when there is one.
	Ended *worklimit.Ended

	Report    *report.Report
	documents map[diag.Text][]*scenario.Document // of the texts that were read for this run
	Cluster   *cluster.Cluster                   // with what the request shows to exist
	Now       string
	// responses are those of the webhooks, not given yet.
	responses        webhook.Responses
	MutatingPolicies []*mutate.Policy
	MutatingHooks    []*webhook.Hook
	// ValidatingPolicies and ValidatingHooks are those that run.
	ValidatingPolicies []*validate.Policy
	ValidatingHooks    []*webhook.Hook

	// decoding are the warnings of the server about fields that it drops.
	decoding []string
	// ownersTwice is its warning about owners that the object names twice.
	ownersTwice string
	// Deleted says that the object of a deletion is already being deleted, so the server skips admission.
	Deleted bool
	// Form is how the request was given.
	Form requestForm
	// builtin are the built-in plugins as they run for this request.
	builtin plugins.Set

	Chain *run.Chain
	// Initial is the request as the chain received it.
	Initial  run.Attributes
	policies *mutate.Plugin
	mutating *webhook.Plugin
	// afterMutation is the object at the end of the mutating phase.
	afterMutation map[string]any
	// placeholders are the pointers of what stands for a server's chance, and
	// variant which of the placeholders it is.
	placeholders []string
	variant      int
	// Stored says that the request got as far as storage; Validated is what was
	// checked of its object then.
	Stored    bool
	Validated builtin.Outcome
	// Registered is the answer of the server's own code for the kind; nil where it was not asked.
	Registered *registry.Answer
}

// Begin starts a run with a report of its own and webhooks that have not been
// called.
func Begin(ctx context.Context, c *compile.Configuration, o options.Options, traces eval.Options) *Evaluation {
	traces.Clock = o.Clock
	return &Evaluation{
		Compiled: c.Compiled, Store: c.Store, Scenario: c.Settings, Options: o, Evaluator: eval.NewEvaluator(ctx, traces), Budget: traces.Budget,
		Report: c.Begun(), Cluster: c.Cluster, Now: compile.Now(c.Settings),
		responses: c.Responses.Fresh(), MutatingPolicies: c.MutatingPolicies, MutatingHooks: c.MutatingHooks,
		ValidatingPolicies: c.ValidatingPolicies, ValidatingHooks: c.ValidatingHooks,
	}
}

// ReadRequest reads the request text and puts the request at the beginning of
// the chain. It is false when there is no request to run.
func (e *Evaluation) ReadRequest() bool {
	texts := e.Store.Texts.Within(e.Budget)
	if e.Once {
		texts = texts.Once(e.Budget)
	}
	r, problems := request.Parse(texts, e.Scenario.Request, e.Scenario.Options.Request, e.Catalog)
	e.ofDefinitions(problems)
	e.Diagnose(problems)
	if r == nil {
		return false
	}
	object, old := e.Budget.Measure(r.Object), e.Budget.Measure(r.OldObject)
	// From here to the end each value is looked at many times.
	e.Budget.Work(perValue * (object.Values + old.Values))
	e.Report.Request = r.Report(e.KindValues.KindText(r.Kind), e.KindValues.ResourceText(r.Resource))
	e.Report.Sent, e.Report.Input, e.Report.OldObject = r.Object, r.Object, r.OldObject
	e.Form = e.form(r)
	if status := e.notServed(r); status != nil {
		e.refuse(status)
		return false
	}
	if status := e.tooLarge(r, object.Bytes); status != nil {
		e.reject(r, status)
		return false
	}
	if status := r.ValidateOptions(); status != nil {
		e.reject(r, status)
		e.Diagnose(e.invalidOptions(status))
		return false
	}
	if status := e.readStored(r); status != nil {
		e.reject(r, status)
		return false
	}
	read := e.decode
	if r.Apply != nil {
		read = e.apply
	}
	if status, problems := read(r); status != nil {
		e.reject(r, status)
		e.Diagnose(problems)
		return false
	}
	if !e.Form.Captured {
		if r.Form != request.Object {
			e.Report.Request.Derived = append(e.Report.Request.Derived, e.Form.whyDefaults())
		}
		e.Budget.Enter("the request's defaults")
		e.charge(r.Object, object)
		e.charge(r.OldObject, e.Budget.Measure(r.OldObject))
		dropped, problems := r.Complete(e.Catalog)
		for _, given := range dropped {
			e.Diagnose(objects.Joined(e.ofClosedObject(r, inText(r, given).UnknownFields(given.Dropped))))
		}
		e.Diagnose(problems)
		if !e.AdmissionOnly() {
			if status := storage.Misaddressed(e.Catalog, r.Request, r.Object); status != nil {
				e.reject(r, status)
				return false
			}
			r.Object, e.ownersTwice = storage.Received(e.Catalog, r.Request, r.Object, e.Now)
			e.manageFields(r)
		}
	}
	if r.Kind == untyped.Namespace && r.OldObject != nil {
		e.Cluster = e.Cluster.With(cluster.Object{GVK: r.Kind, Name: r.Name, Value: r.OldObject, Builtin: true})
	}
	e.Report.Input, e.Report.OldObject = r.Object, r.OldObject
	e.Initial = attributes(r)
	e.builtin = e.Plugins.Captured(e.Form.Captured)
	e.start()
	if r.Operation != request.Create && !e.Form.Captured {
		e.asStored()
	}
	return true
}

// decode is the server's rejection of an object that it cannot read, and the places of what is wrong.
func (e *Evaluation) decode(r *request.Request) (*apierrors.StatusError, []diag.Diagnostic) {
	if status, problems := e.undecodable(r); status != nil {
		return status, problems
	}
	fields := r.ValidateFields(e.Catalog, e.fieldValidation())
	e.decoding, e.Report.Outcome.Kubectl = fields.Warnings, fields.Strict
	return fields.Status, e.withRepairs(r, fields.Problems)
}

// attributes are what admission reads about a request.
func attributes(r *request.Request) run.Attributes {
	return run.Attributes{Request: r.Request, User: r.User, Options: r.Options, DryRun: r.DryRun, UID: r.UID}
}

// perValue is what a value of the request takes on its way, policies apart: it is
// checked, defaulted, copied, compared and written.
const perValue = 700

// AdmissionOnly reports whether only admission runs, without what the server does before and after it.
func (e *Evaluation) AdmissionOnly() bool {
	return e.Options.AdmissionOnly || e.Scenario.Options.AdmissionOnly
}

// reject writes a rejection that comes before admission. The server authorizes a request before it reads
// the body. Its other answers have the warnings that are known by then.
func (e *Evaluation) reject(r *request.Request, status *apierrors.StatusError) {
	e.Initial = attributes(r)
	e.start()
	if denied, _ := e.authorize(); denied != nil {
		status = denied
	} else {
		e.warnOfReading()
		e.Report.Outcome.Warnings = e.Chain.Warnings()
	}
	e.Chain = nil // the request does not get there
	e.refuse(status)
}

// start puts the request at the beginning of the chain.
func (e *Evaluation) start() {
	e.Chain = &run.Chain{Evaluator: e.Evaluator, Version: e.Version, Catalog: e.Catalog, Expressions: e.Environments, Cluster: e.Cluster,
		Matcher: match.New(e.Version, e.Catalog, e.Cluster), Report: e.Report, Attributes: e.Initial, KindValues: &e.KindValues, Captured: e.Form.Captured,
		Expected: 2*(len(e.MutatingPolicies)+len(e.MutatingHooks)) + len(e.ValidatingPolicies) + len(e.ValidatingHooks)}
	if e.RecordRules != nil {
		e.Chain.RecordRules = func(r rules.Record) {
			e.RecordRules(r, e.Catalog, e.Chain.Current(), "")
		}
	}
	e.Chain.Start()
	e.Chain.Authorizer = e.Rules.Authorizer(rbac.Mode(e.Scenario.Options.Authorizer), e.Chain.Authorized)
}

// Run takes the request through the chain (semantics §0): the mutating phase,
// twice when something asks for it, what storage changes, the validating phase.
func (e *Evaluation) Run() {
	policies := func(c *run.Chain) (*apierrors.StatusError, *report.Step) {
		return validate.Validate(c, e.ValidatingPolicies)
	}
	hooks := &webhook.Plugin{Hooks: e.ValidatingHooks, Responses: e.responses}
	stages := []func(*run.Chain) (*apierrors.StatusError, *report.Step){
		e.escalation, e.prepareStorage, e.validate, e.customResource, e.authorizeCreation, e.builtin.Validate, policies, hooks.Validate, e.builtin.ValidateLast, e.related, e.store,
	}
	e.linkRequested()
	status, step := e.mutated()
	for _, stage := range stages {
		if status != nil || e.Deleted {
			break
		}
		status, step = stage(e.Chain)
	}
	e.Chain.SayUnanswered()
	e.outcome(status, step)
}

// warnOfReading sends the warnings about the request's version and the object as it was read.
func (e *Evaluation) warnOfReading() {
	e.warnOfDeprecation()
	for _, warning := range e.decoding {
		e.Chain.Warn(warning)
	}
	if e.ownersTwice != "" {
		e.Chain.Warn(e.ownersTwice)
	}
}

// precondition checks that an update or a deletion is of the stored object, by its uid and a deletion's
// preconditions, and whether a deletion goes through admission.
func (e *Evaluation) precondition() (*apierrors.StatusError, *report.Step) {
	if e.AdmissionOnly() {
		return nil, nil
	}
	status := (&storage.Storage{Chain: e.Chain}).Precondition()
	reason := "the object has another uid"
	if r := e.Form.text; status == nil && e.Initial.Operation == request.Delete && !e.Form.Captured {
		e.Deleted, status = r.BeforeDelete(e.Version)
		e.Initial.Options, e.Chain.Attributes.Options = r.Options, r.Options
		reason = "a precondition of the deletion does not hold"
	}
	if e.Deleted {
		e.Report.Request.Derived = append(e.Report.Request.Derived, "The object is being deleted already, and the request asks for no shorter period. The server answers without policies and webhooks.")
	}
	if status == nil {
		return nil, nil
	}
	return e.serverStep(report.Step{Phase: report.Mutating, Policy: "storage", Reason: reason}, status)
}

// prepareStorage does what storage does before the validating phase.
func (e *Evaluation) prepareStorage(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	s := storage.Storage{Chain: c, Now: e.Now, Changes: e.Scenario.BeforeValidation, Variant: e.variant, SharedOnly: e.AdmissionOnly(),
		Registry: e.Store.Registry}
	var status *apierrors.StatusError
	if !e.AdmissionOnly() {
		status = s.Conflict()
	}
	if status == nil {
		var problems []diag.Diagnostic
		problems, status = s.Prepare()
		e.placeholders, e.Registered = s.Placeholders, s.Registered
		e.Diagnose(problems)
	}
	if status == nil {
		return nil, nil
	}
	mutate.IdentityRefused(c.Steps())
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage"}, status)
}

// related reads and changes the objects that a subresource is about: the Pod of an eviction or a binding,
// and what a token is bound to.
func (e *Evaluation) related(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	if e.AdmissionOnly() {
		return nil, nil
	}
	s := &storage.Storage{Chain: c}
	for _, check := range []struct {
		reason string
		of     func() *apierrors.StatusError
	}{{"the Pod cannot be evicted", s.Evict}, {"the Pod cannot be bound", s.Bind}, {"the token cannot be bound", s.BindToken}} {
		if status := check.of(); status != nil {
			return e.serverStep(report.Step{Phase: report.Validating, Policy: "storage", Reason: check.reason}, status)
		}
	}
	return nil, nil
}

// validate checks an object of a built-in kind.
func (e *Evaluation) validate(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	c.Pass, e.Stored = 0, true // there is one validating phase, whatever the mutating one took
	if e.AdmissionOnly() {
		return nil, nil
	}
	if e.Registered != nil {
		e.Validated = builtin.Outcome{Complete: true, Status: e.Registered.Status}
		for _, warning := range e.Registered.Warnings {
			c.Warn(warning)
		}
	} else if (&storage.Storage{Chain: c}).Evicts() {
		e.Validated.Complete = true
	} else if e.Validated = builtin.Validate(c); e.Validated.Status == nil {
		e.validateConfiguration()
	}
	e.validateElsewhere()
	if e.Validated.Status != nil && e.invalidBefore(e.Validated.Status) {
		e.Diagnose(e.leftAside(e.Validated.Status))
		e.Validated.Status = nil
	}
	if e.Validated.Status == nil {
		return nil, nil
	}
	e.Diagnose(e.invalidObject(e.Validated.Status))
	if ofIdentity(e.Validated.Status) {
		mutate.IdentityRefused(c.Steps())
	}
	return e.serverStep(report.Step{Phase: report.Validating, Policy: "validation", Reason: "the object is not valid"}, e.Validated.Status)
}

// ofIdentity reports whether an object is rejected for what tells it from others, such as another
// name on an update.
func ofIdentity(status *apierrors.StatusError) bool {
	details := status.ErrStatus.Details
	return details != nil && slices.ContainsFunc(details.Causes, func(c metav1.StatusCause) bool {
		return c.Field == "metadata.name" || c.Field == "metadata.uid" || c.Field == "metadata.generateName"
	})
}

// Safety is the finished run, for the checks that compare it with others.
func (e *Evaluation) Safety() *safety.Run {
	return &safety.Run{
		Report: e.Report, Sent: e.Initial.Object, AfterMutation: e.afterMutation, Operation: e.Initial.Operation,
		MutatingPolicies: e.MutatingPolicies, MutatingHooks: e.MutatingHooks, ValidatingPolicies: e.ValidatingPolicies,
		NotSimulated: e.Chain.NotSimulated, Again: e.again, Mutate: e.mutateAgain,
	}
}

// again runs the request with other mutating policies and webhooks, and another
// object. Only the result counts: nothing is traced or recorded.
func (e *Evaluation) again(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *safety.Run {
	v := e.repeatedWith(policies, hooks, object)
	v.Run()
	return v.Safety()
}

// mutateAgain is again without webhooks, to the end of the mutating phase.
func (e *Evaluation) mutateAgain(policies []*mutate.Policy, object map[string]any) *safety.Run {
	v := e.repeatedWith(policies, nil, object)
	v.outcome(v.mutated())
	return v.Safety()
}

// repeatedWith is another run at its beginning.
func (e *Evaluation) repeatedWith(policies []*mutate.Policy, hooks []*webhook.Hook, object map[string]any) *Evaluation {
	v := e.repeated()
	v.MutatingPolicies, v.MutatingHooks = policies, hooks
	v.Initial.Object = object
	v.Report.Input = object
	v.start()
	return v
}

// repeated is another run of the same request, with a report of its own.
func (e *Evaluation) repeated() *Evaluation {
	v := *e
	v.Evaluator, v.RecordRules = e.Evaluator.Untraced(), nil
	v.Report = compile.NewReport(e.Report.Kubernetes)
	v.responses = e.responses.Fresh()
	return &v
}

// Traces are the options of the expressions of a run.
func Traces(ctx context.Context, o options.Options) eval.Options {
	return eval.Options{Trace: o.Explain && !o.Brief, Brief: o.Brief, Budget: compile.Budget(ctx, o.Limits)}
}
