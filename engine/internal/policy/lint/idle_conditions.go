package lint

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const (
	trueAndFalse = outcomes.True | outcomes.False
	neverMatches = "The policy is evaluated only if all match conditions are true, which never happens here."
)

// idleConditions finds match conditions that are never true, alone, together or for a binding, and
// those that exclude nothing.
func idleConditions(p *policy) {
	if len(p.conditions) == 0 {
		return
	}
	worlds := p.worlds(nil)
	for _, c := range p.conditions {
		if p.said(p.document, c.path) {
			return
		}
		if seen := p.seen(worlds, nil, c); seen&outcomes.False != 0 && seen&outcomes.True == 0 {
			p.report(p.document, codes.ConditionNeverTrue, diag.Warning, c.path, "this condition is never true for what the rules match", p.webhookWords(neverMatches)+p.proof())
			return
		}
	}
	if p.accountsWithoutGroup() {
		return
	}
	if i, j := p.exclusive(worlds); j > 0 {
		p.report(p.document, codes.ConditionNeverTrue, diag.Warning, p.conditions[j].path, fmt.Sprintf("this condition is never true together with %s", ordinal("condition", i)), p.webhookWords(neverMatches)+p.proof())
		return
	}
	p.superfluousConditions()
	for i := range p.bindings {
		p.conditionsOf(&p.bindings[i])
	}
}

func (p *policy) webhookWords(text string) string {
	if p.webhook {
		return strings.Replace(strings.Replace(text, "The policy", "The webhook", 1), "is evaluated", "is called", 1)
	}
	return text
}

// exclusive are two conditions that are never true together.
func (p *policy) exclusive(worlds []*outcomes.World) (int, int) {
	for j := range p.conditions {
		for i := range j {
			if !common(p.fields(p.conditions[i].read), p.fields(p.conditions[j].read)) {
				continue
			}
			if p.never(worlds, []expression{p.conditions[i], p.conditions[j]}) {
				return i, j
			}
		}
	}
	return 0, 0
}

// never reports whether expressions are proved to be never true together, although not all of them
// always fail.
func (p *policy) never(worlds []*outcomes.World, list []expression) bool {
	denied := false
	all := p.explore(worlds, func(r *outcomes.Run) bool {
		var joint outcomes.Outcome
		for _, e := range list {
			joint |= r.Outcome(e.read)
		}
		denied = denied || joint&outcomes.Failed == 0
		return joint != outcomes.True
	})
	return all && denied
}

// conditionsOf finds a binding that selects only what the conditions exclude.
func (p *policy) conditionsOf(b *binding) {
	if b.match == nil || Ignores(b.document, codes.BindingMatchesNothing) {
		return
	}
	if at, _ := p.disjoint(b.match); at != "" {
		return
	}
	for _, c := range p.conditions {
		if seen := p.seen(p.worlds(b), nil, c); seen&outcomes.False != 0 && seen&outcomes.True == 0 {
			out := p.report(b.document, codes.BindingMatchesNothing, diag.Warning, "spec.matchResources", fmt.Sprintf("a match condition of policy %s is never true for what this binding selects", p.document.Name),
				"So this binding has no effect. Change the binding's matchResources or the condition."+p.proof())
			if out.Code != "" {
				out.Related = []diag.Related{{Text: p.document.Text, Span: p.document.Locate(c.path), Path: c.path, Summary: "the condition"}}
			}
			return
		}
	}
}

// superfluousConditions finds conditions that exclude nothing.
func (p *policy) superfluousConditions() {
	unbound := []*outcomes.World{}
	for _, operation := range operations {
		unbound = append(unbound, p.world(target{operation: operation}, nil))
		unbound[len(unbound)-1].Texts = nil
	}
	for i, c := range p.conditions {
		if c.read == nil {
			continue
		}
		summary, proof, severity := "", "", diag.Warning
		if _, written := constant(c.read); written {
			severity = diag.Info // a beginning
		}
		if seen := p.seen(unbound, nil, c); seen == outcomes.True || seen == outcomes.True|outcomes.Failed {
			summary, proof = "this condition is always true", p.proof()
		}
		for j, other := range p.conditions {
			if i != j && summary == "" && common(p.fields(c.read), p.fields(other.read)) && !(j > i && p.implies(unbound, nil, c, other)) && p.implies(unbound, nil, other, c) {
				proof = p.proof()
				summary = fmt.Sprintf("this condition is true whenever %s is", ordinal("condition", j))
			}
		}
		if summary == "" {
			continue
		}
		path := strings.TrimSuffix(c.path, ".expression")
		if out := p.report(p.document, codes.ConditionAlwaysTrue, severity, c.path, summary, "It excludes no request. Remove it, or correct it."+proof); out.Code != "" {
			if len(p.conditions) == 1 {
				path = path[:strings.LastIndexByte(path, '[')]
			}
			out.Fixes = removed("Remove the condition", p.document, path)
		}
	}
}

// implies reports whether an expression is proved to be true wherever another one is, which both
// occurs and does not.
func (p *policy) implies(worlds []*outcomes.World, conditions []expression, a, b expression) bool {
	var seen outcomes.Outcome
	all := p.explore(worlds, func(r *outcomes.Run) bool {
		if !holdAll(r, conditions) {
			return true
		}
		first := r.Outcome(a.read)
		seen |= first
		return first != outcomes.True || r.Outcome(b.read) == outcomes.True
	})
	return all && seen&trueAndFalse == trueAndFalse
}
