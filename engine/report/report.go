// Package report holds the types that the engine returns. The page,
// the command line and the tests read nothing else. The JSON field names
// are a contract; fields may be added, never renamed.
//
// Costs are CEL cost units, equal to those of the API server (semantics §2).
package report

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Report is the result of evaluating one scenario. Its objects share parts with
// each other and with the engine's caches: copy one before you change it.
type Report struct {
	// Kubernetes is the minor version that was simulated, such as "1.37".
	Kubernetes string `json:"kubernetes"`
	// Release is the patch release whose behaviour was simulated, such as "1.37.2".
	Release   string         `json:"release"`
	Request   *Request       `json:"request,omitempty"`   // the evaluated request; absent if its text could not be used
	Outcome   Outcome        `json:"outcome"`             // the client's response
	Sent      map[string]any `json:"sent,omitempty"`      // the object as in the request text
	Input     map[string]any `json:"input,omitempty"`     // the object as policies first see it (after defaults and built-in plugins)
	Object    map[string]any `json:"object,omitempty"`    // the object after all mutations
	OldObject map[string]any `json:"oldObject,omitempty"` // the object before an update or delete
	// Mutated is the object after the mutating phase, before storage adds uid,
	// creationTimestamp and similar fields: Input with the changes by policies and
	// webhooks.
	Mutated     map[string]any   `json:"mutated,omitempty"`
	Diagnostics diag.Diagnostics `json:"diagnostics"` // problems of the texts
	// Expression is the scenario's stand-alone expression, evaluated.
	Expression *Evaluation `json:"expression,omitempty"`
	// Rules is the result of the scenario's schema rules without a definition: its expression in
	// the context rule.
	Rules *Rules `json:"rules,omitempty"`
	// Install has an entry for every document that the server would reject or warn about when it is
	// created.
	Install []Install `json:"install"`
	Steps   []Step    `json:"steps"`   // what ran, in order
	Budgets []Budget  `json:"budgets"` // the used part of each cost limit
	// NotRun lists every installed policy and webhook that did not run for the request, and why. A
	// policy with several bindings is listed if it ran with none of them. It is empty without a
	// request.
	NotRun []Unmatched `json:"notRun,omitempty"`
	// Findings are the results of checks beyond the single run: idempotence, order.
	Findings []Finding `json:"findings,omitempty"`
	// WebhookGraph has the webhooks' dependencies: configurations, their webhooks,
	// Services, the Pods behind them, and the webhooks that intercept those. Absent
	// when there are none.
	WebhookGraph *Graph `json:"webhookGraph,omitempty"`
	// PolicyGraph has the fields that the mutating policies' expressions
	// read and write. Absent when there are none.
	PolicyGraph *Graph `json:"policyGraph,omitempty"`
	// StopGraph has the cluster components that policies stop by denying requests that a healthy
	// cluster makes itself. It is absent if they deny none, or if it was not requested.
	StopGraph *Graph `json:"stopGraph,omitempty"`
	// Metrics are the server's webhook counters that this request changes.
	Metrics []Metric `json:"metrics,omitempty"`
	// Assumed lists what Preadmit supplied itself: labels of missing Namespaces, missing
	// params, webhook answers, the user and operation that expressions read, and
	// permissions without roles.
	Assumed []Assumption `json:"assumed,omitempty"`
	// Checked has the server's checks that ran for this request. NotChecked has those
	// that did not run, although a server's answer depends on them.
	Checked    []Check `json:"checked,omitempty"`
	NotChecked []Check `json:"notChecked,omitempty"`
	// Workload says whether the Pods of an admitted workload are admitted. It is nil for
	// kinds without Pods, and without the safety checks.
	Workload *Workload `json:"workload,omitempty"`
	// NotSimulated lists, in sentences, the parts of this scenario that the engine
	// does not simulate.
	NotSimulated []string `json:"notSimulated"`
	// Documents are the documents in the policies and cluster texts, in order. Only the page lists
	// them.
	Documents []Document `json:"-"`
}

// KindRefused reports whether the server rejects the definition of the request's kind: without it, the
// answer is 404.
func (r *Report) KindRefused() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.UnknownKind && d.Text == diag.Request && d.Severity == diag.Info
	})
}

// Document is one object of a text.
type Document struct {
	Text      diag.Text // the text that has it
	Span      diag.Span // its place there
	Kind      string    // such as ValidatingAdmissionPolicy
	Name      string    // of the object
	Namespace string    // of the object; empty if the text names none
	Policy    string    // the policy that a binding names
}

// Request describes the evaluated request and how its parts were derived.
type Request struct {
	Operation   string   `json:"operation"`             // CREATE, UPDATE, DELETE or CONNECT
	Kind        string   `json:"kind"`                  // group/version, Kind=K
	Resource    string   `json:"resource"`              // group/version, Resource=r
	SubResource string   `json:"subResource,omitempty"` // such as status or scale
	Name        string   `json:"name,omitempty"`        // of the object
	Namespace   string   `json:"namespace,omitempty"`   // of the object; a Namespace's is its own name
	User        string   `json:"user"`                  // the user's name
	Groups      []string `json:"groups,omitempty"`      // of the user
	DryRun      bool     `json:"dryRun"`                // nothing would be stored
	// Form is the form of the input: AdmissionReview, AdmissionRequest or object.
	Form string `json:"form"`
	// Derived lists values that were derived from the text, one
	// sentence each.
	Derived []string `json:"derived,omitempty"`
}

// Outcome is the client's response.
type Outcome struct {
	// State is the verdict on the scenario: admitted, mutated, denied, noPolicyRan, noPolicies,
	// policyRefused, noRequest or undecided. The other fields are the server's response only,
	// without rejected documents.
	State State `json:"state"`
	// StateReason explains the state in one line if the other fields do not: the first error in a
	// rejected policy, or in the request.
	StateReason string `json:"stateReason,omitempty"`
	// Kubectl is the server's message to kubectl, if the server would reject kubectl's request:
	// kubectl requests strict field validation, which the server otherwise does not do.
	Kubectl string `json:"kubectl,omitempty"`
	// Unmatched lists the scenario's policies and webhooks in the state noPolicyRan, and why each
	// did not run.
	Unmatched []Unmatched `json:"unmatched,omitempty"`
	Allowed   bool        `json:"allowed"` // the request is admitted
	// Code is the HTTP status code; 200 or 201 when allowed.
	Code    int      `json:"code"`
	Reason  string   `json:"reason,omitempty"`  // of a rejection, such as Invalid or Forbidden
	Message string   `json:"message,omitempty"` // of a rejection, as the client receives it
	Causes  []string `json:"causes,omitempty"`  // the messages in status.details.causes
	// CauseFields has the field of each cause, null where the server names none.
	CauseFields []*string `json:"causeFields,omitempty"`
	// Details is status.details without the causes. The server's
	// own errors have none.
	Details  *Details `json:"details,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // the client's warnings
	// AuditAnnotations are those that policies and webhooks publish.
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Mutated          bool              `json:"mutated"` // policies or webhooks changed the object
	// Patch is an RFC 6902 patch from the input to the final object.
	Patch []PatchOperation `json:"patch,omitempty"`
	// DecidedBy is the index in Steps of the denying step; -1 if none denied.
	DecidedBy int `json:"decidedBy"`
	// Panic is set if the real server panics on the request (a server bug).
	Panic bool `json:"panic,omitempty"`
}

// Details describe the object in a rejection's status.
type Details struct {
	Name  string `json:"name,omitempty"`  // of the object
	Group string `json:"group,omitempty"` // API group
	Kind  string `json:"kind,omitempty"`  // the resource, such as pods, in most rejections
	UID   string `json:"uid,omitempty"`   // of the object, if a webhook's response has one
}

// PatchOperation is one operation of an RFC 6902 patch.
type PatchOperation struct {
	Op    string `json:"op"`              // add, remove, replace, move, copy or test
	Path  string `json:"path"`            // a JSON pointer
	From  string `json:"from,omitempty"`  // a JSON pointer, of move and copy
	Value any    `json:"value,omitempty"` // of add, replace and test
}

// MarshalJSON writes a null value if the operation needs one: omitting it would make the patch
// invalid.
func (p PatchOperation) MarshalJSON() ([]byte, error) {
	type plain PatchOperation
	if p.Value == nil && (p.Op == "add" || p.Op == "replace" || p.Op == "test") {
		return json.Marshal(struct {
			plain
			Value any `json:"value"`
		}{plain(p), nil})
	}
	return json.Marshal(plain(p))
}

// Install is the server's response to creating one document.
type Install struct {
	Kind     string   `json:"kind"`               // of the document
	Name     string   `json:"name"`               // of the document
	Code     int      `json:"code,omitempty"`     // 0 if there are only warnings
	Reason   string   `json:"reason,omitempty"`   // such as Invalid
	Message  string   `json:"message,omitempty"`  // the server's text, verbatim
	Warnings []string `json:"warnings,omitempty"` // the server's warnings
	// Text and Span are the document's place.
	Text diag.Text `json:"text"`
	Span diag.Span `json:"span"`
}

// Phase is the phase of the admission chain.
type Phase string

// The phases.
const (
	Mutating   Phase = "mutating"
	Validating Phase = "validating"
)

// Status is a step's outcome.
type Status string

// The states of a step.
const (
	NotMatched Status = "notMatched" // rules or selectors do not match the request
	Excluded   Status = "excluded"   // a match condition is false
	Evaluated  Status = "evaluated"
	Skipped    Status = "skipped" // not run again in the second pass, or no binding
	Errored    Status = "errored"
	NotCalled  Status = "notCalled" // a webhook that matched but is not called
)

// Verdict is what a step means for the request.
type Verdict string

// The verdicts. Empty means that the step did not affect the request.
const (
	Admit  Verdict = "admit"
	Mutate Verdict = "mutate"
	Warn   Verdict = "warn"
	Audit  Verdict = "audit"
	Deny   Verdict = "deny"
)

// Step is one policy with one binding and one param, or one webhook, in one pass of the chain.
type Step struct {
	Phase   Phase  `json:"phase"`             // of the admission chain
	Pass    int    `json:"pass"`              // 0, or 1 for the second pass of the mutating phase
	Kind    string `json:"kind"`              // ValidatingAdmissionPolicy, MutatingWebhookConfiguration, ...
	Policy  string `json:"policy,omitempty"`  // the name of the policy
	Binding string `json:"binding,omitempty"` // the name of the binding
	// Param is namespace/name or name of the param object.
	Param         string `json:"param,omitempty"`
	Configuration string `json:"configuration,omitempty"` // the webhook configuration's name
	Webhook       string `json:"webhook,omitempty"`       // the name of the webhook
	// Static is set if the policy or webhook comes from a manifest file on the server,
	// not from the API.
	Static bool `json:"static,omitempty"`
	// Called is true for a webhook that the server would call.
	Called bool `json:"called,omitempty"`
	// Simulated is false for a called webhook without a WebhookResponse.
	Simulated bool `json:"simulated,omitempty"`
	// Sent is the AdmissionReview that the server posts to a webhook, even if
	// the connection fails (Called is then false).
	Sent *Review `json:"sent,omitempty"`
	// Address is the URL that the review is posted to, with the timeout.
	Address string  `json:"address,omitempty"`
	Status  Status  `json:"status"`            // the step's outcome
	Verdict Verdict `json:"verdict,omitempty"` // its effect on the request
	// Reason says in one sentence why: which rule, selector, condition or
	// param decided.
	Reason        string `json:"reason"`
	FailurePolicy string `json:"failurePolicy,omitempty"` // Fail or Ignore
	// MatchedKind and MatchedResource are set when they differ from the
	// request's (matchPolicy Equivalent).
	MatchedKind     string   `json:"matchedKind,omitempty"`
	MatchedResource string   `json:"matchedResource,omitempty"`
	Error           string   `json:"error,omitempty"`    // the server's text
	Messages        []string `json:"messages,omitempty"` // those of failed validations
	Warnings        []string `json:"warnings,omitempty"` // those that the step adds

	// Match and BindingMatch say how the request was compared with the rules
	// and selectors of the policy or webhook, and of the binding.
	Match        *Match `json:"match,omitempty"`
	BindingMatch *Match `json:"bindingMatch,omitempty"`
	// Authorizations are the checks that the expressions of this step made.
	Authorizations []Authorization `json:"authorizations,omitempty"`

	Conditions []Evaluation `json:"conditions,omitempty"` // the match conditions, in order
	// ConditionsElapsed is what all conditions took together, where it was measured.
	ConditionsElapsed time.Duration `json:"-"`
	Variables         []Evaluation  `json:"variables,omitempty"`        // those that were used, in each pass
	Mutations         []Mutation    `json:"mutations,omitempty"`        // of a MutatingAdmissionPolicy
	Validations       []Validation  `json:"validations,omitempty"`      // of a ValidatingAdmissionPolicy
	AuditAnnotations  []Evaluation  `json:"auditAnnotations,omitempty"` // of a ValidatingAdmissionPolicy
	// RuleCosts are the estimates by which the server accepts or rejects the rules of a
	// CustomResourceDefinition that the request writes.
	RuleCosts []RuleCost `json:"ruleCosts,omitempty"`

	Before map[string]any   `json:"before,omitempty"` // the object before the step, when it mutates
	After  map[string]any   `json:"after,omitempty"`  // the object after it
	Diff   []PatchOperation `json:"diff,omitempty"`   // from before to after

	Notes []Note `json:"notes,omitempty"` // rules that explain the result
	// Text and Span are the policy's or webhook's place.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
}

// OfPolicy reports whether the step belongs to a policy or webhook from the scenario, and not to
// the server itself.
func (s *Step) OfPolicy() bool {
	return s.Webhook != "" || strings.HasSuffix(s.Kind, "AdmissionPolicy")
}

// HadSay reports whether a policy's or webhook's step affected the verdict: it ran, or it could not
// run and denied the request for that. A webhook whose response is assumed does not count.
func (s *Step) HadSay() bool {
	return s.OfPolicy() && (s.Ran() && !s.AnswerAssumed() || s.Verdict == Deny)
}

// AnswerAssumed reports whether the step is a webhook call without a response, which is assumed to
// admit the request unchanged.
func (s *Step) AnswerAssumed() bool { return s.Webhook != "" && s.Called && !s.Simulated }

// PolicyRan reports whether any policy or webhook of the scenario matched the
// request.
func (r *Report) PolicyRan() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.HadSay() })
}

// NoPolicyAsked reports whether the request was admitted without any policy or webhook.
func (r *Report) NoPolicyAsked() bool {
	return (r.Outcome.Allowed || len(r.Steps) == 0) && !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.OfPolicy() })
}

// Note explains a rule that a reader may not expect. Code is stable.
type Note struct {
	Code string `json:"code"` // see the list of diagnostics
	Text string `json:"text"` // one or two sentences
}

// Evaluation is one run of one CEL expression.
type Evaluation struct {
	Name string `json:"name,omitempty"` // of the condition, variable or annotation
	// Path is the field of the expression: spec.validations[0].expression.
	Path       string    `json:"path,omitempty"`
	Text       diag.Text `json:"text,omitempty"` // where the expression is
	Span       diag.Span `json:"span"`           // the expression in that text
	Expression string    `json:"expression"`     // as it is in the object
	// Result is the value as JSON; absent on an error.
	Result any    `json:"result,omitempty"`
	Type   string `json:"type,omitempty"`  // of the value
	Error  string `json:"error,omitempty"` // the server's text
	// Cost is this expression's own cost, without its variables; -1 if it never ran.
	Cost int64 `json:"cost"`
	// Cached says that a variable was read again after its evaluation, at no cost.
	Cached bool `json:"cached,omitempty"`
	// Evaluated is false for expressions that never ran (an unread variable,
	// an aborted list).
	Evaluated bool   `json:"evaluated"`
	Children  []Node `json:"children,omitempty"` // the values of its parts
	// Asked names what the evaluation read besides the object, its params and the authorizer:
	// oldObject, namespaceObject, request.userInfo and the like.
	Asked []string `json:"-"`
	// Elapsed is the evaluation's time on this machine, including variables that it computed and,
	// for a mutation, its application; 0 if not measured.
	Elapsed time.Duration `json:"-"`
	// Decisive is the smallest part that made the expression false or fail, which may be the whole
	// expression. It is absent if neither happened, or if the parts have no values.
	Decisive *Part  `json:"decisive,omitempty"`
	Notes    []Note `json:"notes,omitempty"` // rules that explain the result
	// List is the expression's list: conditions, validations, messages, auditAnnotations, mutation
	// or rules. A list shares variables and a budget. A stand-alone expression has its context's
	// list.
	List List `json:"list,omitempty"`
	// Variables are those that this evaluation computed (mutations and stand-alone expressions).
	Variables []Evaluation `json:"variables,omitempty"`
	// Outlook reports whether larger objects exceed the limit of a single call.
	Outlook *Outlook `json:"outlook,omitempty"`
}

// Part is a place within an expression.
type Part struct {
	Span diag.Span `json:"span"` // in the text that the expression is in
	// Start and End are rune offsets in the expression itself.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Node is one sub-expression, with macros as written. Selections nest to the left: the child of
// a.b.c is a.b.
type Node struct {
	Span diag.Span `json:"span"` // in the text that the expression is in
	// Start and End are rune offsets in the expression itself.
	Start int `json:"start"`
	End   int `json:"end"`
	// Kind is literal, variable, select, index, call, logical, ternary, list,
	// map, struct, macro, or declared (the variable that a macro declares).
	Kind string `json:"kind"`
	// Name is the name of the variable, field, function (operators as CEL names
	// them: _+_), macro or type.
	Name  string `json:"name,omitempty"`
	Value any    `json:"value,omitempty"` // of the last run, in a loop
	// Shown is Value as text if its JSON is not enough: omissions and
	// optionals, which JSON does not have, are not in quotes.
	Shown string `json:"shown,omitempty"`
	Type  string `json:"type,omitempty"` // of the value
	// Error is set at the part that raised it, not at its parents.
	Error string `json:"error,omitempty"`
	// Cost is this part's own cost, over all runs. The costs of an expression's parts add up to the
	// expression's cost.
	Cost int64 `json:"cost"`
	// Evaluated is false for a part skipped by short-circuiting.
	Evaluated bool `json:"evaluated"`
	// Failed says that the part has no value because a part below it raised an error.
	Failed bool `json:"failed,omitempty"`
	// Count is the number of runs inside a loop, if more than one.
	Count int `json:"count,omitempty"`
	// Values are the single runs' values, capped: the first ones, the first failure (as "error:
	// ..."), and the last. At has the enclosing loops' iterations for each of them, outermost
	// first, from 0. Both are absent if no loop variable occurs, because every run is equal.
	Values []any   `json:"values,omitempty"`
	At     [][]int `json:"at,omitempty"`
	// ShownValues has Shown for each of Values, empty if its JSON is enough. It is absent if all
	// are empty.
	ShownValues []string `json:"shownValues,omitempty"`
	Cut         bool     `json:"cut,omitempty"` // Value or Values were shortened
	// Decided is the iteration that decided an all or exists, or raised a loop's error.
	Decided *int `json:"decided,omitempty"`
	// Note explains Error or Decided in a sentence about the data.
	Note string `json:"note,omitempty"`
	// Missing is the missing key, Has lists the existing keys (capped), and Nearest is the key that
	// was probably intended.
	Missing  string   `json:"missing,omitempty"`
	Has      []string `json:"has,omitempty"`
	Nearest  string   `json:"nearest,omitempty"`
	Children []Node   `json:"children,omitempty"` // its parts
}

// Mutation is one mutation of a MutatingAdmissionPolicy.
type Mutation struct {
	Evaluation
	PatchType string           `json:"patchType"`        // ApplyConfiguration or JSONPatch
	Before    map[string]any   `json:"before,omitempty"` // the object before the mutation
	After     map[string]any   `json:"after,omitempty"`  // the object after it
	Diff      []PatchOperation `json:"diff,omitempty"`   // from before to after
	// Patch is the JSON patch that the expression returned (JSONPatch only).
	Patch []PatchOperation `json:"patch,omitempty"`
	// Applied is false when the patch was not applied: an error, or a failed
	// test operation.
	Applied bool `json:"applied"`
}

// Validation is one validation of a ValidatingAdmissionPolicy.
type Validation struct {
	Evaluation
	// Decision is admit or deny.
	Decision Verdict `json:"decision,omitempty"`
	// Message is the text that the client gets, Reason the status reason.
	Message string `json:"message,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// MessageExpression is the run of the messageExpression, if there is one.
	MessageExpression *Evaluation `json:"messageExpression,omitempty"`
}

// Budget is one cost limit and its used part.
type Budget struct {
	// Scope is call, matchConditions, validations, auditAnnotations, mutation or
	// rules (those of a custom resource, all together).
	Scope Scope `json:"scope"`
	Limit int64 `json:"limit"` // in CEL cost units
	Used  int64 `json:"used"`  // in CEL cost units
	// Exceeded says that the limit was exceeded.
	Exceeded bool   `json:"exceeded,omitempty"`
	Step     int    `json:"step"`             // index in Steps
	Policy   string `json:"policy,omitempty"` // the name of the policy
	Name     string `json:"name,omitempty"`   // the expression, for scope call
	// Outlook says whether larger objects exceed the limit.
	Outlook *Outlook `json:"outlook,omitempty"`
}

// Finding is the result of a check that compares several runs.
type Finding struct {
	Code    string           `json:"code"`             // see the list of diagnostics
	Level   diag.Severity    `json:"level"`            // how bad it is
	Policy  string           `json:"policy,omitempty"` // the policy concerned
	Other   string           `json:"other,omitempty"`  // the policy or webhook whose change it undoes
	Summary string           `json:"summary"`          // one line
	Detail  string           `json:"detail,omitempty"` // its consequence
	Diff    []PatchOperation `json:"diff,omitempty"`   // what differs
}

// Evaluations calls f for every evaluation of a step, including nested ones.
func (s *Step) Evaluations(f func(*Evaluation)) { s.evaluations(f, true) }

// Deciding calls f for each evaluation that affects the request: all except those of messages and
// annotations.
func (s *Step) Deciding(f func(*Evaluation)) { s.evaluations(f, false) }

func (s *Step) evaluations(f func(*Evaluation), all bool) {
	each := func(list []Evaluation) {
		for i := range list {
			f(&list[i])
		}
	}
	each(s.Conditions)
	each(s.Variables)
	for i := range s.Mutations {
		f(&s.Mutations[i].Evaluation)
		each(s.Mutations[i].Variables)
	}
	for i := range s.Validations {
		f(&s.Validations[i].Evaluation)
		if m := s.Validations[i].MessageExpression; m != nil && all {
			f(m)
		}
	}
	if all {
		each(s.AuditAnnotations)
	}
}
