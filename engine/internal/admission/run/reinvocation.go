package run

import "maps"

// Reinvocation is what one plugin remembers between the two passes of the
// mutating phase (semantics §6.7). Policies and webhooks each have one.
type Reinvocation struct {
	previous map[string]bool // reinvocable and invoked
	due      map[string]bool // to be invoked in the second pass
	last     map[string]any  // the plugin's last output
	precise  bool            // and whether its times still had fractions of a second
}

// Begin starts a pass: an object that changed after the plugin's last output
// was changed by others, so everything that may run again has to. A patch that changes
// nothing else takes the fractions of a second from its times (Chain.Precise).
func (r *Reinvocation) Begin(c *Chain) {
	if c.IsReinvoke() && (r.precise != c.Precise || !c.Catalog.SemanticEqual(c.Attributes.Kind, r.last, c.Attributes.Object)) {
		r.Require()
	}
}

// End remembers the plugin's output.
func (r *Reinvocation) End(c *Chain) { r.last, r.precise = c.Attributes.Object, c.Precise }

// Require asks that all invoked so far be invoked again.
func (r *Reinvocation) Require() {
	if r.due == nil {
		r.due = map[string]bool{}
	}
	maps.Copy(r.due, r.previous)
	r.previous = nil
}

// Invoked notes one that may be invoked again.
func (r *Reinvocation) Invoked(key string) {
	if r.previous == nil {
		r.previous = map[string]bool{}
	}
	r.previous[key] = true
}

// Due reports whether one runs in the second pass.
func (r *Reinvocation) Due(key string) bool { return r.due[key] }
