package bridge

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/remote"
)

// ErrLoading says that the API server's own code is not loaded yet.
var ErrLoading = errors.New("the API server's code is still loading")

// UseRegistry lets the engine call the API server's own code, which the page loads after its first
// result. ask passes package remote's texts. Its error is ErrLoading, or says why the code cannot
// be loaded.
func UseRegistry(ask func(call string) (reply string, err error)) {
	late.ask = ask
	late.Registry = remote.New(func(call string) (string, error) { return ask(call) })
	engine.Use(late)
}

// late is the page's registry.
var late = &lateRegistry{}

// lateRegistry supports nothing until the code is loaded. It implements registry.Registry and registry.Late.
type lateRegistry struct {
	registry.Registry
	ask func(string) (string, error)
	// wanted says that an evaluation would have used it.
	wanted bool
}

func (r *lateRegistry) Knows(kind schema.GroupVersionKind, resource schema.GroupResource, subResource string) bool {
	if !registry.Has(resource, subResource) {
		return false
	}
	if _, err := r.ask(""); err != nil {
		r.wanted = r.wanted || errors.Is(err, ErrLoading)
		return false
	}
	return r.Registry.Knows(kind, resource, subResource)
}

func (r *lateRegistry) Missing(resource schema.GroupResource, subResource string) string {
	if !registry.Has(resource, subResource) {
		return ""
	}
	if _, err := r.ask(""); err != nil {
		return err.Error()
	}
	return ""
}

// take reports whether an evaluation since the last call needed code that is still loading.
func (r *lateRegistry) take() (wanted bool) {
	wanted, r.wanted = r.wanted, false
	return wanted
}
