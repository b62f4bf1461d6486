package eval

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// This file is for the custom resource rules (x-kubernetes-validations):
// expressions over self and oldSelf, which have the types of a schema.

// The variables of rules.
const (
	SelfVarName    = "self"
	OldSelfVarName = "oldSelf"
)

// selfTypeName is the name of the type of self. The server makes a new one each
// time, so that no expression can depend on it.
const selfTypeName = "selfType"

// RuleScope compiles the rules of one node of a schema.
type RuleScope struct {
	env       *scopeEnv
	estimator *library.CostEstimator
	version   version.Version
	budget    *worklimit.Budget
}

// RuleScope returns what the rules of a node see. self describes the values of
// the node; optionalOldSelf makes oldSelf an optional value.
func (e *Environments) RuleScope(mode Mode, self *apiservercel.DeclType, optionalOldSelf bool) (*RuleScope, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	base, err := e.ruleBase(mode)
	if err != nil {
		return nil, err
	}
	typed := self.MaybeAssignTypeName(selfTypeName)
	old := typed.CelType()
	if optionalOldSelf {
		old = types.NewOptionalType(old)
	}
	provider := apiservercel.NewDeclTypeProvider(typed)
	// What is stored may always name a field like a keyword of CEL.
	provider.SetRecognizeKeywordAsFieldName(mode == Run || e.compatibility(mode).Has(version.KeywordFieldNames))
	provided, err := provider.EnvOptions(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	env, err := base.Extend(append([]cel.EnvOption{cel.Variable(SelfVarName, typed.CelType()), cel.Variable(OldSelfVarName, old)}, append(provided, adapt.Option)...)...)
	if err != nil {
		return nil, err
	}
	return &RuleScope{env: &scopeEnv{env: env, version: e.version}, estimator: ruleEstimator(typed, e.version), version: e.version, budget: e.budget}, nil
}

// ruleBase is the environment of a version without variables. Callers hold mu.
func (e *Environments) ruleBase(mode Mode) (*cel.Env, error) {
	if e.ruleBases == nil {
		e.ruleBases = map[Mode]*cel.Env{}
	}
	if base, ok := e.ruleBases[mode]; ok {
		return base, nil
	}
	options, base, err := e.library(mode)
	if err != nil {
		return nil, err
	}
	base, err = base.Extend(options...)
	if err == nil {
		e.ruleBases[mode] = base
	}
	return base, err
}

// CompileRule compiles a rule (place Condition) or a messageExpression (place
// Message). The error texts are those of the server for such expressions.
func (s *RuleScope) CompileRule(expression string, place Place) *Compiled {
	s.env.mu.Lock()
	defer s.env.mu.Unlock()
	c := &Compiled{Expression: expression, Place: place, env: s.env}
	s.env.parse(s.budget, c)
	if c.Err != "" {
		return c
	}
	switch {
	case place == Condition && c.Output != cel.BoolType:
		c.Err = "cel expression must evaluate to a bool"
	case place == Message && c.Output != cel.StringType:
		c.Err = "messageExpression must evaluate to a string"
	default:
		c.rule = s.tracking()
		s.env.plan(c, cel.CostTracking(c.rule))
	}
	return c
}

// tracking returns the costs at run time. For rules the functions of the
// Kubernetes libraries have had their costs from the beginning.
func (s *RuleScope) tracking() interpreter.ActualCostEstimator {
	var estimator interpreter.ActualCostEstimator = s.estimator
	if !s.version.Has(version.LibraryEquality) {
		estimator = oldEquality{s.estimator}
	}
	if !s.version.Has(version.CostOfSoughtText) {
		return oldStringCosts{estimator}
	}
	return estimator
}

// Estimate is the highest cost that a compiled expression can have, in CEL cost
// units, by the sizes that the schema allows.
func (s *RuleScope) Estimate(c *Compiled) (uint64, error) {
	s.env.mu.Lock()
	defer s.env.mu.Unlock()
	estimate, err := s.env.env.EstimateCost(c.AST, s.estimating())
	return estimate.Max, err
}

// UsesOldSelf reports whether an expression reads oldSelf.
func (c *Compiled) UsesOldSelf() bool {
	if c.AST == nil {
		return false
	}
	for _, reference := range c.AST.NativeRep().ReferenceMap() {
		if reference.Name == OldSelfVarName {
			return true
		}
	}
	return false
}

// Evaluate runs a rule or a messageExpression over its variables. Result.CELErr
// is the error as CEL gives it, and Result.Exceeded says that the limit of a
// single call stopped it.
func (e *Evaluator) Evaluate(c *Compiled, vars interpreter.Activation) Result {
	r := Result{Compiled: c, Ran: true}
	before := e.budget.Used()
	v, details, err := e.run(c, vars)
	if cost := details.ActualCost(); cost != nil {
		r.Cost = int64(min(*cost, math.MaxInt64))
	}
	r.Exceeded = r.Cost > PerCallLimit
	if err != nil {
		r.Err, r.CELErr = err.Error(), err.Error()
	} else {
		r.Value = v
	}
	if e.trace {
		r.Trace, r.Untraced = e.observe(c, vars, func(run func()) { run() }, r.Cost, e.budget.Used()-before, v, err)
	}
	return r
}
