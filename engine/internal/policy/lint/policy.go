package lint

import (
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a policy of either kind, or a webhook, which has only a part of the fields.
type policy struct {
	*checker
	document *scenario.Document
	webhook  bool
	// at is the path of the webhook with a dot; the fields of a policy are below spec.
	at            string
	matchField    string // with the rules and selectors
	rulesField    string
	match         v1.MatchResources
	failurePolicy *v1.FailurePolicyType
	paramKind     *v1.ParamKind
	conditions    []expression
	// conditionNames are the names of the conditions.
	conditionNames []string
	variables      []variable
	validations    []validation
	annotations    []expression
	mutations      []expression
	reinvoked      bool
	bindings       []binding

	compile        *eval.Compiler
	every          []*outcomes.World // see worlds
	cases          int               // of the last exploration
	containerLoops *[]loop           // see loops
	named          map[string]*outcomes.Expression
	effect         *effects // see effects

	unreadVariables map[string]bool // see unread
}

// expression is one expression with its place.
type expression struct {
	path, text string
	read       *outcomes.Expression // nil if it does not compile
}

type variable struct {
	expression
	name string
}

type validation struct {
	expression
	message           string
	messageExpression *expression
}

type binding struct {
	document *scenario.Document
	name     string
	match    *v1.MatchResources
	params   *v1.ParamRef
	actions  []v1.ValidationAction
}

// policies are all that the server accepted.
func (c *checker) policies() []*policy {
	var out []*policy
	in := c.Installed
	if in == nil {
		return nil
	}
	for _, x := range in.ValidatingPolicies {
		s := x.Object.Spec
		p := c.policy(x.Document, x.NotEvaluated, s.MatchConstraints, s.FailurePolicy, s.ParamKind, s.Variables, s.MatchConditions)
		for i, v := range s.Validations {
			one := validation{expression: p.read(model.Validation, i, v.Expression), message: v.Message}
			if v.MessageExpression != "" {
				message := p.read(model.MessageExpression, i, v.MessageExpression)
				one.messageExpression = &message
			}
			p.validations = append(p.validations, one)
		}
		for i, a := range s.AuditAnnotations {
			p.annotations = append(p.annotations, p.read(model.AuditAnnotation, i, a.ValueExpression))
		}
		for _, b := range in.ValidatingBindings {
			if s := b.Object.Spec; s.PolicyName == x.Object.Name && b.Static == x.Static {
				p.bindings = append(p.bindings, binding{b.Document, b.Object.Name, s.MatchResources, s.ParamRef, s.ValidationActions})
			}
		}
		out = append(out, p)
	}
	for _, x := range in.MutatingPolicies {
		s := x.Object.Spec
		p := c.policy(x.Document, x.NotEvaluated, s.MatchConstraints, s.FailurePolicy, s.ParamKind, s.Variables, s.MatchConditions)
		p.reinvoked = s.ReinvocationPolicy == v1.IfNeededReinvocationPolicy
		for i, m := range s.Mutations {
			if m.ApplyConfiguration != nil {
				p.mutations = append(p.mutations, p.read(model.ApplyConfiguration, i, m.ApplyConfiguration.Expression))
			}
			if m.JSONPatch != nil {
				p.mutations = append(p.mutations, p.read(model.JSONPatch, i, m.JSONPatch.Expression))
			}
		}
		for _, b := range in.MutatingBindings {
			if s := b.Object.Spec; s.PolicyName == x.Object.Name && b.Static == x.Static {
				p.bindings = append(p.bindings, binding{b.Document, b.Object.Name, s.MatchResources, s.ParamRef, nil})
			}
		}
		out = append(out, p)
	}
	for _, x := range in.ValidatingWebhooks {
		for i := range x.Object.Webhooks {
			w := &x.Object.Webhooks[i]
			out = append(out, c.hook(x.Document, i, w.Rules, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector, w.MatchConditions))
		}
	}
	for _, x := range in.MutatingWebhooks {
		for i := range x.Object.Webhooks {
			w := &x.Object.Webhooks[i]
			out = append(out, c.hook(x.Document, i, w.Rules, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector, w.MatchConditions))
		}
	}
	return out
}

func (c *checker) policy(d *scenario.Document, notEvaluated string, match *v1.MatchResources, failure *v1.FailurePolicyType, params *v1.ParamKind, variables []v1.Variable, conditions []v1.MatchCondition) *policy {
	p := &policy{checker: c, document: d, at: "spec.", matchField: "spec.matchConstraints.", rulesField: "resourceRules", failurePolicy: failure, paramKind: params, named: map[string]*outcomes.Expression{}}
	if match != nil {
		p.match = *match
	}
	compiler := c.Environments.NewCompiler(eval.Run, params != nil, true)
	for i, v := range variables {
		compiled := compiler.AddVariable(eval.Declaration{Name: v.Name, Expression: v.Expression})
		one := variable{expression{model.Variable.At(i).String(), v.Expression, outcomes.Read(compiled.Compiled)}, v.Name}
		p.variables, p.named[v.Name] = append(p.variables, one), one.read
	}
	p.compile = compiler
	for i, condition := range conditions {
		p.conditions = append(p.conditions, p.read(model.MatchCondition, i, condition.Expression))
		p.conditionNames = append(p.conditionNames, condition.Name)
	}
	return p
}

// hook is a webhook as a policy.
func (c *checker) hook(d *scenario.Document, i int, rules []v1.RuleWithOperations, policyOf *v1.MatchPolicyType, namespaces, objects *metav1.LabelSelector, conditions []v1.MatchCondition) *policy {
	at := fmt.Sprintf("webhooks[%d].", i)
	p := &policy{checker: c, document: d, webhook: true, at: at, matchField: at, rulesField: "rules", match: v1.MatchResources{MatchPolicy: policyOf, NamespaceSelector: namespaces, ObjectSelector: objects}}
	for _, rule := range rules {
		p.match.ResourceRules = append(p.match.ResourceRules, v1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	p.compile = c.Environments.NewCompiler(eval.Run, false, false)
	for j, condition := range conditions {
		p.conditions = append(p.conditions, p.readAt(fmt.Sprintf("%smatchConditions[%d].expression", at, j), model.MatchCondition, condition.Expression))
		p.conditionNames = append(p.conditionNames, condition.Name)
	}
	return p
}

func (p *policy) read(place *model.Place, i int, text string) expression {
	return p.readAt(place.At(i).String(), place, text)
}

func (p *policy) readAt(path string, place *model.Place, text string) expression {
	return expression{path, text, outcomes.Read(p.compile.Compile(text, place.Result))}
}

// expressions are all of the policy.
func (p *policy) expressions() []expression {
	var out []expression
	out = append(out, p.conditions...)
	for _, v := range p.variables {
		out = append(out, v.expression)
	}
	for _, v := range p.validations {
		out = append(out, v.expression)
		if v.messageExpression != nil {
			out = append(out, *v.messageExpression)
		}
	}
	out = append(out, p.annotations...)
	return append(out, p.mutations...)
}
