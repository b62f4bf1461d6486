package run

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Policy is what both kinds of policies have in common, compiled.
type Policy struct {
	Kind     string
	Name     string
	Document *scenario.Document
	// Static says that the policy is from a manifest file of the server: it comes
	// before those of the API, and concerns admission configuration too.
	Static        bool
	FailurePolicy *v1.FailurePolicyType
	ParamKind     *v1.ParamKind
	Match         *v1.MatchResources
	Bindings      []Binding
	// NotEvaluated says why the engine leaves the policy out; empty otherwise.
	NotEvaluated string
	// Compiler has the policy's variables.
	Compiler   *eval.Compiler
	Conditions []condition.Condition
}

// Binding binds a policy.
type Binding struct {
	Name     string
	Document *scenario.Document
	ParamRef *v1.ParamRef
	Match    *v1.MatchResources
	Actions  []v1.ValidationAction
}

// Compare orders policies as the engine runs them: those from manifest files come
// first, as in the server, and both by name; there the server's order is random.
func (p *Policy) Compare(other *Policy) int {
	if p.Static != other.Static {
		if p.Static {
			return -1
		}
		return 1
	}
	return strings.Compare(p.Name, other.Name)
}

// Ignore says that errors of the policy are ignored.
func (p *Policy) Ignore() bool { return p.FailurePolicy != nil && *p.FailurePolicy == v1.Ignore }

// Compile compiles what both kinds of policies have: variables, which have to
// come first, and conditions.
func (p *Policy) Compile(envs *eval.Environments, variables []v1.Variable, conditions []v1.MatchCondition) {
	p.Compiler = envs.NewCompiler(eval.Run, p.ParamKind != nil, true)
	if p.NotEvaluated != "" {
		return
	}
	for _, v := range variables {
		p.Compiler.AddVariable(eval.Declaration{Name: v.Name, Expression: v.Expression})
	}
	for i, c := range conditions {
		source, compiled := p.CompileAt(model.MatchCondition, i, c.Name, c.Expression)
		p.Conditions = append(p.Conditions, condition.Condition{Source: source, Compiled: compiled})
	}
}

// CompileAt compiles the expression at an index of a list of the policy. The name
// is what the report calls it.
func (p *Policy) CompileAt(place *model.Place, index int, name, expression string) (explain.Source, *eval.Compiled) {
	return explain.Source{Document: p.Document, Path: place.At(index).String(), Name: name}, p.Compiler.Compile(expression, place.Result)
}

// Variable gives the place of a variable by its name.
func (p *Policy) Variable(name string) explain.Source {
	s := explain.Source{Document: p.Document, Name: name}
	for i, v := range p.Compiler.Variables {
		if v.Name == name {
			s.Path = model.Variable.At(i).String()
		}
	}
	return s
}

// Invocation is one evaluation that is due: a policy, a binding and a param.
type Invocation struct {
	Policy   *Policy
	Binding  *Binding
	Param    *cluster.Object
	Kind     schema.GroupVersionKind
	Resource schema.GroupVersionResource
	// Step is the index of its step in the report.
	Step *report.Step
}

// Key identifies an invocation between the two passes.
func (i Invocation) Key() string {
	key := i.Policy.Name + "/" + i.Binding.Name
	if i.Param != nil {
		key += "/" + i.Param.Namespace + "/" + i.Param.Name
	}
	return key
}

// ConfigError is a policy or binding that could not be applied; the failure
// policy decides what that means.
type ConfigError struct {
	Policy  *Policy
	Binding *Binding // nil for an error of the policy
	Err     error
	Step    *report.Step
}

// Selected is what became of one policy, or of one policy with one binding, in
// the server's order: an error, or the invocations of all params.
type Selected struct {
	Error       *ConfigError
	Invocations []Invocation
}

// Select finds the policies, bindings and params that concern the request
// (semantics §5.2), and adds a step for each, whatever became of it.
func (c *Chain) Select(phase report.Phase, policies []*Policy) []Selected {
	var out []Selected
	for _, p := range policies {
		out = append(out, c.selectPolicy(phase, p)...)
	}
	return out
}

func (c *Chain) step(phase report.Phase, p *Policy, b *Binding) report.Step {
	s := report.Step{Phase: phase, Pass: c.Pass, Kind: p.Kind, Policy: p.Name, Static: p.Static, FailurePolicy: string(v1.Fail)}
	if p.FailurePolicy != nil {
		s.FailurePolicy = string(*p.FailurePolicy)
	}
	if b != nil {
		s.Binding = b.Name
	}
	if p.Document != nil {
		s.Text, s.Span = p.Document.Text, p.Document.Span
	}
	return s
}

func (c *Chain) selectPolicy(phase report.Phase, p *Policy) []Selected {
	step := c.step(phase, p, nil)
	if p.Document != nil {
		c.Evaluator.Budget().Enter(strings.ToLower(string(phase)) + " policy " + p.Name)
		c.Evaluator.Budget().Work(len(p.Document.JSON()) / 2)
	}
	if p.NotEvaluated != "" {
		step.Status, step.Reason = report.Skipped, p.NotEvaluated
		c.AddStep(step)
		c.NotSimulated("The policy " + p.Name + " is not evaluated: " + p.NotEvaluated)
		return nil
	}
	if len(p.Bindings) == 0 {
		step.Status, step.Reason = report.Skipped, "the policy has no binding, so the server never evaluates it"
		c.AddStep(step)
		return nil
	}
	request := &c.Attributes.Request
	if why, exempt := c.Matcher.ExemptFromPolicies(request, p.Static); exempt {
		step.Status, step.Match, step.Reason = report.NotMatched, &why, why.Reason
		c.AddStep(step)
		return nil
	}
	matched := c.Matcher.Policy(request, p.Match)
	Locate(&matched.Why, p.Document)
	step.Match, step.Reason = &matched.Why, matched.Why.Reason
	if matched.Err != nil {
		return []Selected{c.configError(step, p, nil, matched.Err)}
	}
	if !matched.Matched {
		if matched.Near {
			c.otherReasons(&matched.Why, p, p.Bindings)
		}
		step.Status = report.NotMatched
		c.AddStep(step)
		return nil
	}
	if err := c.unknownParamKind(p); err != nil {
		return []Selected{c.configError(step, p, nil, err)}
	}
	var out []Selected
	for i := range p.Bindings {
		if s, ok := c.selectBinding(phase, p, &p.Bindings[i], matched); ok {
			out = append(out, s)
		}
	}
	return out
}

func (c *Chain) selectBinding(phase report.Phase, p *Policy, b *Binding, policy match.Result) (Selected, bool) {
	step := c.step(phase, p, b)
	step.Match, step.Reason = &policy.Why, policy.Why.Reason
	if policy.Kind != c.Attributes.Kind || policy.Resource != c.Attributes.Resource {
		step.MatchedKind, step.MatchedResource = policy.Kind.String(), policy.Resource.String()
	}
	bound := c.Matcher.Binding(&c.Attributes.Request, b.Match)
	Locate(&bound.Why, b.Document)
	step.BindingMatch = &bound.Why
	if bound.Err != nil {
		return c.configError(step, p, b, bound.Err), true
	}
	if !bound.Matched {
		c.otherReasons(&bound.Why, p, nil)
		step.Status, step.Reason = report.NotMatched, "the binding does not match, because "+bound.Why.Reason
		c.AddStep(step)
		return Selected{}, false
	}
	var missing *MissingParam
	params, err := c.params(p, b, &missing)
	if err != nil {
		out := c.configError(step, p, b, err)
		c.noteMissing(missing, out.Error.Step)
		return out, true
	}
	if len(params) == 0 {
		step.Status, step.Reason = report.Skipped, "no param was found and parameterNotFoundAction is Allow, so the binding does nothing"
		c.noteMissing(missing, c.AddStep(step))
		return Selected{}, true
	}
	var out Selected
	for _, param := range params {
		s := step
		if param != nil {
			s.Param = param.Name
			if param.Namespace != "" {
				s.Param = param.Namespace + "/" + param.Name
			}
		}
		out.Invocations = append(out.Invocations, Invocation{p, b, param, policy.Kind, policy.Resource, c.AddStep(s)})
	}
	return out, true
}

func (c *Chain) configError(step report.Step, p *Policy, b *Binding, err error) Selected {
	what := "policy"
	if b != nil {
		what = "binding"
	}
	err = fmt.Errorf("failed to configure %s: %w", what, err)
	step.Status, step.Error = report.Errored, err.Error()
	step.Reason = "the " + what + " cannot be applied to this request"
	return Selected{Error: &ConfigError{p, b, err, c.AddStep(step)}}
}

// SortBindings puts the bindings into the order in which the engine runs them;
// the server's order is random.
func (p *Policy) SortBindings() {
	slices.SortStableFunc(p.Bindings, func(a, b Binding) int { return strings.Compare(a.Name, b.Name) })
}
