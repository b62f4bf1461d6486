package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutScale finds validations of the number of replicas, where no rule matches the subresource by which autoscalers
// and kubectl scale change it. One that only compares it with the old number may be about people's manifests alone, and
// so may one for a single kind, as the first example of the Kubernetes documentation.
func leftOutScale(p *policy) {
	if p.webhook || p.deniesNothing() || p.selectsObjects() || slices.ContainsFunc(p.conditions, func(e expression) bool { return !p.readsScale(e) }) {
		return
	}
	scaled := map[string]bool{}
	for _, t := range p.targets(p.match.ResourceRules) {
		if t.resource != nil && t.sub == "" && t.resource.Subresources["scale"].Kind != "" {
			scaled[t.resource.GVR.Resource] = true
		}
	}
	for rule := range p.match.ResourceRules {
		resources, _ := p.ofRule(&p.match.ResourceRules[rule].RuleWithOperations)
		for _, t := range resources {
			t.operation = "UPDATE"
			if _, has := t.resource.Subresources["scale"]; !has || len(scaled) < 2 || t.sub != "" || !t.resource.Builtin || !p.matchedBy(t, p.match.ResourceRules) {
				continue
			}
			i := slices.IndexFunc(p.validations, func(v validation) bool { return p.judgesReplicas(v, t) })
			t.sub = "scale"
			if i >= 0 && !slices.ContainsFunc(p.all, func(o *policy) bool { return p.matchedBy(t, o.match.ResourceRules) }) {
				p.scaleLeftOut(rule, i, t.resource.GVR.Resource)
				return
			}
		}
	}
}

// judgesReplicas reports whether a validation may deny an object by its number of replicas, and can judge a Scale.
func (p *policy) judgesReplicas(v validation, t target) bool {
	if !p.readsScale(v.expression) || !slices.Contains(p.paths(v.read), "object.spec.replicas") || p.said(p.document, v.path) {
		return false
	}
	if slices.Contains(p.reads(v.read), "oldObject") {
		if t.operation = "CREATE"; !p.matchedBy(t, p.match.ResourceRules) {
			return false
		}
	}
	return p.mayDeny(t, v)
}

// mayDeny reports whether a validation is false in some case of a target.
func (p *policy) mayDeny(t target, v validation) (may bool) {
	p.explore([]*outcomes.World{p.world(t, nil)}, func(r *outcomes.Run) bool {
		may = may || r.Outcome(v.read) == outcomes.False
		return !may
	})
	return may
}

func (p *policy) scaleLeftOut(rule, i int, resource string) {
	name := resource + "/scale"
	p.report(p.document, codes.ScaleLeftOut, diag.Info, p.matchField+fieldpath.Item(p.rulesField, rule)+".resources",
		"no rule matches "+name+", by which kubectl scale and autoscalers change spec.replicas",
		"So they bypass "+ordinal("validation", i)+". The subresource's object is a Scale: it has spec.replicas, and neither labels nor a template.")
}

// deniesNothing reports whether the policy has bindings, and none of them denies.
func (p *policy) deniesNothing() bool {
	return len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies)
}

// bypassed is the severity of what lets requests bypass the policy: a warning where a binding denies.
func (p *policy) bypassed() diag.Severity {
	if slices.ContainsFunc(p.bindings, binding.denies) {
		return diag.Warning
	}
	return diag.Info
}

// selectsObjects reports whether the policy or a binding has an objectSelector with requirements.
func (p *policy) selectsObjects() bool {
	return len(requirements(p.match.ObjectSelector)) > 0 || slices.ContainsFunc(p.bindings, func(b binding) bool {
		return b.match != nil && len(requirements(b.match.ObjectSelector)) > 0
	})
}

// readsScale reports whether an expression reads nothing of the object but what a Scale has, too.
func (p *policy) readsScale(e expression) bool {
	return e.read != nil && !slices.ContainsFunc(p.paths(e.read), func(path string) bool {
		steps := strings.Split(strings.ReplaceAll(path, "has ", ""), ".")
		if steps[0] != "object" && steps[0] != "oldObject" || len(steps) < 3 {
			return false
		}
		field := strings.Join(steps[1:], ".")
		return !slices.Contains([]string{"spec.replicas", "metadata.name", "metadata.namespace"}, field)
	})
}
