package compile

import (
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"

	"time"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Configuration is a set of policies and a cluster, read and compiled. It does not change, and may be
// used by any number of goroutines.
type Configuration struct {
	*Compiled
	Store *Store
	// Cluster is that of the text, or what requests made of it (see After).
	Cluster *cluster.Cluster
	// Settings are those of the scenario, and its policies and cluster texts.
	Settings scenario.Scenario
}

// After is the configuration after an admitted request.
func (c *Configuration) After(a *run.Attributes) *Configuration {
	resource, known := c.Catalog.ResourceForKind(a.Kind)
	if a.DryRun || a.SubResource != "" || !known {
		return c
	}
	namespace := a.Namespace
	if !resource.Namespaced {
		namespace = ""
	}
	out := *c
	switch a.Operation {
	case request.Create, request.Update:
		out.Cluster = c.Cluster.Put(cluster.Object{GVK: a.Kind, Namespace: namespace, Name: a.Name, Value: a.Object, Builtin: resource.Builtin})
	case request.Delete:
		out.Cluster = c.Cluster.Without(a.Kind.GroupKind(), namespace, a.Name)
	default:
		return c
	}
	return &out
}

// Now is the time that stored objects get.
func Now(s scenario.Scenario) string {
	if s.Now != "" {
		return s.Now
	}
	return time.Now().UTC().Format(time.RFC3339)
}

// foreseen are the findings of a configuration for one setting of its scenario.
type foreseen struct {
	mu       sync.Mutex
	done     bool
	settings string
	list     diag.Diagnostics
	stops    *report.Graph
}

// Get returns a copy of what is known for settings.
func (f *foreseen) Get(settings string) (diag.Diagnostics, *report.Graph, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done || f.settings != settings {
		return nil, nil, false
	}
	return diag.Clone(f.list), f.stops.Clone(), true
}

// Put keeps what was found for settings.
func (f *foreseen) Put(settings string, list diag.Diagnostics, stops *report.Graph) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done, f.settings, f.list, f.stops = true, settings, diag.Clone(list), stops.Clone()
}
