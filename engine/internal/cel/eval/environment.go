// Package eval compiles and runs CEL expressions as the API server does:
// the environment of one Kubernetes version, the variables of one place,
// lazily evaluated policy variables, exact costs and budgets (semantics §1, §2
// and §9).
package eval

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Mode says for what an expression is compiled.
type Mode int

const (
	// Write is the check when a policy is created: only libraries that the
	// previous minor version knew (semantics §1.1).
	Write Mode = iota
	// Run is evaluation: every library that this version's binary knows.
	Run
)

// Scope says which variables and types are declared besides object, oldObject,
// request and namespaceObject (semantics §1.2).
type Scope struct {
	Params     bool
	Authorizer bool
	Variables  bool
	// Patch declares the types Object and JSONPatch.
	Patch bool
}

// Environments are the CEL environments of one Kubernetes minor version. They
// are built when first needed and safe for concurrent use.
type Environments struct {
	*cached
	// budget is charged for what is compiled; nil is without limits.
	budget *worklimit.Budget
}

// Within are the same environments, which charge a budget for what they compile.
func (e *Environments) Within(b *worklimit.Budget) *Environments {
	return &Environments{cached: e.cached, budget: b}
}

// Budget is what is charged; nil is without limits.
func (e *Environments) Budget() *worklimit.Budget { return e.budget }

// cached is what the Environments of all runs share.
type cached struct {
	version version.Version

	programs *cache.List[programKey, *Compiled]

	mu     sync.Mutex
	scopes map[scopeKey]*scopeEnv
	// ruleBases are for the custom resource rules, by mode.
	ruleBases map[Mode]*cel.Env
}

type scopeKey struct {
	Scope
	mode Mode
}

// scopeEnv is one environment. The fields of its variables type are exchanged
// for each compilation, which is why compiling holds mu: extending an
// environment for every list of variables costs a hundred times more.
type scopeEnv struct {
	mu        sync.Mutex
	env       *cel.Env
	variables *apiservercel.DeclType
	version   version.Version
	planner   *values.Planner // made when first needed
}

// Bounds on the expressions that are kept compiled: while a scenario is edited,
// nearly all of its expressions are the same as before.
const (
	maxPrograms     = 4096
	maxProgramBytes = 64 << 20 // about, see programKey.size
)

// Set holds the environments of the versions that were asked for. It is safe for
// concurrent use.
type Set struct {
	*sets
	budget *worklimit.Budget
}

// Within is the same set; its environments charge a budget for what they compile.
func (s *Set) Within(b *worklimit.Budget) *Set { return &Set{sets: s.sets, budget: b} }

// sets are what the sets of all runs share.
type sets struct {
	mu       sync.Mutex
	versions map[version.Version]*Environments
}

// NewSet returns a set without any environment.
func NewSet() *Set { return &Set{sets: &sets{versions: map[version.Version]*Environments{}}} }

// ForVersion returns the environments of a version. The error is for one that
// cannot be simulated.
func (s *Set) ForVersion(v version.Version) (*Environments, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.versions[v]; ok {
		return e.Within(s.budget), nil
	}
	if !v.Known() {
		return nil, fmt.Errorf("there are no CEL environments of Kubernetes %s", v)
	}
	e := &Environments{cached: &cached{version: v, scopes: map[scopeKey]*scopeEnv{}, programs: cache.New[programKey, *Compiled](maxPrograms, maxProgramBytes, programKey.size)}}
	s.versions[v] = e
	return e.Within(s.budget), nil
}

// keptEdits is for how many configurations that are compiled after its last use a
// program is kept: long enough for undo and for variants that are tried out.
const keptEdits = 64

// Age says that another configuration is being compiled: programs that none of the
// last ones used are dropped.
func (e *Environments) Age() { e.programs.Age(keptEdits) }

// Version is the Kubernetes version.
func (e *Environments) Version() version.Version { return e.version }

func (e *Environments) scope(mode Mode, scope Scope) (*scopeEnv, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := scopeKey{scope, mode}
	if s, ok := e.scopes[key]; ok {
		return s, nil
	}
	s, err := e.build(mode, scope)
	if err != nil {
		return nil, fmt.Errorf("unexpected error loading CEL environment: %w", err)
	}
	e.scopes[key] = s
	return s, nil
}

// compatibility is the version whose NewExpressions environment holds exactly
// what this version accepts: for writing that is the previous minor; for
// running it is the version itself, because StoredExpressions of today's
// library would know later libraries too (semantics §12).
func (e *Environments) compatibility(mode Mode) version.Version {
	if mode == Write {
		return e.version.Previous()
	}
	return e.version
}

// library is the environment that the API server offers to all expressions, and
// what changes it into that of an older version.
func (e *Environments) library(mode Mode) ([]cel.EnvOption, *cel.Env, error) {
	base := environment.MustBaseEnvSet(utilversion.MustParse(e.compatibility(mode).String())).NewExpressionsEnv()
	// Macros as they were written, for the values of sub-expressions.
	options := []cel.EnvOption{cel.EnableMacroCallTracking(), BoundedMacros(base)}
	var own []cel.EnvOption
	if base.HasFunction("lists.range") && !e.version.Has(version.NegativeRangeErrors) {
		own = append(own, oldRange())
	}
	if base.HasFunction("validate") && !e.version.Has(version.FormatLabelKeys) {
		old, err := oldFormats(base)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, old)
	}
	if !e.version.Has(version.SearchBehindEnd) {
		old, err := oldIndexes(base)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, old...)
	}
	if len(own) > 0 {
		// A guard is put in front of what the version has.
		var err error
		if base, err = base.Extend(own...); err != nil {
			return nil, nil, err
		}
	}
	guards, err := guarded(base, e.version)
	if err != nil {
		return nil, nil, err
	}
	return append(options, guards...), base, nil
}

func (e *Environments) build(mode Mode, scope Scope) (*scopeEnv, error) {
	options, base, err := e.library(mode)
	if err != nil {
		return nil, err
	}
	s := &scopeEnv{version: e.version}

	types := []*apiservercel.DeclType{plugincel.BuildNamespaceType(), plugincel.BuildRequestType()}
	options = append(options,
		cel.Variable(plugincel.ObjectVarName, cel.DynType),
		cel.Variable(plugincel.OldObjectVarName, cel.DynType),
		cel.Variable(plugincel.NamespaceVarName, types[0].CelType()),
		cel.Variable(plugincel.RequestVarName, types[1].CelType()))
	if scope.Params {
		options = append(options, cel.Variable(plugincel.ParamsVarName, cel.DynType))
	}
	if scope.Authorizer {
		options = append(options,
			cel.Variable(plugincel.AuthorizerVarName, library.AuthorizerType),
			cel.Variable(plugincel.RequestResourceAuthorizerVarName, library.ResourceCheckType))
	}
	if scope.Variables {
		s.variables = apiservercel.NewObjectType(variablesTypeName, map[string]*apiservercel.DeclField{})
		types = append(types, s.variables)
		options = append(options, cel.Variable(plugincel.VariableVarName, s.variables.CelType()))
	}
	provider := apiservercel.NewDeclTypeProvider(types...)
	provider.SetRecognizeKeywordAsFieldName(e.compatibility(mode).Has(version.KeywordFieldNames))
	provided, err := provider.EnvOptions(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	if s.env, err = base.Extend(append(append(options, provided...), adapt.Option)...); err != nil {
		return nil, err
	}
	if scope.Patch {
		// The resolver falls back on the provider of the environment that it
		// extends, so it must come second.
		s.env, err = s.env.Extend(common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), environment.UnversionedLib(library.JSONPatch), adapt.Option)
	}
	return s, err
}

const variablesTypeName = "kubernetes.variables"
