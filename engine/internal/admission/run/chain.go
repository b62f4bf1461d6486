// Package run holds one request during the admission chain: the stages'
// shared state, the selection of policies, bindings and params (semantics
// §5), and reinvocation (§6.7).
package run

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Attributes are what the server knows of a request (semantics §0.4). Object
// is the object as it is at this point of the chain.
type Attributes struct {
	match.Request
	User    *user.DefaultInfo
	Options map[string]any
	DryRun  bool
	UID     string
}

// Chain is one request under way. The stages add steps in the order of
// execution.
type Chain struct {
	Evaluator   *eval.Evaluator
	Version     version.Version
	Catalog     *catalog.Catalog
	Expressions *eval.Environments
	Cluster     *cluster.Cluster
	Matcher     *match.Matcher
	Authorizer  authorizer.UnconditionalAuthorizer
	Report      *report.Report
	Attributes  Attributes
	// KindValues are those of the configuration.
	KindValues *KindValues
	// Captured says that the request has been through a server.
	Captured bool
	// AssumedObjects are those that Assume was told of.
	AssumedObjects []Assumed

	// RecordRules is handed what custom resource rules were asked about; nil records
	// nothing.
	RecordRules func(rules.Record)

	// MissingParams are the params that bindings asked for in vain.
	MissingParams []MissingParam
	// MissingNamespace says that the Namespace of the request was asked for and
	// does not exist.
	MissingNamespace bool

	// Pass is 0, or 1 when the mutating phase runs again.
	Pass int
	// ShouldReinvoke asks for the second pass; one stage's change sets it for
	// all.
	ShouldReinvoke bool

	// Precise says that the object is a typed one that has not been through JSON
	// yet: the time in its managedFields still has fractions of a second. They
	// are lost with the first patch, so that patch changes the object even if
	// it changes nothing else.
	Precise bool

	// Elapsed is how long the calls of mutating webhooks took, in seconds, by their
	// answers: they are made one after another.
	Elapsed float64

	// Panic is what the server logs when it crashes the request; empty
	// otherwise.
	Panic string

	// Expected is how many steps there will probably be.
	Expected int

	// steps are those so far; index is the place of each among them, when they are many.
	// room is where the last of them are.
	steps []*report.Step
	index map[*report.Step]int
	room  []report.Step
	// namespace is what Namespace has returned; nil before that.
	namespace map[string]any
	// shown is the request as expressions saw it last, typed the types of their variables.
	shown shownRequest
	typed typedKind
	// metrics are the places of those of the report.
	metrics metrics
	// current is the step whose expressions are running, nil before the first.
	current *report.Step
	// unanswered are the names of the webhooks without a WebhookResponse, in the order of their calls.
	unanswered []string

	// said is what the report says already that is not simulated; nil before the first.
	said map[string]bool
	// quiet says that the checks are repetitions.
	quiet    bool
	warnings warnings
	audit    map[string]string
}

// Start is called when the request is at the beginning of the chain.
func (c *Chain) Start() { c.Precise = c.freshlyManaged() }

// freshlyManaged reports whether the object is a typed one whose managedFields
// this request changed, so that their time is the present.
func (c *Chain) freshlyManaged() bool {
	a := &c.Attributes
	resource, known := c.Catalog.ResourceForKind(a.Kind)
	if known && !resource.Builtin {
		return false // the times of custom resources are texts
	}
	switch a.Operation {
	case "CREATE":
		return known // an Eviction, for one, has no managedFields
	case "UPDATE": // a Scale has them, although it is no resource
		return !reflect.DeepEqual(managedFields(a.Object), managedFields(a.OldObject))
	}
	return false
}

func managedFields(object map[string]any) any {
	meta, _ := object["metadata"].(map[string]any)
	return meta["managedFields"]
}

// Enter says which step's expressions run from now on.
func (c *Chain) Enter(step *report.Step) { c.current = step }

// Current is the index of the step whose expressions are running, -1 before the
// first.
func (c *Chain) Current() int { return c.Index(c.current) }

// Authorized records a check that an expression asked the authorizer for.
func (c *Chain) Authorized(check report.Authorization) {
	if !c.quiet && c.current != nil {
		c.current.Authorizations = append(c.current.Authorizations, check)
	}
}

// quietly runs a function whose checks have been recorded before.
func (c *Chain) quietly(run func()) {
	c.quiet = true
	defer func() { c.quiet = false }()
	run()
}

// IsReinvoke says that this is the second pass.
func (c *Chain) IsReinvoke() bool { return c.Pass > 0 }

// AddStep appends a step, which is completed in place.
func (c *Chain) AddStep(s report.Step) *report.Step {
	if len(c.room) == cap(c.room) {
		c.room = make([]report.Step, 0, min(max(c.Expected-len(c.steps), 1), maxRoom))
	}
	c.room = append(c.room, s)
	step := &c.room[len(c.room)-1]
	c.steps = append(c.steps, step)
	if c.index != nil {
		c.index[step] = len(c.steps) - 1
	} else if len(c.steps) > fewSteps {
		c.index = make(map[*report.Step]int, 2*fewSteps)
		for i, known := range c.steps {
			c.index[known] = i
		}
	}
	// A step is matched, evaluated, explained and printed.
	c.Evaluator.Budget().Work(1_500)
	c.Evaluator.Budget().Make(3_000)
	return step
}

const (
	// maxRoom is for how many steps room is made at once, fewSteps how many are looked
	// through one by one.
	maxRoom  = 32
	fewSteps = 16
)

// Reported are the steps as a report has them. They may be those of Steps themselves.
func (c *Chain) Reported() []report.Step {
	if len(c.steps) == 0 {
		return []report.Step{}
	}
	if len(c.steps) == len(c.room) {
		return c.room[:len(c.room):len(c.room)]
	}
	out := make([]report.Step, len(c.steps))
	for i, s := range c.steps {
		out[i] = *s
	}
	return out
}

// Steps are those so far, in the order of execution.
func (c *Chain) Steps() []*report.Step { return c.steps }

// Last is the step that was added last, nil when there is none.
func (c *Chain) Last() *report.Step {
	if len(c.steps) == 0 {
		return nil
	}
	return c.steps[len(c.steps)-1]
}

// Index is the place of a step among Steps, -1 for none.
func (c *Chain) Index(step *report.Step) int {
	if c.index == nil {
		return slices.Index(c.steps, step)
	}
	if i, ok := c.index[step]; ok {
		return i
	}
	return -1
}

// Note adds a note to the current step, once.
func (c *Chain) Note(code, text string) {
	if c.current == nil {
		return
	}
	s, n := c.current, report.Note{Code: code, Text: text}
	if !slices.Contains(s.Notes, n) {
		s.Notes = append(s.Notes, n)
	}
}

// Assumed is an object that the cluster text lacks, which is assumed to exist because the
// server would reject the request without it.
type Assumed struct {
	Kind, Namespace, Name string
	// Why is the request's reference to it, as a clause; empty if a Pod names it.
	Why string
	// Without says what it is assumed to lack.
	Without string
	// Document is the object as YAML, to be added to the cluster text.
	Document string
}

// Assume records, once, an object that is assumed to exist.
func (c *Chain) Assume(a Assumed) {
	if !slices.Contains(c.AssumedObjects, a) {
		c.AssumedObjects = append(c.AssumedObjects, a)
	}
}

// NotSimulated records, once, what the engine does not simulate.
func (c *Chain) NotSimulated(text string) {
	if c.said == nil {
		c.said = map[string]bool{}
		for _, before := range c.Report.NotSimulated {
			c.said[before] = true
		}
	}
	if !c.said[text] {
		c.said[text] = true
		c.Report.NotSimulated = append(c.Report.NotSimulated, text)
	}
}

// Unanswered records a webhook that would be called and has no WebhookResponse.
func (c *Chain) Unanswered(webhook string) {
	if !slices.Contains(c.unanswered, webhook) {
		c.unanswered = append(c.unanswered, webhook)
	}
}

// SayUnanswered records in one sentence what is assumed of all webhooks without a WebhookResponse.
func (c *Chain) SayUnanswered() {
	if len(c.unanswered) > 0 {
		c.NotSimulated(withoutAnswer(c.unanswered))
	}
}

func withoutAnswer(webhooks []string) string {
	const named = 5
	switch n := len(webhooks); {
	case n == 1:
		return "The webhook " + webhooks[0] + " would be called; it has no WebhookResponse, so it is assumed to allow the request unchanged."
	case n <= named:
		return "The webhooks " + strings.Join(webhooks, ", ") + " would be called; they have no WebhookResponse, so they are assumed to allow the request unchanged."
	default:
		return fmt.Sprintf("%d webhooks would be called, %s and %d more; they have no WebhookResponse, so they are assumed to allow the request unchanged.", n, strings.Join(webhooks[:named], ", "), n-named)
	}
}

// AddBudget records what a step used of a budget.
func (c *Chain) AddBudget(step *report.Step, b report.Budget) {
	b.Step = c.Index(step)
	c.Report.Budgets = append(c.Report.Budgets, b)
}

// Forbidden is the server's standard rejection of a request: `pods "x" is
// forbidden: ...`, with the object's name or generateName where the request
// has no name yet.
func (c *Chain) Forbidden(err error) *apierrors.StatusError {
	name := c.Attributes.Name
	if name == "" {
		name = "Unknown"
		if meta, ok := c.Attributes.Object["metadata"].(map[string]any); ok {
			for _, key := range []string{"generateName", "name"} {
				if s, ok := meta[key].(string); ok && s != "" {
					name = s
				}
			}
		}
	}
	return apierrors.NewForbidden(c.Attributes.Resource.GroupResource(), name, err)
}
