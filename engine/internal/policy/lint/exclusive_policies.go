package lint

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// mostPairs bounds the pairs of policies' validations that are explored.
const mostPairs = 50

// exclusivePolicies finds a validation that is never true together with one of an earlier policy, where both policies
// deny all that their rules match.
func exclusivePolicies(p *policy) {
	if !p.deniesAll() {
		return
	}
	for _, o := range p.all[:slices.Index(p.all, p)] {
		if !o.deniesAll() || !p.selectsLike(o) {
			continue
		}
		worlds := p.worldsOf(&binding{match: &v1.MatchResources{ResourceRules: o.match.ResourceRules}})
		if len(worlds) == 0 || slices.ContainsFunc(worlds, func(w *outcomes.World) bool { return w.Resource == nil }) {
			continue
		}
		for _, b := range p.validations {
			if i := slices.IndexFunc(o.validations, func(a validation) bool { return p.excludes(worlds, o, a.expression, b.expression) }); i >= 0 {
				p.reportExclusive(o, i, b)
				return
			}
		}
	}
}

// deniesAll reports whether a validating policy and a binding of it apply to all that its rules, selectors and conditions
// match.
func (p *policy) deniesAll() bool {
	narrow := func(r v1.NamedRuleWithOperations) bool {
		return len(r.ResourceNames) > 0 || r.Scope != nil && *r.Scope != v1.AllScopes
	}
	return !p.webhook && len(p.validations) > 0 && p.paramKind == nil && len(p.match.ExcludeResourceRules) == 0 && !slices.ContainsFunc(p.match.ResourceRules, narrow) &&
		slices.ContainsFunc(p.bindings, binding.deniesWhole)
}

// deniesWhole reports whether a binding denies all that its selectors select.
func (b binding) deniesWhole() bool {
	return b.denies() && (b.match == nil || len(b.match.ResourceRules)+len(b.match.ExcludeResourceRules) == 0)
}

// selectsLike reports whether the selectors of two policies, with those of a binding of each, are the same.
func (p *policy) selectsLike(o *policy) bool {
	return slices.ContainsFunc(p.bindings, func(b binding) bool {
		return b.deniesWhole() && slices.ContainsFunc(o.bindings, func(c binding) bool { return c.deniesWhole() && slices.Equal(p.selectors(b), o.selectors(c)) })
	})
}

// selectors are the texts of the selectors of a policy and a binding, sorted.
func (p *policy) selectors(b binding) []string {
	var out []string
	for _, m := range []*v1.MatchResources{&p.match, b.match} {
		if m != nil {
			out = append(out, "n "+metav1.FormatLabelSelector(m.NamespaceSelector), "o "+metav1.FormatLabelSelector(m.ObjectSelector))
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return strings.HasSuffix(s, " <none>") })
}

// excludes reports whether two validations are proved to be never true together, although each may be true alone.
// They must read a field in common, and no variables: these belong to one policy.
func (p *policy) excludes(worlds []*outcomes.World, o *policy, a, b expression) bool {
	conditions := slices.Concat(o.conditions, p.conditions)
	if slices.ContainsFunc(conditions, func(c expression) bool {
		return c.read == nil || slices.ContainsFunc(c.read.Nodes(), isVariables) || !onlyObject(p.reads(c.read))
	}) {
		return false
	}
	if p.pairs >= mostPairs || a.read == nil || b.read == nil || o.said(o.document, a.path) || p.said(p.document, b.path) || !common(o.leaves(a), p.leaves(b)) {
		return false
	}
	p.pairs++
	with := func(list ...expression) bool { return p.never(worlds, slices.Concat(conditions, list)) }
	return !with(a) && !with(b) && with(a, b) // the last one is what proof speaks of
}

// onlyObject reports whether an expression reads nothing but the object. A condition about users is an exemption.
func onlyObject(reads []string) bool { return len(reads) == 1 && reads[0] == "object" }

func isVariables(n *values.Node) bool { return n.Kind == values.Ident && n.Name == "variables" }

// leaves are the fields that an expression reads, without those around them; nothing where it reads variables.
func (p *policy) leaves(e expression) []string {
	if slices.ContainsFunc(e.read.Nodes(), isVariables) {
		return nil
	}
	paths := p.paths(e.read)
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return slices.ContainsFunc(paths, func(other string) bool { return strings.HasPrefix(other, path+".") })
	})
}

// reportExclusive reports that a validation is never true together with validation i of another policy.
func (p *policy) reportExclusive(o *policy, i int, b validation) {
	out := p.report(p.document, codes.ValidationNeverTrue, diag.Warning, b.path, fmt.Sprintf("this validation is never true together with %s of policy %s: every request that both policies match is denied", ordinal("validation", i), o.document.Name),
		"The server admits a request only if all policies do. Match different requests, or join alternatives with || in one validation."+p.proof())
	if path := o.validations[i].path; out.Code != "" {
		out.Related = []diag.Related{{Text: o.document.Text, Span: o.document.Locate(path), Path: path, Summary: "the other validation"}}
	}
}
