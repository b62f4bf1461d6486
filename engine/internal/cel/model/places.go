package model

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Place is a field of the API that holds CEL expressions. What is true of all
// expressions of a field is said here and nowhere else: installation, type
// check, completion, evaluation, the search for cost limits and the page's
// colours read it from here.
type Place struct {
	// Name says what the expression is, in the words of the documentation.
	Name string
	// Word is the same in one word, as summaries name it.
	Word string
	// Context names the place where a free expression is to be read as if it
	// were there (scenario.ExpressionContexts); empty for places that none can
	// name.
	Context string
	// Group and Kinds are those of the documents that have the field.
	Group string
	Kinds []string
	// Field is the path of the field, with [] for an item of a list and ** for
	// any number of fields.
	Field string

	// Result decides which types the expression may have, and whether the
	// authorizer and the types of patches are declared.
	Result eval.Place
	// Params says that params are declared, if the policy has a paramKind.
	Params bool
	// Variables says that the variables of the policy are declared when it is
	// created. When match conditions of a policy run, they are as well.
	Variables bool
	// Namespace says that namespaceObject can have a value. In match conditions
	// it is declared, but always null.
	Namespace bool
	// TypeChecked says that the server's type checker reads the field (semantics
	// §10).
	TypeChecked bool

	// List is the name of the list of expressions in the report
	// (report.Evaluation), those of variables excepted: a variable is in the list
	// that reads it.
	List report.List
	// Budget is the limit on the cost of the list. Beside it every call has
	// eval.PerCallLimit.
	Budget Budget

	path fieldpath.Path
}

// Budget is a limit on the cost of expressions together.
type Budget struct {
	// Scope is its name in the report.
	Scope report.Scope
	// Limit is in CEL cost units.
	Limit int64
}

// The groups and kinds of documents that hold CEL.
const (
	policyGroup = "admissionregistration.k8s.io"
	crdGroup    = "apiextensions.k8s.io"
)

var (
	policies   = []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"}
	validating = policies[:1]
	mutating   = policies[1:]
	webhooks   = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
	crds       = []string{"CustomResourceDefinition"}
)

// The budgets of lists (semantics §2). The messages of validations have what
// these left of theirs; each mutation has one of its own.
var (
	conditionsBudget  = Budget{report.MatchConditionsScope, eval.MatchConditionsBudget}
	validationsBudget = Budget{report.ValidationsScope, eval.Budget}
	annotationsBudget = Budget{report.AuditAnnotationsScope, eval.Budget}
	mutationBudget    = Budget{report.MutationScope, eval.Budget}
	rulesBudget       = Budget{report.RulesScope, eval.Budget}
)

// The places.
var (
	WebhookCondition = define(Place{Name: "webhook match condition", Word: "condition", Context: scenario.WebhookContext,
		Kinds: webhooks, Field: "webhooks[].matchConditions[].expression",
		Result: eval.Condition, List: report.ConditionsList, Budget: conditionsBudget})
	MatchCondition = define(Place{Name: "match condition", Word: "condition", Context: scenario.ConditionContext,
		Kinds: policies, Field: "spec.matchConditions[].expression",
		Result: eval.Condition, Params: true, List: report.ConditionsList, Budget: conditionsBudget})
	Variable = define(Place{Name: "variable", Word: "variable",
		Kinds: policies, Field: "spec.variables[].expression",
		Result: eval.VariableValue, Params: true, Variables: true, Namespace: true})
	Validation = define(Place{Name: "validation", Word: "validation", Context: scenario.ValidationContext,
		Kinds: validating, Field: "spec.validations[].expression",
		Result: eval.Validation, Params: true, Variables: true, Namespace: true, TypeChecked: true,
		List: report.ValidationsList, Budget: validationsBudget})
	MessageExpression = define(Place{Name: "message expression", Word: "message", Context: scenario.MessageContext,
		Kinds: validating, Field: "spec.validations[].messageExpression",
		Result: eval.Message, Params: true, Variables: true, Namespace: true, TypeChecked: true,
		List: report.MessagesList, Budget: validationsBudget})
	AuditAnnotation = define(Place{Name: "audit annotation", Word: "annotation",
		Kinds: validating, Field: "spec.auditAnnotations[].valueExpression",
		Result: eval.AuditAnnotation, Params: true, Variables: true, Namespace: true,
		List: report.AuditAnnotationsList, Budget: annotationsBudget})
	ApplyConfiguration = define(Place{Name: "mutation", Word: "mutation", Context: scenario.MutationContext,
		Kinds: mutating, Field: "spec.mutations[].applyConfiguration.expression",
		Result: eval.ApplyConfiguration, Params: true, Variables: true, Namespace: true,
		List: report.MutationList, Budget: mutationBudget})
	JSONPatch = define(Place{Name: "mutation", Word: "mutation", Context: scenario.MutationContext,
		Kinds: mutating, Field: "spec.mutations[].jsonPatch.expression",
		Result: eval.JSONPatch, Params: true, Variables: true, Namespace: true,
		List: report.MutationList, Budget: mutationBudget})

	// The custom resource rules see self and oldSelf instead of the variables
	// of admission; Expressions does not list them.
	CustomRule = define(Place{Name: "validation rule", Word: "rule", Context: scenario.RuleContext, Group: crdGroup,
		Kinds: crds, Field: "spec.**.x-kubernetes-validations[].rule", Result: eval.Validation,
		List: report.RulesList, Budget: rulesBudget})
	CustomRuleMessage = define(Place{Name: "message of a validation rule", Word: "message", Group: crdGroup,
		Kinds: crds, Field: "spec.**.x-kubernetes-validations[].messageExpression", Result: eval.Message,
		List: report.MessagesList, Budget: rulesBudget})
)

// places are all of them, in the order of their definition.
var places []*Place

func define(p Place) *Place {
	if p.Group == "" {
		p.Group = policyGroup
	}
	p.path = fieldpath.Parse(p.Field)
	places = append(places, &p)
	return &p
}

// Places are all fields that hold CEL. They must not be changed.
func Places() []*Place { return slices.Clip(places) }

// At is the path of the field, with an index for each list on the way.
func (p *Place) At(indexes ...int) fieldpath.Path {
	out := make(fieldpath.Path, 0, len(p.path))
	for _, step := range p.path {
		if step.Bracket() {
			out, indexes = out.Index(indexes[0]), indexes[1:]
		} else {
			out = out.Child(step.Name())
		}
	}
	return out
}

// Scope is what an expression at the place may refer to when the policy is
// created: params says that this has a paramKind.
func (p *Place) Scope(params bool) eval.Scope {
	return p.Result.Scope(params && p.Params, p.Variables)
}

// PlaceOf finds the place of an expression by its path in its document; nil for
// other fields.
func PlaceOf(path string) *Place {
	var room [8]fieldpath.Step
	steps := fieldpath.AppendParsed(room[:0], path)
	for _, p := range places {
		if slices.EqualFunc(p.path, steps, func(own, step fieldpath.Step) bool {
			return own.Bracket() && step.IsIndex() || own == step
		}) {
			return p
		}
	}
	return nil
}

// Ran finds the place of a compiled expression of a policy or webhook. Match
// conditions of both have the same list and budget, and count as the same here;
// nil for what is in no list.
func Ran(c *eval.Compiled) *Place {
	for _, p := range places {
		if p.Group == policyGroup && p.Result == c.Place && p.List != "" {
			return p
		}
	}
	return nil
}

// Context is the place that a free expression is read in; the name is one of
// scenario.ExpressionContexts, empty for a validation. Of places with the same
// context it is the first: they do not differ in what can be read.
func Context(name string) *Place {
	for _, p := range places {
		if p.Context == name && name != "" {
			return p
		}
	}
	return Validation
}

// Free is an expression that is in no object and is read as in a context, with
// params and with a result of any type.
func Free(context string) Expression {
	p := *Context(context)
	scope := p.Scope(true)
	scope.Variables = false // which policy's?
	p.Result = eval.Free
	return Expression{Place: &p, Scope: scope, Webhook: -1}
}
