// Package webhook runs admission webhooks: it matches them, reads their
// answers from WebhookResponse documents, and applies these as the API server
// does (semantics §8).
package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The kinds of configurations.
const (
	MutatingKind   = "MutatingWebhookConfiguration"
	ValidatingKind = "ValidatingWebhookConfiguration"
)

// Hook is one webhook of a configuration.
type Hook struct {
	target
	kind          string
	configuration string
	document      *scenario.Document
	static        bool   // from a manifest file of the server
	credentials   string // what there is to say of them
	path          string // webhooks[0]
	address       string // url() of the target
	span          diag.Span
	failurePolicy *v1.FailurePolicyType
	match         match.Webhook
	conditions    []condition.Condition
	reinvocable   bool
	uid           string
}

// Name is the name of the webhook.
func (h *Hook) Name() string { return h.name }

// Configuration is the name of the object that the webhook is in.
func (h *Hook) Configuration() string { return h.configuration }

// ignore says that failures of the call are ignored.
func (h *Hook) ignore() bool { return h.failurePolicy != nil && *h.failurePolicy == v1.Ignore }

// Mutating compiles a configuration.
func Mutating(envs *eval.Environments, c *v1.MutatingWebhookConfiguration, from Origin) []*Hook {
	var out []*Hook
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		h := newHook(MutatingKind, c.Name, from, i, target{w.Name, w.ClientConfig, w.SideEffects, seconds(w.TimeoutSeconds), w.AdmissionReviewVersions, true, envs.Version()})
		h.failurePolicy, h.match = w.FailurePolicy, match.FromMutating(w).At(h.path)
		h.reinvocable = w.ReinvocationPolicy != nil && *w.ReinvocationPolicy == v1.IfNeededReinvocationPolicy
		h.compile(envs, i, w.MatchConditions)
		out = append(out, h)
	}
	return out
}

// Validating compiles a configuration.
func Validating(envs *eval.Environments, c *v1.ValidatingWebhookConfiguration, from Origin) []*Hook {
	var out []*Hook
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		h := newHook(ValidatingKind, c.Name, from, i, target{w.Name, w.ClientConfig, w.SideEffects, seconds(w.TimeoutSeconds), w.AdmissionReviewVersions, false, envs.Version()})
		h.failurePolicy, h.match = w.FailurePolicy, match.FromValidating(w).At(h.path)
		h.compile(envs, i, w.MatchConditions)
		out = append(out, h)
	}
	return out
}

// Origin is where a configuration comes from.
type Origin struct {
	Document *scenario.Document
	// Static says that it is from a manifest file of the server: its webhooks come
	// before those of the API, and are called for admission configuration too.
	Static bool
	// Credentials says how the server authenticates to a host and port; nil and "" say
	// nothing.
	Credentials func(mutating bool, hostPort string) string
}

func newHook(kind, configuration string, from Origin, i int, t target) *Hook {
	h := &Hook{target: t, address: t.url(), kind: kind, configuration: configuration, document: from.Document, static: from.Static,
		path: fieldpath.New("webhooks").Index(i).String(), uid: fmt.Sprintf("%s/%s/%d", configuration, t.name, i)}
	if h.document != nil {
		h.span = h.document.Locate(h.path)
	}
	if from.Credentials != nil {
		h.credentials = from.Credentials(t.mutating, t.host())
	}
	return h
}

// defaultTimeout is what the API sets when timeoutSeconds is missing.
const defaultTimeout = 10

func seconds(s *int32) int32 {
	if s == nil {
		return defaultTimeout
	}
	return *s
}

// compile compiles the match conditions of the webhook with that index; webhooks
// have neither params nor variables.
func (h *Hook) compile(envs *eval.Environments, index int, conditions []v1.MatchCondition) {
	compiler := envs.NewCompiler(eval.Run, false, false)
	for i, c := range conditions {
		h.conditions = append(h.conditions, condition.Condition{
			Source:   explain.Source{Document: h.document, Path: model.WebhookCondition.At(index, i).String(), Name: c.Name},
			Compiled: compiler.Compile(c.Expression, model.WebhookCondition.Result),
		})
	}
}

// Sort orders hooks as the server does: those from manifest files first, by the name
// of the configuration, then as listed.
func Sort(hooks []*Hook) {
	slices.SortStableFunc(hooks, func(a, b *Hook) int {
		if a.static != b.static {
			if a.static {
				return -1
			}
			return 1
		}
		return strings.Compare(a.configuration, b.configuration)
	})
}

// Plugin is one of the two webhook admission plugins; it lives as long as one
// request.
type Plugin struct {
	Hooks        []*Hook
	Responses    Responses
	reinvocation run.Reinvocation
}

// step begins the report of a hook.
func (h *Hook) step(c *run.Chain, phase report.Phase) *report.Step {
	s := report.Step{Phase: phase, Pass: c.Pass, Kind: h.kind, Configuration: h.configuration, Webhook: h.name, Static: h.static, FailurePolicy: string(v1.Fail)}
	if h.failurePolicy != nil {
		s.FailurePolicy = string(*h.failurePolicy)
	}
	if h.document != nil {
		s.Text, s.Span = h.document.Text, h.span
	}
	return c.AddStep(s)
}

// selected is a hook that is to be called, with what it sees.
type selected struct {
	*Hook
	index    int
	step     *report.Step
	kind     schema.GroupVersionKind
	resource schema.GroupVersionResource
	object   map[string]any // in the version of kind
	// took is how long real calls took, in seconds, where measured says that there were
	// some.
	measured bool
	took     float64
}

// selectHook decides whether a hook concerns the request (semantics §4.2).
// object is what selectors look at: they see what earlier webhooks did.
// versioned returns the object as a kind.
func selectHook(c *run.Chain, h *Hook, index int, step *report.Step, object map[string]any, versioned func(schema.GroupVersionKind) (map[string]any, error)) (*selected, *apierrors.StatusError) {
	c.Enter(step)
	s := step
	if why, exempt := c.Matcher.ExemptFromWebhooks(&c.Attributes.Request, h.static); exempt {
		s.Status, s.Match, s.Reason = report.NotMatched, &why, why.Reason
		return nil, nil
	}
	request := c.Attributes.Request
	request.Object = object
	matched := c.Matcher.Webhook(&request, &h.match, h.path)
	run.Locate(&matched.Why, h.document)
	s.Match, s.Reason = &matched.Why, matched.Why.Reason
	if matched.Err != nil {
		return nil, stop(c, step, asStatus(matched.Err))
	}
	if !matched.Matched {
		if matched.Near {
			c.FalseConditions(&matched.Why, h.conditions, nil, h.ignore())
		}
		s.Status = report.NotMatched
		return nil, nil
	}
	if matched.Kind != c.Attributes.Kind || matched.Resource != c.Attributes.Resource {
		s.MatchedKind, s.MatchedResource = matched.Kind.String(), matched.Resource.String()
	}
	seen, err := versioned(matched.Kind)
	if err != nil {
		return nil, stop(c, step, apierrors.NewInternalError(err))
	}
	in, err := c.ConditionInputs(seen, matched.Kind)
	if err != nil {
		return nil, stop(c, step, apierrors.NewInternalError(err))
	}
	outcome := condition.Evaluate(c.Evaluator, h.conditions, nil, in, h.ignore())
	c.DescribeConditions(step, outcome, func(name string) explain.Source { return explain.Source{Name: name} })
	if outcome.Err != "" {
		return nil, stop(c, step, apierrors.NewForbidden(c.Attributes.Resource.GroupResource(), c.Attributes.Name, errors.New(outcome.Err)))
	}
	if !outcome.Matches {
		return nil, nil
	}
	return &selected{Hook: h, index: index, step: step, kind: matched.Kind, resource: matched.Resource, object: seen}, nil
}

func asStatus(err error) *apierrors.StatusError {
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return status
	}
	return apierrors.NewInternalError(err)
}

// stop marks the step that ends the request.
func stop(c *run.Chain, step *report.Step, status *apierrors.StatusError) *apierrors.StatusError {
	s := step
	s.Verdict, s.Error = report.Deny, status.ErrStatus.Message
	if s.Status == "" {
		s.Status = report.Errored
	}
	return status
}

// call runs the checks and the call of one hook. A nil response without error
// is a webhook that no document answers for: it is taken to allow.
func (p *Plugin) call(c *run.Chain, s *selected) (*admissionv1.AdmissionResponse, error) {
	c.Enter(s.step)
	step := s.step
	version, err := s.prepare(c.Attributes.DryRun)
	if err != nil {
		step.Status = report.NotCalled
		return nil, err
	}
	if c.Attributes.DryRun && *s.sideEffects == v1.SideEffectClassNoneOnDryRun {
		step.Notes = append(step.Notes, report.Note{Code: codes.CalledOnDryRun,
			Text: "sideEffects is NoneOnDryRun, so the webhook is called in this dry run too; it must skip its side effects itself."})
	}
	if s.credentials != "" {
		step.Notes = append(step.Notes, report.Note{Code: codes.WebhookCredentials, Text: s.credentials})
	}
	sent, err := s.review(c, version)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	step.Sent = sent
	answers, known := p.Responses[s.name]
	address, err := s.dial(c.Cluster, known)
	if err != nil {
		return nil, s.unreached(c, step, err)
	}
	if !known {
		if why := s.withoutEndpoints(c.Cluster); why != "" {
			step.Address = s.address
			step.Reason += fmt.Sprintf("; %s, so nobody answers the call. A server with --enable-aggregator-routing says: no endpoints available for service %q", why, s.client.Service.Name)
			return nil, s.unreached(c, step, refused(address))
		}
		step.Address, step.Status, step.Called = s.address, report.Evaluated, true
		step.Reason += "; it has no WebhookResponse, so it is assumed to allow the request unchanged"
		c.Unanswered(s.name)
		return nil, nil
	}
	if err := s.connect(c, step, answers); err != nil {
		return nil, err
	}
	step.Address, step.Status, step.Called, step.Simulated = s.address, report.Evaluated, true, true
	given, err := s.exchange(c, answers)
	s.wait(c, &given)
	if err != nil {
		return nil, err
	}
	response, err := s.answer(given, version)
	if err != nil {
		return nil, err
	}
	for key, value := range response.AuditAnnotations {
		c.Annotate(s.name+"/"+key, value)
	}
	for _, w := range response.Warnings {
		step.Warnings = append(step.Warnings, w)
		c.Warn(w)
	}
	if !response.Allowed {
		return nil, &rejectedError{rejection(s.name, response.Result)}
	}
	return response, nil
}

// connect reaches the webhook. A connection that fails counts as an answer.
func (s *selected) connect(c *run.Chain, step *report.Step, answers *Answers) error {
	address, err := s.dial(c.Cluster, true)
	if err == nil {
		current := answers.current()
		if err = current.connectionError(address); err != nil {
			answers.next()
			step.Address = s.address
			s.noteCalled(current)
		}
	}
	if err == nil {
		return nil
	}
	return s.unreached(c, step, err)
}

// unreached is the error of a call that never reaches the webhook.
func (s *selected) unreached(c *run.Chain, step *report.Step, err error) error {
	step.Status = report.NotCalled
	if apierrors.IsNotFound(err) {
		why := "The scenario's cluster has Namespaces, so it counts as complete"
		switch {
		case c.Cluster.Complete():
			why = "The cluster is complete (options.completeCluster)"
		case terminating(c.Cluster, s.client.Service.Namespace):
			why = "Namespace " + s.client.Service.Namespace + " is being deleted"
		}
		step.Notes = append(step.Notes, report.Note{Code: codes.ServiceNotFound,
			Text: why + ", and the webhook's Service is not in it. Add the Service if it exists. If its program was uninstalled, delete the " + s.Hook.kind + "."})
	}
	return s.failed("failed to call webhook: %w", &url.Error{Op: "Post", URL: s.url(), Err: err})
}

// maxRetries is how often the server's client calls again.
const maxRetries = 10

// exchange calls a webhook that can be reached, and again while it asks for a later
// call: the server's client waits as many seconds as Retry-After says. The delay of
// the answer is that of all calls together.
func (s *selected) exchange(c *run.Chain, answers *Answers) (Response, error) {
	given := answers.next()
	s.noteCalled(given)
	spent, retries := max(given.DelaySeconds, 0), 0
	for ; given.retried() && !given.Timeout && retries < maxRetries; retries++ {
		wait := given.retryAfter()
		if spent += wait; wait > 0 && spent >= float64(s.timeoutSeconds) {
			given.Timeout = true
			break
		}
		if err := s.connect(c, s.step, answers); err != nil {
			given.DelaySeconds = spent
			s.noteRetries(retries+1, spent)
			return given, err
		}
		given = answers.next()
		s.noteCalled(given)
		spent += max(given.DelaySeconds, 0)
	}
	given.DelaySeconds = spent
	s.noteRetries(retries, spent)
	return given, nil
}

// noteRetries says that the webhook was called again, and how long that took.
func (s *selected) noteRetries(times int, seconds float64) {
	if times == 0 {
		return
	}
	s.step.Notes = append(s.step.Notes, report.Note{Code: codes.CalledAgain,
		Text: fmt.Sprintf("The webhook requested a retry (Retry-After). The server's client called it %d times, which took %g s of its %d s.", times+1, seconds, s.timeoutSeconds)})
}

// noteCalled says that an answer is that of a real call, and keeps how long it took.
func (s *selected) noteCalled(r Response) {
	if r.RecordedFrom != "" {
		s.measured = true
		s.took += r.TookSeconds
		s.step.Notes = append(s.step.Notes, report.Note{Code: codes.WebhookCalled,
			Text: fmt.Sprintf("This is a real answer: preadmit posted the review to %s, which took %.3g s.", r.RecordedFrom, r.TookSeconds)})
	}
}

// UnknownResponses lists WebhookResponse documents that no webhook asks for.
func UnknownResponses(responses Responses, hooks ...[]*Hook) []string {
	return unknownResponses(responses, Names(hooks...))
}

// Names are the names of webhooks.
func Names(hooks ...[]*Hook) []string {
	var names []string
	for _, list := range hooks {
		for _, h := range list {
			names = append(names, h.name)
		}
	}
	return names
}

// unknownResponses lists answers for webhooks that no configuration has.
func unknownResponses(responses Responses, names []string) []string {
	var out []string
	for name := range responses {
		if !slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
