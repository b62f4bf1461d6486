package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Place is where an expression is; it decides what may be returned and
// how (semantics §1.6).
type Place int

// The places of expressions.
const (
	Condition Place = iota // matchConditions
	Validation
	Message
	AuditAnnotation
	VariableValue
	ApplyConfiguration
	JSONPatch
	Free // a free expression: any type
)

var (
	objectType    = types.NewObjectType("Object")
	jsonPatchType = types.NewObjectType("JSONPatch")

	returnTypes = map[Place][]*cel.Type{
		Condition:          {cel.BoolType},
		Validation:         {cel.BoolType},
		Message:            {cel.StringType},
		AuditAnnotation:    {cel.StringType, cel.NullType},
		VariableValue:      {cel.AnyType, cel.DynType},
		Free:               {cel.AnyType},
		ApplyConfiguration: {objectType},
		JSONPatch:          {cel.ListType(jsonPatchType)},
	}
)

// Scope is what is declared at a place: params and variables as given, the
// authorizer everywhere but in messages, the patch types only for mutations
// (semantics §1.2).
func (p Place) Scope(params, variables bool) Scope {
	return Scope{Params: params, Authorizer: p != Message, Variables: variables, Patch: p == ApplyConfiguration || p == JSONPatch}
}

// Issue is one problem that the compiler found, and the range of the expression
// that it is about, in code points.
type Issue struct {
	Start, End int
	Message    string
	// ID is the expression node, 0 when there is none (syntax errors).
	ID int64
}

// Compiled is a compiled expression, or the reason why there is none.
type Compiled struct {
	Expression string
	Place      Place
	// Scope is what was declared.
	Scope Scope
	// Err is the server's text (semantics §1.7), empty when compiled.
	Err string
	// Internal marks an error that is no fault of the expression.
	Internal bool
	Issues   []Issue
	// Output is the static type of the result.
	Output *cel.Type
	AST    *cel.Ast

	program cel.Program
	env     *scopeEnv
	// tracking returns the costs of the program.
	tracking cel.ProgramOption
	// rule returns the costs of the functions in a rule of custom resources; nil for other
	// expressions.
	rule interpreter.ActualCostEstimator
	// costs is the program's cost tracker before its first use.
	costs *interpreter.CostTracker

	// metering is held by the evaluation that is charged to running. Others of the
	// same expression run beside it with a program of their own, uncharged.
	metering sync.Mutex
	running  *worklimit.Budget
	meter    *meter
	// unmetered are the costs without charging.
	unmetered interpreter.ActualCostEstimator
	planning  sync.Once
	beside    cel.Program

	observing       sync.Once
	observedProgram *values.Program

	// naming guards fields, those of the request that the expression names, as Asked
	// names them.
	naming sync.Once
	fields []string
}

// OK reports whether the expression compiled.
func (c *Compiled) OK() bool { return c.Err == "" }

// Declaration is one entry of spec.variables.
type Declaration struct {
	Name       string
	Expression string
}

// Variable is a compiled declaration.
type Variable struct {
	Declaration
	*Compiled
}

// Compiler compiles the expressions of one policy or webhook. Variables must
// be added in the order of the policy, before the expressions that use them.
type Compiler struct {
	envs      *Environments
	mode      Mode
	params    bool
	composed  bool
	Variables []Variable
}

// NewCompiler returns a compiler. params says that the policy has a paramKind;
// composed that `variables` is declared (semantics §1.2: at run time always for
// policies, never for webhooks).
func (e *Environments) NewCompiler(mode Mode, params, composed bool) *Compiler {
	return &Compiler{envs: e, mode: mode, params: params, composed: composed}
}

// Within is the same compiler, which charges a budget for what it compiles. That of a
// policy outlives the run that compiled the policy, and that run's budget.
func (c *Compiler) Within(b *worklimit.Budget) *Compiler {
	within := *c
	within.envs = c.envs.Within(b)
	return &within
}

// AddVariable compiles a variable in the scope of those before it and declares
// it. One that does not compile is declared dyn (semantics §9).
func (c *Compiler) AddVariable(d Declaration) Variable {
	v := Variable{Declaration: d, Compiled: c.Compile(d.Expression, VariableValue)}
	c.Variables = append(c.Variables, v)
	return v
}

// Compile compiles one expression for its place.
func (c *Compiler) Compile(expression string, place Place) *Compiled {
	return c.CompileIn(expression, place, place.Scope(c.params, c.composed))
}

// CompileIn is Compile with an explicit scope, for free expressions.
func (c *Compiler) CompileIn(expression string, place Place, scope Scope) *Compiled {
	s, err := c.envs.scope(c.mode, scope)
	if err != nil {
		return &Compiled{Expression: expression, Place: place, Scope: scope, Err: err.Error(), Internal: true}
	}
	key := programKey{scopeKey{scope, c.mode}, place, expression, ""}
	if scope.Variables {
		c.envs.budget.Work(variableWork * len(c.Variables))
		key.variables = c.signature()
	}
	if p, ok := c.envs.programs.Get(key); ok {
		return p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if scope.Variables {
		s.variables.Fields = c.fields()
	}
	p := s.compile(c.envs.budget, expression, place)
	p.Scope = scope
	c.envs.programs.Put(key, p)
	return p
}

// programKey holds everything that a compilation depends on.
type programKey struct {
	scopeKey
	place      Place
	expression string
	variables  string
}

// size is about how many bytes a compilation takes: its syntax tree and program
// are some forty times as large as the expression.
func (k programKey) size() int { return 2048 + 40*len(k.expression) + len(k.variables) }

func (c *Compiler) signature() string {
	var b strings.Builder
	for _, v := range c.Variables {
		fmt.Fprintf(&b, "%s %v\n", v.Name, v.Output)
	}
	return b.String()
}

func (c *Compiler) fields() map[string]*apiservercel.DeclField {
	fields := make(map[string]*apiservercel.DeclField, len(c.Variables))
	for _, v := range c.Variables {
		fields[v.Name] = apiservercel.NewDeclField(v.Name, declType(v.Output), true, nil, nil)
	}
	return fields
}

func (s *scopeEnv) compile(b *worklimit.Budget, expression string, place Place) *Compiled {
	c := &Compiled{Expression: expression, Place: place, env: s}
	s.parse(b, c)
	if c.Err != "" {
		return c
	}
	if c.Err = WrongType(s.version, place, c.Output); c.Err != "" {
		return c
	}
	b.Work(planWork)
	s.plan(c, costTracking(s.version))
	return c
}

// planWork is what making a program takes, whatever the expression: cel-go notes all
// functions that there are in each, and a third of its time is the collection of the
// tables that this makes.
const planWork = 7_000

// Parse parses and checks an expression in an environment of no scope. The result has no program.
func Parse(env *cel.Env, v version.Version, expression string) *Compiled {
	c := &Compiled{Expression: expression}
	(&scopeEnv{env: env, version: v}).parse(nil, c)
	return c
}

// parse parses and checks an expression.
func (s *scopeEnv) parse(b *worklimit.Budget, c *Compiled) {
	issues, err := backticks(s.env, s.version, c.Expression)
	if err != nil {
		c.Err, c.Internal = "unexpected error loading CEL environment: "+err.Error(), true
		return
	}
	var ast *cel.Ast
	if issues == nil {
		ast, issues = Check(b, s.env, c.Expression)
	}
	if issues != nil {
		if !s.version.Has(version.SyntaxErrorsVerbatim) {
			formatTwice(issues)
		}
		c.Err = "compilation failed: " + source.Issues(c.Expression, issues)
		text := source.NewText(c.Expression)
		for _, e := range issues.Errors() {
			start, end := text.Issue(e.Location.Line(), e.Location.Column(), e.Message)
			c.Issues = append(c.Issues, Issue{Start: start, End: end, Message: e.Message, ID: e.ExprID})
		}
		return
	}
	c.AST, c.Output = ast, ast.OutputType()
}

// plan makes the program of a checked expression.
func (s *scopeEnv) plan(c *Compiled, tracking cel.ProgramOption) {
	// The tracker holds the cost functions of all libraries; there is no other
	// way to get at them.
	c.meter = &meter{compiled: c, scans: scansPerCall(c.AST.NativeRep().Expr())}
	keepTracker := cel.CostTrackerOptions(func(t *interpreter.CostTracker) error {
		c.costs = t
		c.unmetered, c.meter.ActualCostEstimator = t.Estimator, t.Estimator
		t.Estimator = c.meter
		return nil
	})
	program, err := s.env.Program(c.AST, cel.InterruptCheckFrequency(celconfig.CheckFrequency), tracking, keepTracker, cel.CustomDecoratorV2(values.OrderedMaps), cel.CustomDecoratorV2(c.meter.compared))
	if err != nil {
		c.Err, c.Internal = "program instantiation failed: "+err.Error(), true
		c.Output = nil // who uses a variable that cannot run knows nothing of its type
		return
	}
	c.program, c.tracking = program, tracking
}

// evaluate runs the program and charges its work to the budget; nil charges none.
func (c *Compiled) evaluate(ctx context.Context, b *worklimit.Budget, program cel.Program, vars interpreter.Activation) (v ref.Val, details *cel.EvalDetails, err error) {
	metered := program == c.program
	if metered {
		if c.metering.TryLock() {
			c.running = b
			defer func() {
				c.running = nil
				c.metering.Unlock()
			}()
		} else if program, metered = c.other(), false; program == nil {
			// It was planned before from the same, so this does not happen.
			c.metering.Lock()
			defer c.metering.Unlock()
			program = c.program
		}
	}
	if metered {
		v, details, err = c.meter.watch(ctx, program, vars)
	} else {
		v, details, err = program.ContextEval(ctx, vars)
	}
	b.Check()
	if err != nil {
		tooLarge(b, err)
	}
	if cost := details.ActualCost(); cost != nil {
		b.Work(int(min(*cost, 1<<32)))
	}
	return v, details, err
}

// other is the program for those who meet another evaluation of it.
func (c *Compiled) other() cel.Program {
	c.planning.Do(func() {
		c.env.mu.Lock()
		defer c.env.mu.Unlock()
		program, err := c.env.env.Program(c.AST, cel.InterruptCheckFrequency(celconfig.CheckFrequency), c.tracking, cel.CustomDecoratorV2(values.OrderedMaps))
		if err == nil {
			c.beside = program
		}
	})
	return c.beside
}

// WrongType returns what the server says of an expression that evaluates to another type than its
// place needs; "" if it fits.
func WrongType(v version.Version, place Place, got *cel.Type) string {
	want := returnTypes[place]
	for _, t := range want {
		if got.IsExactType(t) || cel.AnyType.IsExactType(t) {
			return ""
		}
	}
	text := fmt.Sprintf("must evaluate to one of %v", want)
	if len(want) == 1 {
		text = fmt.Sprintf("must evaluate to %v", want[0])
	}
	if v.Has(version.TypeNamesInErrors) {
		text += fmt.Sprintf(" but got %v", got)
	}
	return text
}

// declScalars are the declared types of scalars.
var declScalars = map[*cel.Type]*apiservercel.DeclType{
	cel.AnyType: apiservercel.AnyType, cel.BoolType: apiservercel.BoolType, cel.BytesType: apiservercel.BytesType, cel.DoubleType: apiservercel.DoubleType,
	cel.DurationType: apiservercel.DurationType, cel.IntType: apiservercel.IntType, cel.NullType: apiservercel.NullType, cel.StringType: apiservercel.StringType,
	cel.TimestampType: apiservercel.TimestampType, cel.UintType: apiservercel.UintType,
}

// declType keeps the types that a variable carries on to its users; all others
// become dyn (semantics §9).
func declType(t *cel.Type) *apiservercel.DeclType {
	if scalar, ok := declScalars[t]; ok {
		return scalar
	}
	if t == nil || !t.HasTrait(traits.ContainerType) || !t.HasTrait(traits.IndexerType) {
		return apiservercel.DynType
	}
	switch p := t.Parameters(); len(p) {
	case 1:
		return apiservercel.NewListType(declType(p[0]), -1)
	case 2:
		return apiservercel.NewMapType(declType(p[0]), declType(p[1]), -1)
	}
	return apiservercel.DynType
}
