// Package check gives CEL expressions the types of Kubernetes objects: the API
// server evaluates them with object, oldObject and params of unknown type, and
// so do we; but what their fields are called and what they hold is known, which
// is what type checking and completion need.
package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Names of the root types. Nested types are called after their path below them.
// The brackets keep a type's name from being an expression: the compiler would
// take `object.spec` for the type of that name rather than for the field.
const (
	objectType    = "<object>"
	paramsType    = "<params>"
	selfType      = "<self>"
	variablesType = "kubernetes.variables"
)

// View is what one expression can see. The zero value sees request and
// namespaceObject, and object and oldObject of unknown type.
type View struct {
	Style Style
	Scope eval.Scope
	// Object is the type of object and oldObject, Params that of params; nil
	// when it is not known.
	Object, Params *catalog.Type
	// Variables are the fields of variables, in the order of the policy.
	Variables []Variable
	// Rule says that the expression is a rule of a custom resource: it sees self and
	// oldSelf, both of the type Object, and nothing else. Optional makes oldSelf an
	// optional value.
	Rule, Optional bool
}

// Variable is a policy variable with its type.
type Variable struct {
	Name string
	Type *cel.Type
	// Expression defines it; checks do not look at it.
	Expression string
}

// Result is a checked expression, or the reasons why it is none.
type Result struct {
	// AST is nil when there are issues.
	AST *cel.Ast
	// Issues is what the compiler has against the expression, nil for nothing.
	Issues *cel.Issues

	places map[string]known
}

// Checker checks expressions of one Kubernetes version. It is safe for concurrent
// use; checks of one scope run one after another.
type Checker struct {
	*environments
	results *cache.List[resultKey, *Result]
	parsed  *cache.List[parsedKey, parsed]
	// budget is charged for what is checked; nil is without limits.
	budget *worklimit.Budget
}

// Within is the same checker, which charges a budget for what it checks.
func (c *Checker) Within(b *worklimit.Budget) *Checker {
	return &Checker{environments: c.environments, results: c.results, parsed: c.parsed, budget: b}
}

// environments are the CEL environments of a minor version, made when they are
// first needed.
type environments struct {
	version version.Version
	mu      sync.Mutex
	envs    map[envKey]*env
}

// resultKey is everything that a check depends on. While a text is edited, nearly
// all expressions of a scenario are the same as before.
type resultKey struct {
	envKey
	objectType, paramsType *catalog.Type
	variables, expression  string
}

// Bounds on the checked expressions that are kept.
const (
	maxResults     = 4096
	maxResultBytes = 64 << 20 // about, see resultKey.size
)

// size is about how many bytes a result takes, apart from the types that it is
// about: its syntax tree is some forty times as large as the expression.
func (k resultKey) size() int { return 2048 + 40*len(k.expression) + len(k.variables) }

// envKey is what an environment depends on. Whether the roots have types is
// part of it, which types they have is not: those are exchanged for each check.
type envKey struct {
	style          Style
	scope          eval.Scope
	object, params bool
	// rule is the type of self, of a rule.
	rule     string
	optional bool
}

type env struct {
	mu       sync.Mutex
	cel      *cel.Env
	provider *provider
}

// New returns a checker for a version. It knows every library of that version, as
// evaluation does (semantics §1.1). The error is for a version that cannot be
// simulated.
func New(v version.Version) (*Checker, error) {
	if !v.Known() {
		return nil, fmt.Errorf("there is no CEL environment of Kubernetes %s", v)
	}
	return (&Checker{environments: &environments{version: v, envs: map[envKey]*env{}}}).Fresh(), nil
}

// Fresh returns a checker of the same version that keeps results of its own. Who
// makes types anew, as from CustomResourceDefinitions, uses a fresh checker for
// them: results hold on to the types that they are about, and should go when
// these go.
func (c *Checker) Fresh() *Checker {
	return &Checker{environments: c.environments, results: cache.New[resultKey, *Result](maxResults, maxResultBytes, resultKey.size),
		parsed: cache.New[parsedKey, parsed](maxResults, maxResultBytes, parsedKey.size)}
}

// keptEdits is for how many configurations that are compiled after its last use a
// result is kept.
const keptEdits = 64

// Age says that another configuration is being compiled: results that none of the
// last ones used are dropped.
func (c *Checker) Age() {
	c.results.Age(keptEdits)
	c.parsed.Age(keptEdits)
}

// variableWork is what each variable that an expression may use takes in its check.
const variableWork = 20

// Check parses and checks an expression. The error is internal: it never says
// anything about the expression.
// The result is shared: its AST must not be changed.
func (c *Checker) Check(expression string, view View) (*Result, error) {
	c.budget.Work(variableWork * len(view.Variables)) // what is known is asked for with all of them
	key := view.result(expression)
	if known, ok := c.results.Get(key); ok {
		return known, nil
	}
	result, err := c.with(view, func(e *env) *Result {
		checked, issues := eval.Check(c.budget, e.cel, expression)
		return e.result(checked, issues)
	})
	if err != nil {
		return nil, err
	}
	c.results.Put(key, result)
	return result, nil
}

func (v View) env() envKey {
	if v.Rule {
		return envKey{style: v.Style, rule: v.self(&provider{style: v.Style, known: map[string]known{}}).String(), optional: v.Optional}
	}
	return envKey{style: v.Style, scope: v.Scope, object: v.Object != nil, params: v.Params != nil}
}

// self is the type of self in a rule; the structs in it are declared.
func (v View) self(p *provider) *cel.Type {
	if v.Object != nil {
		if t := p.celType(v.Object, selfType, nil); t != nil {
			return t
		}
	}
	return cel.DynType
}

func (v View) result(expression string) resultKey {
	var variables strings.Builder
	for _, variable := range v.Variables {
		fmt.Fprintf(&variables, "%s %v\n", variable.Name, variable.Type)
	}
	return resultKey{v.env(), v.Object, v.Params, variables.String(), expression}
}

// CheckParsed checks an expression that has been parsed, and perhaps changed.
func (c *Checker) CheckParsed(parsed *cel.Ast, view View) (*Result, error) {
	return c.with(view, func(e *env) *Result {
		eval.ChargeCheck(c.budget, e.cel, parsed)
		checked, issues := eval.CheckParsed(e.cel, parsed)
		return e.result(checked, issues)
	})
}

// Parse parses an expression with the syntax and macros of the version. The caller may change the
// syntax tree.
func (c *Checker) Parse(expression string, view View) (*cel.Ast, *cel.Issues, error) {
	key := parsedKey{view.Scope.Patch, expression}
	known, ok := c.parsed.Get(key)
	if !ok {
		e, err := c.env(view)
		if err != nil {
			return nil, nil, err
		}
		known.ast, known.issues = e.cel.Parse(expression)
		c.parsed.Put(key, known)
	}
	if source.Failed(known.issues) {
		return known.ast, known.issues, nil
	}
	return copied(known.ast), known.issues, nil
}

// copied returns a syntax tree that shares nothing with another one that can change.
func copied(parsed *cel.Ast) *cel.Ast {
	out := cel.ParsedExprToAstWithSource(nil, parsed.Source())
	*out.NativeRep() = *ast.Copy(parsed.NativeRep())
	return out
}

// parsed is a parsed expression, or the reasons why it is none.
type parsed struct {
	ast    *cel.Ast
	issues *cel.Issues
}

// parsedKey is everything that parsing depends on within a version: no view adds macros.
type parsedKey struct {
	patch      bool
	expression string
}

// size is about how many bytes a syntax tree takes.
func (k parsedKey) size() int { return 1024 + 20*len(k.expression) }

// Env is the environment of a view, for looking up functions and macros. It
// must not be used for checking: its types change with every check.
func (c *Checker) Env(view View) (*cel.Env, error) {
	e, err := c.env(view)
	if err != nil {
		return nil, err
	}
	return e.cel, nil
}

func (c *Checker) with(view View, check func(*env) *Result) (*Result, error) {
	e, err := c.env(view)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.provider
	p.style, p.known = view.Style, map[string]known{}
	if view.Rule {
		view.self(p)
	} else {
		p.declare(objectType, view.Object)
	}
	p.declare(paramsType, view.Params)
	p.variables = make(map[string]*cel.Type, len(view.Variables))
	for _, v := range view.Variables {
		p.variables[v.Name] = v.Type
		p.rememberPlaces(v.Type, view)
	}
	return check(e), nil
}

func (e *env) result(ast *cel.Ast, issues *cel.Issues) *Result {
	r := &Result{AST: ast, places: e.provider.known}
	if source.Failed(issues) {
		r.AST, r.Issues = nil, issues
	}
	return r
}

// rememberPlaces makes the struct types in a variable's type known: they were
// found while another expression was checked.
func (p *provider) rememberPlaces(t *cel.Type, view View) {
	if t == nil {
		return
	}
	for _, inner := range t.Parameters() {
		p.rememberPlaces(inner, view)
	}
	if t.Kind() != types.StructKind {
		return
	}
	path := strings.Split(t.TypeName(), ".")
	if path[0] != objectType && path[0] != paramsType {
		return
	}
	// Walking down the path again declares every type on it.
	name := path[0]
	for _, step := range path[1:] {
		if k, ok := p.known[name]; ok {
			p.field(k, name, step)
		}
		name += "." + step
	}
}

// PlaceOf says what a type of the checked expression is: of a struct, the
// struct itself.
func (r *Result) PlaceOf(t *cel.Type) (Place, bool) {
	if t == nil || t.Kind() != types.StructKind {
		return Place{}, false
	}
	k, ok := r.places[t.TypeName()]
	return Place{Type: k.typ, Name: t.TypeName()}, ok
}

func (c *environments) env(view View) (*env, error) {
	key := view.env()
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.envs[key]; e != nil {
		return e, nil
	}
	e, err := c.build(key, view)
	if err != nil {
		return nil, fmt.Errorf("cannot build the CEL environment: %w", err)
	}
	c.envs[key] = e
	return e, nil
}

// build makes the environment of semantics §1.2, with types.
func (c *environments) build(key envKey, view View) (*env, error) {
	base := environment.MustBaseEnvSet(utilversion.MustParse(c.version.String())).NewExpressionsEnv()
	namespace, request := plugincel.BuildNamespaceType(), plugincel.BuildRequestType()
	handmade := apiservercel.NewDeclTypeProvider(namespace, request)
	handmade.SetRecognizeKeywordAsFieldName(c.version.Has(version.KeywordFieldNames))
	below, err := handmade.WithTypeProvider(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	p := &provider{Provider: below, Adapter: below, known: map[string]known{}}

	if view.Rule {
		self := view.self(p)
		old := self
		if view.Optional {
			old = cel.OptionalType(self)
		}
		rule, err := base.Extend(eval.BoundedMacros(base), cel.CustomTypeProvider(p), cel.CustomTypeAdapter(p), cel.Variable("self", self), cel.Variable("oldSelf", old))
		return &env{provider: p, cel: rule}, err
	}
	object, params := cel.DynType, cel.DynType
	if key.object {
		object = cel.ObjectType(objectType)
	}
	if key.params {
		params = cel.ObjectType(paramsType)
	}
	options := []cel.EnvOption{
		eval.BoundedMacros(base),
		cel.CustomTypeProvider(p),
		cel.CustomTypeAdapter(p),
		cel.Variable(plugincel.ObjectVarName, object),
		cel.Variable(plugincel.OldObjectVarName, object),
		cel.Variable(plugincel.NamespaceVarName, namespace.CelType()),
		cel.Variable(plugincel.RequestVarName, request.CelType()),
	}
	if key.scope.Params {
		options = append(options, cel.Variable(plugincel.ParamsVarName, params))
	}
	if key.scope.Authorizer {
		options = append(options, cel.Variable(plugincel.AuthorizerVarName, library.AuthorizerType))
		// The server's type checker forgets this one (semantics §10).
		if key.style == Runtime {
			options = append(options, cel.Variable(plugincel.RequestResourceAuthorizerVarName, library.ResourceCheckType))
		}
	}
	if key.scope.Variables {
		options = append(options, cel.Variable(plugincel.VariableVarName, cel.ObjectType(variablesType)))
	}
	env := &env{provider: p}
	if env.cel, err = base.Extend(options...); err != nil {
		return nil, err
	}
	if key.scope.Patch {
		env.cel, err = env.cel.Extend(common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), environment.UnversionedLib(library.JSONPatch))
	}
	return env, err
}
