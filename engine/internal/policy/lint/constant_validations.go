package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// constantValidations finds validations that never deny, and such that deny everything.
func constantValidations(p *policy) {
	worlds := p.worlds(nil)
	var open []int // those with both results
	for i, v := range p.validations {
		if p.said(p.document, v.path) || v.read == nil {
			continue
		}
		if written, ok := constant(v.read); ok {
			if written && len(p.annotations) == 0 {
				p.report(p.document, codes.ValidationNeverFalse, diag.Info, v.path, "this validation is always true", "It denies nothing. Write a condition that allowed objects meet.")
			}
			continue
		}
		seen := p.seen(worlds, p.conditions, v.expression)
		switch {
		case seen&trueAndFalse == outcomes.True:
			p.reportNeverFalse(worlds, v.expression, seen)
		case len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) && p.failurePolicy != nil && *p.failurePolicy == v1.Ignore:
			// advice about every request
		case p.denies(worlds, v.expression):
			detail, fixes := p.advisory("Join alternatives with ||. To deny every matched request on purpose, write false.")
			if out := p.report(p.document, codes.ValidationNeverTrue, diag.Warning, v.path, "this validation is never true: it denies every request that the policy matches", detail+p.proof()); out.Code != "" {
				out.Fixes = fixes
			}
		default:
			open = append(open, i)
		}
	}
	p.exclusiveValidations(worlds, open)
}

// reportNeverFalse reports a validation that is true where it does not fail.
func (p *policy) reportNeverFalse(worlds []*outcomes.World, v expression, seen outcomes.Outcome) {
	detail := "It denies nothing by itself."
	if seen&outcomes.Failed != 0 {
		detail = "It denies only through an error, such as an absent field."
	}
	proof := p.proof()
	if len(p.conditions) > 0 && p.seen(worlds, nil, v) == 0 {
		detail += " The match conditions exclude every object for which it would be false."
	}
	if seen&outcomes.Failed != 0 && p.withoutNamespace(worlds, v) {
		p.report(p.document, codes.FailsWhenNull, diag.Warning, v.path, "the expression fails: namespaceObject is null, because the policy matches only cluster-scoped resources",
			"It is true where another part decides, and never false. Read a field of the object that names the namespace, or a label of the object."+proof)
		return
	}
	out := p.report(p.document, codes.ValidationNeverFalse, diag.Warning, v.path, "this validation is never false for what the policy matches", detail+proof)
	if i, name := p.unmatchedSubresource(v); i >= 0 && out.Code != "" {
		out.Detail = "No rule matches " + name + ". " + out.Detail
		if edits, ok := p.matching(i, name); ok {
			out.Fixes = []diag.Fix{{Title: "Match " + name + ", too", Edits: edits}}
		}
	}
}

// withoutNamespace reports whether an expression reads the namespace of objects that are in none.
func (p *policy) withoutNamespace(worlds []*outcomes.World, v expression) bool {
	return slices.Contains(p.reads(v.read), "namespaceObject") && !slices.ContainsFunc(worlds, func(w *outcomes.World) bool {
		return w.Resource == nil || w.Resource.Namespaced || w.Resource.GVK.Kind == "Namespace"
	})
}

// unmatchedSubresource is a subresource with which an expression compares the request's, and the rule that matches its
// resource; negative where a rule matches the subresource, too.
func (p *policy) unmatchedSubresource(e expression) (rule int, name string) {
	rule = -1
	p.walk(&outcomes.World{}, e.read, func(n *values.Node, of func(*values.Node) *place) {
		if n.Kind != values.Call || n.Name != "_==_" && n.Name != "_!=_" || len(n.Children) != 2 {
			return
		}
		sub, ok := literalText(n.Children[1])
		if at := of(n.Children[0]); !ok || at == nil || strings.Join(at.steps, ".") != "request.subResource" {
			return
		}
		for i := range p.match.ResourceRules {
			resources, _ := p.ofRule(&p.match.ResourceRules[i].RuleWithOperations)
			for _, t := range resources {
				if _, has := t.resource.Subresources[sub]; has && t.resource.Builtin && t.sub == "" {
					rule, name = i, t.resource.GVR.Resource+"/"+sub
				}
				if t.sub == sub {
					rule = -1
					return
				}
			}
		}
	})
	return rule, name
}

// constant is the value of an expression that is nothing but true or false.
func constant(e *outcomes.Expression) (value, ok bool) {
	root := e.Root()
	if root.Expr == nil || root.Expr.Kind() != ast.LiteralKind {
		return false, false
	}
	value, ok = root.Expr.AsLiteral().Value().(bool)
	return value, ok
}

// denies reports whether a validation is proved to be never true, whatever the conditions are. One that
// reads only the request's operation, resource and user is a way to write false.
func (p *policy) denies(worlds []*outcomes.World, v expression) bool {
	if !slices.ContainsFunc(p.reads(v.read), func(name string) bool { return name == "object" || name == "oldObject" || name == "params" }) {
		return false
	}
	return p.never(worlds, []expression{v})
}

// exclusiveValidations finds two validations that are never true together.
func (p *policy) exclusiveValidations(worlds []*outcomes.World, list []int) {
	for at, j := range list {
		for _, i := range list[:at] {
			a, b := p.validations[i].expression, p.validations[j].expression
			if common(p.fields(a.read), p.fields(b.read)) && !p.never(worlds, []expression{a}) && !p.never(worlds, []expression{b}) && p.never(worlds, []expression{a, b}) {
				p.report(p.document, codes.ValidationNeverTrue, diag.Warning, b.path, fmt.Sprintf("this validation is never true together with %s: every request is denied", ordinal("validation", i)),
					"All validations of a policy have to be true. Join alternatives with || in one validation."+p.proof())
				return
			}
		}
	}
}

// advisory adds, where failures are ignored, that this does not make the policy advice, with the repair that does.
func (p *policy) advisory(detail string) (string, []diag.Fix) {
	if p.failurePolicy == nil || *p.failurePolicy != v1.Ignore {
		return detail, nil
	}
	fix := diag.Fix{Title: "Change validationActions to [Warn, Audit]"}
	for _, b := range p.bindings {
		if e, ok := b.document.Rewrite("spec.validationActions", "[Warn, Audit]"); ok && b.denies() {
			fix.Edits = append(fix.Edits, e)
		}
	}
	if len(fix.Edits) == 0 {
		return detail, nil
	}
	return detail + " failurePolicy Ignore admits only what an expression fails for. What a false validation does, validationActions says.", []diag.Fix{fix}
}
