package ask

import (
	"maps"
	"slices"
	"strconv"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Bounds on what is proposed for one question.
const (
	proposalSteps = 60_000 // of one exploration
	shrinkTries   = 300
	mostRounds    = 6 // of what answers one denial after the other
)

// first is a request that is what was asked for; nil if none is found.
func (t *trial) first(policy string, requests []string) *request {
	bases := t.candidates(policy, t.readOwn(requests))
	smallest := func(b *candidate, _ []*candidate) *request {
		if t.fits(b.request) {
			return b.request
		}
		return nil
	}
	limit := t.limit
	for _, stage := range []struct {
		try   func(*candidate, []*candidate) *request
		limit int
	}{{smallest, limit}, {t.proposals, limit * 2 / 3}, {t.guesses, limit}} {
		t.limit = stage.limit
		for _, b := range bases {
			if found := stage.try(b, bases); found != nil {
				t.limit = limit
				return found
			}
		}
	}
	return nil
}

// candidates are the beginnings for each policy, or for one: the caller's requests, and the smallest ones that meet the
// selectors of the policy and of a binding.
func (t *trial) candidates(policy string, given []own) []*candidate {
	t.spaces = newNamespaces(t.sets)
	t.spaces.fixed = t.rest != nil // examples are for the cluster as it is
	var first, out []*candidate
	for _, c := range t.sets {
		sources := c.Sources()
		for _, s := range subjects(c) {
			if policy != "" && s.Name != policy {
				continue
			}
			for _, w := range t.concrete(s, sources) {
				base := newRequest(w, sources.Catalog)
				if base == nil {
					continue
				}
				var like []*request
				for _, g := range given {
					if r := g.like(base); r != nil {
						like = append(like, r)
						first = append(first, &candidate{request: r, world: w, subject: s})
					}
				}
				for _, one := range selectorsOf(s.Document, sources.Documents) {
					for _, r := range append(like, base) {
						if r = r.clone(); t.spaces.selected(r, one) {
							out = append(out, &candidate{request: r, world: w, subject: s})
						}
					}
				}
			}
		}
	}
	if len(t.spaces.made) > 0 {
		t.sets = slices.Clone(t.sets)
		for i, c := range t.sets {
			t.sets[i] = t.spaces.extend(c)
		}
	}
	return append(first, out...)
}

// subjects are the policies of a set.
func subjects(c *engine.Configuration) []lint.Subject {
	sources := c.Sources()
	out := lint.Subjects(lint.Input{Installed: sources.Installed, Environments: sources.Environments, Catalog: sources.Catalog})
	for i := range out {
		out[i].Constants = append(out[i].Constants, inParams(out[i].Document, sources.Documents)...)
	}
	return out
}

func at(d *scenario.Document, path string) any {
	v, _ := fieldpath.Parse(path).Get(d.Value)
	return v
}

// mostInParams bounds the values of params that are tried for one policy.
const mostInParams = 40

// inParams are the texts, integers and bools in the params that a policy's bindings name, and the integers that
// texts write.
func inParams(policy *scenario.Document, all []*scenario.Document) (out []any) {
	if at(policy, "spec.paramKind") == nil {
		return nil
	}
	bound := func(d *scenario.Document) bool {
		return slices.ContainsFunc(all, func(b *scenario.Document) bool {
			return b.Kind == policy.Kind+"Binding" && at(b, "spec.policyName") == policy.Name && (at(b, "spec.paramRef.name") == d.Name || at(b, "spec.paramRef.selector") != nil)
		})
	}
	for _, d := range all {
		if at(d, "apiVersion") != at(policy, "spec.paramKind.apiVersion") || d.Kind != at(policy, "spec.paramKind.kind") || !bound(d) {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(d.Value)) {
			if key != "apiVersion" && key != "kind" && key != "metadata" {
				out = scalars(out, d.Value[key])
			}
		}
	}
	return out[:min(len(out), mostInParams)]
}

// scalars adds those in a value.
func scalars(out []any, in any) []any {
	switch in := in.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(in)) {
			out = scalars(out, in[key])
		}
	case []any:
		for _, item := range in {
			out = scalars(out, item)
		}
	case string:
		out = append(out, in)
		if n, err := strconv.ParseInt(in, 10, 64); err == nil {
			out = append(out, n)
		}
	case int64, bool:
		out = append(out, in)
	}
	return out
}

// guesses tries each constant of the expressions, and what is next to it, in each field that they read. They
// are for what the cases do not show, such as a field behind filter().
func (t *trial) guesses(b *candidate, _ []*candidate) *request {
	var guesses []any
	for _, c := range b.subject.Constants {
		switch v := c.(type) {
		case int64:
			guesses = append(guesses, v, v+1, v-1)
		case string:
			guesses = append(guesses, v, v+"x", "x"+v)
		}
	}
	guesses = append(guesses, true, false, "x", int64(0), int64(1))
	for _, path := range b.subject.Reads {
		of := b.world.Object.At(path[1:]...)
		if of == nil && bases()[b.kind] != nil && path[0] == "object" {
			continue // a field of another kind
		}
		settings := []outcomes.Setting{{Path: path, Missing: true, Size: -1}, {Path: path, Size: -1}}
		if of != nil && of.Kind == catalog.List {
			settings = append(settings, outcomes.Setting{Path: path, Size: 2}) // two equal items
		}
		for _, v := range guesses {
			if canHold(of, v) {
				settings = append(settings, outcomes.Setting{Path: path, Value: holding(v, of), Size: -1})
			}
		}
		for _, s := range settings {
			for _, base := range []*request{b.request, b.nearly} {
				if base == nil {
					continue
				}
				next := base.clone()
				next.apply([]outcomes.Setting{s}, b.world)
				if t.fits(next) {
					return next
				}
				if !t.open() {
					return nil
				}
			}
		}
	}
	return nil
}

// canHold reports whether a field of a type can have a value, or can hold it.
func canHold(t *catalog.Type, v any) bool {
	if t == nil {
		return true
	}
	switch v.(type) {
	case bool:
		return t.Kind == catalog.Boolean
	case int64:
		return t.Kind == catalog.Integer || t.Kind == catalog.Number || t.Kind == catalog.Custom
	}
	return t.Kind == catalog.String || t.Kind == catalog.Map || t.Kind == catalog.Custom || t.Kind == catalog.List && canHold(t.Elem, v)
}

// holding is a value for a field of a type: of a list it is an item, of a map a key.
func holding(v any, t *catalog.Type) any {
	if text, ok := v.(string); ok && t != nil && t.Kind == catalog.Map {
		return map[string]any{text: some(t.Elem, 1)}
	}
	if t != nil && t.Kind == catalog.List {
		return []any{v}
	}
	return v
}

// candidate is the beginning of a search.
type candidate struct {
	*request
	world   *outcomes.World
	subject lint.Subject
	// nearly is the first request that meets the policy, as far as its expressions are understood.
	nearly *request
}

// concrete are the worlds of a policy that name a resource; for rules that match any resource they are
// those of a few kinds.
func (t *trial) concrete(s lint.Subject, in engine.Sources) []*outcomes.World {
	var out []*outcomes.World
	for _, w := range s.Worlds {
		if w.Resource != nil {
			out = append(out, w)
			continue
		}
		for _, r := range in.Catalog.Kinds() {
			name := r.GVR.GroupResource().String()
			if !slices.Contains([]string{"configmaps", "pods", "deployments.apps", "namespaces"}, name) || !r.Served {
				continue
			}
			if w.Operation == "CONNECT" {
				continue
			}
			one := *w
			one.Resource = &r
			one.Object, _ = in.Catalog.TypeOf(r.GVK)
			out = append(out, &one)
		}
	}
	slices.SortStableFunc(out, func(a, b *outcomes.World) int { return order(a.Operation) - order(b.Operation) })
	return out
}

// order puts creations first: they are the smallest requests.
func order(operation string) int {
	return slices.Index([]string{"CREATE", "UPDATE", "DELETE", "CONNECT"}, operation)
}

// proposals tries a request for each case that the expressions of a policy distinguish, and what makes the other
// policies admit it.
func (t *trial) proposals(b *candidate, all []*candidate) (found *request) {
	type result struct {
		all    outcomes.Outcome
		untrue int // the first validation that is not true
	}
	seen := map[result]int{}
	outcomes.Explore(b.world, proposalSteps, func(r *outcomes.Run) bool {
		for _, c := range b.subject.Conditions {
			if r.Outcome(c) != outcomes.True {
				return t.open()
			}
		}
		of := result{untrue: -1}
		for i, v := range b.subject.Validations {
			one := r.Outcome(v)
			if of.all |= one; one != outcomes.True && of.untrue < 0 {
				of.untrue = i
			}
		}
		for _, e := range b.subject.Mutations {
			r.Succeeds(e) // so that the cases differ in what it reads
		}
		if seen[of]++; seen[of] > t.limit/4+8 { // other results come too
			return t.open()
		}
		next := b.request.clone()
		next.apply(r.Settings(), b.world)
		if b.nearly == nil && of.untrue < 0 {
			b.nearly = next
		}
		if t.fits(next) {
			found = next
		} else if found = t.mended(next, b, all); found != nil {
			return false
		}
		return found == nil && t.open()
	})
	return found
}

// open reports whether another request may be tried, after a rest.
func (t *trial) open() bool {
	if t.rest != nil {
		t.rest()
	}
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	return t.err == nil && t.tried < t.limit
}

// mended changes a request until the policies that deny it admit it, one after another.
func (t *trial) mended(r *request, b *candidate, all []*candidate) *request {
	denied := ""
	for range mostRounds {
		reports := t.evaluate(r)
		if reports == nil {
			return nil
		}
		blocking := ""
		for _, one := range reports {
			if !one.Outcome.Allowed {
				blocking = denier(one)
			}
		}
		if blocking == "" || blocking == denied || blocking == b.subject.Name {
			return nil
		}
		denied = blocking
		i := slices.IndexFunc(all, func(c *candidate) bool {
			return c.subject.Name == blocking && c.operation == r.operation && c.resource.GVR == r.resource.GVR && c.sub == r.sub
		})
		if i < 0 {
			return nil
		}
		next := t.admitted(r, all[i])
		if next == nil {
			return nil
		}
		if r = next; t.fits(r) {
			return r
		}
	}
	return nil
}

func denier(r *report.Report) string {
	for _, s := range r.Steps {
		if isPolicy(s) && s.Verdict == report.Deny {
			return s.Policy
		}
	}
	return ""
}

// admitted is a request with what a policy asks for.
func (t *trial) admitted(r *request, c *candidate) (out *request) {
	tries := 0
	outcomes.Explore(c.world, proposalSteps/10, func(run *outcomes.Run) bool {
		for _, v := range append(slices.Clone(c.subject.Conditions), c.subject.Validations...) {
			if run.Outcome(v) != outcomes.True {
				return true
			}
		}
		next := r.clone()
		next.apply(run.Settings(), c.world)
		tries++
		if reports := t.evaluate(next); reports != nil && !slices.ContainsFunc(reports, func(r *report.Report) bool { return denier(r) == c.subject.Name }) {
			out = next
		}
		return out == nil && tries < 8 && t.open()
	})
	return out
}
