package compile

import (
	"context"
	"sync"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Store holds what outlives a configuration: the CEL environments of the
// versions that were asked for, and, bounded in number and size, the texts,
// kinds, expressions and configurations that were used last. No result depends
// on what is kept. A store is safe for concurrent use.
type Store struct {
	Texts          *scenario.Reader
	Environments   *eval.Set
	Kinds          *cache.List[kindsKey, *kinds]
	clusters       *cache.List[clusterKey, *clusterState]
	configurations *cache.List[configurationKey, *Compiled]

	// Registry is the server's own code for built-in kinds, or nil.
	Registry registry.Registry

	trial bool // see Aside

	mu       sync.Mutex
	checkers map[version.Version]*check.Checker // by version
}

// Bounds on what a store keeps, in number and bytes of the texts that it was
// made from. While a request is edited the policies stay as they are, and while
// policies are edited the cluster does.
const (
	keptConfigurations = 4
	keptClusters       = 4
	KeptKinds          = 4 // sets of kinds
	keptBytes          = 1 << 20
)

// NewStore returns a store that keeps nothing yet. Environments are built when they
// are first needed, which takes some 20 ms a version.
func NewStore() *Store {
	return &Store{
		Texts:          scenario.NewReader(),
		Environments:   eval.NewSet(),
		Kinds:          cache.New[kindsKey, *kinds](KeptKinds, keptBytes, kindsKey.size),
		clusters:       cache.New[clusterKey, *clusterState](keptClusters, keptBytes, clusterKey.size),
		configurations: cache.New[configurationKey, *Compiled](keptConfigurations, keptBytes, configurationKey.size),
		checkers:       map[version.Version]*check.Checker{},
		Registry:       BuiltIn,
	}
}

// BuiltIn is the API server's own code for the stores that are made from now on, or nil.
var BuiltIn registry.Registry

// Standard is the store of package engine's functions. It lives as long as the program.
var Standard = sync.OnceValue(NewStore)

// Kinds returns the kinds that a scenario's server knows: the built-in ones and
// those of the CustomResourceDefinitions in its cluster text.
func Kinds(s scenario.Scenario) (*catalog.Catalog, error) {
	b := Budget(context.Background(), options.Limits{})
	c, err := Standard().Compile(b, scenario.Scenario{Kubernetes: s.Kubernetes, Cluster: s.Cluster})
	if err != nil {
		return nil, err
	}
	return c.Catalog, nil
}

// checkerFor is the type checker of a version for its built-in kinds.
func (e *Store) checkerFor(v version.Version) (*check.Checker, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.checkers[v]; c != nil {
		return c, nil
	}
	c, err := check.New(v)
	if err == nil {
		e.checkers[v] = c
	}
	return c, err
}

// Aside is a store for trials: it shares what is kept of kinds, expressions and texts, and
// keeps its configurations to itself, so that those of the text at hand stay. Its configurations
// lack the advice of package lint, unless the caller wants it: a trial compares what the server rejects and what fails.
func (e *Store) Aside(advice bool) *Store {
	return &Store{
		trial: !advice, Texts: e.Texts, Environments: e.Environments, Kinds: e.Kinds, checkers: e.checkers, Registry: e.Registry,
		clusters:       cache.New[clusterKey, *clusterState](1, keptBytes, clusterKey.size),
		configurations: cache.New[configurationKey, *Compiled](1, keptBytes, configurationKey.size),
	}
}
