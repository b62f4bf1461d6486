package compile

import (
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

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
